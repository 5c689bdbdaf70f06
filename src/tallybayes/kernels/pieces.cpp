#include "pieces.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "logarithm.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double none = 1e-9;    // a smaller remainder of a sum of weights is zero up to rounding
constexpr double least = 1e-12;  // lower bound of counts and shares
constexpr double rounding = 1e-14;  // is not information; the root of it would be far larger

class Leaving {
public:
    Leaving(const CountedWords& known, const LeftDocuments& left)
        : known_(known), left_(left), parts_(size_t(word_bases * known.block_count * known.width)),
          at_(size_t(known.width)), counts_(at_.size()), likely_(at_.size()), others_(at_.size()), logs_(at_.size()),
          evidence_(at_.size()) {}

    // The evidence of one document's words, and how many of them occur in others.
    double operator()(int64_t document, double* pieces) {
        own_ = left_.own + document * known_.width;
        weight_ = 0.0;
        for (int64_t c = 0; c < known_.width; ++c) weight_ += own_[c];
        find_parts(document);
        double met = 0.0;
        for (int64_t at = left_.starts[document]; at < left_.starts[document + 1]; ++at) met += add_word(at, pieces) ? 1.0 : 0.0;
        return met;
    }

private:
    double mine(int64_t base, int64_t token) const {
        const double scale = known_.scale[base * known_.block_count + known_.blocks[left_.words[token]]];
        return scale * (base == 0 ? 1.0 : base == 1 ? left_.times[token] : left_.share[token]);
    }

    // π: the share of each class in the counts of each block, without the document.
    void find_parts(int64_t document) {
        std::vector<double> taken(size_t(word_bases * known_.block_count));
        for (int64_t at = left_.starts[document]; at < left_.starts[document + 1]; ++at)
            for (int64_t base = 0; base < word_bases; ++base)
                taken[base * known_.block_count + known_.blocks[left_.words[at]]] += mine(base, at);
        for (size_t row = 0; row < taken.size(); ++row) {
            const double* totals = known_.totals + int64_t(row) * known_.width;
            double* parts = &parts_[row * known_.width];
            double sum = 0.0;
            for (int64_t c = 0; c < known_.width; ++c) sum += parts[c] = std::max(totals[c] - taken[row] * own_[c], 0.0);
            for (int64_t c = 0; c < known_.width; ++c) parts[c] = std::max(sum > 0.0 ? parts[c] / sum : 0.0, least);
        }
    }

    bool add_word(int64_t token, double* pieces) {
        const int32_t word = left_.words[token];
        found_ = 0;
        for (int64_t at = known_.starts[word]; at < known_.starts[word + 1]; ++at)
            if (known_.counts[at] - own_[known_.classes[at]] > none) at_[found_++] = at;
        if (!found_) return false;
        for (int64_t base = 0; base < word_bases; ++base) {
            const double information = look(base, token);
            const double grows = base == 1 ? std::log2(1.0 + left_.times[token]) : 1.0;
            const double worth[word_powers] = {grows, grows * std::sqrt(information), grows * information};
            const int64_t first = (known_.blocks[word] * word_bases + base) * word_powers;
            for (size_t i = 0; i < found_; ++i) {
                double* out = pieces + known_.classes[at_[i]] * known_.block_count * word_bases * word_powers + first;
                for (int64_t power = 0; power < word_powers; ++power) out[power] += evidence_[i] * worth[power];
            }
        }
        return true;
    }

    // The evidence of the word for every class that has seen it, and its information.
    double look(int64_t base, int64_t token) {
        const int32_t word = left_.words[token];
        const double own = mine(base, token), a = known_.a;
        const double overall = std::max(known_.overall[base * known_.words + word] - own * weight_, 0.0);
        const double* parts = &parts_[(base * known_.block_count + known_.blocks[word]) * known_.width];
        const double* counts = known_.counts + base * known_.cells;
        for (size_t i = 0; i < found_; ++i) {
            const int32_t c = known_.classes[at_[i]];
            const double rest = 1.0 - parts[c];
            counts_[i] = std::max(counts[at_[i]] - own * own_[c], least);
            likely_[i] = a + counts_[i] / parts[c];
            others_[i] = a + (rest > 0.0 ? std::max(overall - counts_[i], 0.0) / rest : 0.0);
        }
        logarithm(likely_.data(), int64_t(found_), logs_.data());
        if (!known_.two) logarithm(others_.data(), int64_t(found_), others_.data());
        const double usual = a + overall, log_usual = std::log(usual);
        double information = 0.0, seen = 0.0;
        for (size_t i = 0; i < found_; ++i) {
            const double part = parts[known_.classes[at_[i]]];
            const bool rounded = counts_[i] > overall;
            const double all = rounded ? a + counts_[i] : usual, log_all = rounded ? std::log(all) : log_usual;
            evidence_[i] = logs_[i] - log_a_ - (known_.two ? 0.0 : others_[i] - log_all);
            information += part * likely_[i] / all * (logs_[i] - log_all);
            seen += part;
        }
        const double share = a / (a + overall);
        information += (1.0 - seen) * share * std::log(share);
        return information > rounding ? information : 0.0;
    }

    const CountedWords& known_;
    const LeftDocuments& left_;
    const double log_a_ = std::log(known_.a);
    std::vector<double> parts_;
    std::vector<int64_t> at_;  // the cells of a word that other documents have, and for each …
    std::vector<double> counts_, likely_, others_, logs_, evidence_;
    size_t found_ = 0;
    const double* own_ = nullptr;
    double weight_ = 0.0;
};

}  // namespace

void left_pieces(const CountedWords& known, const LeftDocuments& left, double* pieces, double* lengths) {
    const int64_t size = known.width * known.block_count * word_bases * word_powers;
    std::fill(pieces, pieces + left.documents * size, 0.0);
    Leaving leaving(known, left);
    Patience patience;
    for (int64_t document = 0; document < left.documents; ++document) {
        patience.spend(size + 100 * (left.starts[document + 1] - left.starts[document]));
        lengths[document] = leaving(document, pieces + document * size);
    }
}

}  // namespace tallybayes
