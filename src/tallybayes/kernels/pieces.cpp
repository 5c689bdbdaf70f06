#include "pieces.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "logarithm.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double none = 1e-9;       // a smaller remainder of a sum of weights is zero up to rounding
constexpr double least = 1e-12;     // lower bound of counts and shares
constexpr double rounding = 1e-14;  // is not information; the root of it would be far larger
constexpr int64_t together = 64;    // words whose logarithms are computed together
constexpr int64_t ahead = 16;       // words whose cells are prefetched

// The share π of a class in the counts of a block, its reciprocal, and that of 1 − π, or 0; known for one document.
struct Share {
    double part, inverse, inverse_rest;
    int64_t document = -1;
};

class Leaving {
public:
    Leaving(const CountedWords& known, const LeftDocuments& left, const double* theta)
        : known_(known), left_(left), theta_(theta), shares_(size_t(word_bases * known.block_count * known.width)),
          taken_(size_t(word_bases * known.block_count)), sums_(taken_.size()) {}

    // The evidence of one document's words, and how many of them occur in others.
    double operator()(int64_t document, double* pieces) {
        document_ = document;
        own_ = left_.own + document * known_.width;
        const int64_t first = left_.starts[document], last = left_.starts[document + 1];
        leave(first, last);
        double met = 0.0;
        for (int64_t at = first; at < last; at += together) {
            find_cells(at, std::min(at + together, last));
            met += double(words_.size());
            for (int64_t base = 0; base < word_bases; ++base) add_evidence(base, pieces);
        }
        return met;
    }

private:
    struct Word {
        int64_t token;
        size_t first, last;  // its cells in the stretch
    };
    struct Cell {
        int64_t at;
        int32_t label;
    };

    double mine(int64_t base, int64_t token) const {
        const double scale = known_.scale[base * known_.block_count + known_.blocks[left_.words[token]]];
        return scale * (base == 0 ? 1.0 : base == 1 ? left_.times[token] : left_.share[token]);
    }

    // Finds the weight of the document, its words in each block, and the counts of all others.
    void leave(int64_t first, int64_t last) {
        std::fill(taken_.begin(), taken_.end(), 0.0);
        for (int64_t at = first; at < last; ++at)
            for (int64_t base = 0; base < word_bases; ++base)
                taken_[base * known_.block_count + known_.blocks[left_.words[at]]] += mine(base, at);
        weight_ = 0.0;
        for (int64_t c = 0; c < known_.width; ++c) weight_ += own_[c];
        for (size_t row = 0; row < sums_.size(); ++row) {
            sums_[row] = 0.0;
            for (int32_t c = 0; c < known_.width; ++c) sums_[row] += left_of(int64_t(row), c);
        }
    }

    // The count of a class without the document.
    double left_of(int64_t row, int32_t label) const {
        return std::max(known_.totals[row * known_.width + label] - taken_[size_t(row)] * own_[label], 0.0);
    }

    // The share of a class without the document.
    const Share& share(int64_t row, int32_t label) {
        Share& found = shares_[size_t(row * known_.width + label)];
        if (found.document == document_) return found;
        const double part = std::max(sums_[row] > 0.0 ? left_of(row, label) / sums_[row] : 0.0, least), rest = 1.0 - part;
        found = {part, 1.0 / part, rest > 0.0 ? 1.0 / rest : 0.0, document_};
        return found;
    }

    // Finds the cells of some words that other documents have.
    void find_cells(int64_t first, int64_t last) {
        words_.clear();
        cells_.clear();
        for (int64_t token = first; token < last; ++token) {
            if (token + ahead < last) __builtin_prefetch(known_.counts + word_bases * known_.starts[left_.words[token + ahead]]);
            const size_t start = cells_.size();
            const int32_t word = left_.words[token];
            for (int64_t at = known_.starts[word]; at < known_.starts[word + 1]; ++at) {
                const int32_t label = known_.classes[at];
                if (known_.counts[word_bases * at] - own_[label] > none) cells_.push_back({at, label});
            }
            if (cells_.size() > start) words_.push_back({token, start, cells_.size()});
        }
        for (auto* each : {&counts_, &parts_, &likely_, &logs_, &others_}) each->resize(cells_.size());
        for (auto* each : {&usual_, &log_usual_}) each->resize(words_.size());
    }

    // Adds the evidence of these words for every class that has seen them.
    void add_evidence(int64_t base, double* pieces) {
        for (size_t i = 0; i < words_.size(); ++i) find_counts(base, words_[i], usual_[i]);
        logarithm(usual_.data(), int64_t(usual_.size()), log_usual_.data());
        logarithm(likely_.data(), int64_t(likely_.size()), logs_.data());
        if (!known_.two) logarithm(others_.data(), int64_t(others_.size()), others_.data());
        for (size_t i = 0; i < words_.size(); ++i) add_word(base, words_[i], usual_[i], log_usual_[i], pieces);
    }

    // q / π and (1 − q) / (1 − π) of a word's cells, and the count of all of them, with smoothing.
    void find_counts(int64_t base, const Word& word, double& usual) {
        const int32_t number = left_.words[word.token];
        const int64_t row = base * known_.block_count + known_.blocks[number];
        const double own = mine(base, word.token), a = known_.a;
        double overall = std::max(known_.overall[word_bases * number + base] - own * weight_, 0.0);
        for (size_t i = word.first; i < word.last; ++i) {
            const auto [at, label] = cells_[i];
            counts_[i] = std::max(known_.counts[word_bases * at + base] - own * own_[label], least);
            overall = std::max(overall, counts_[i]);  // which may have been rounded
        }
        for (size_t i = word.first; i < word.last; ++i) {
            const auto& [part, inverse, inverse_rest, _] = share(row, cells_[i].label);
            parts_[i] = part;
            likely_[i] = a + counts_[i] * inverse;
            others_[i] = a + (overall - counts_[i]) * inverse_rest;
        }
        usual = a + overall;
    }

    void add_word(int64_t base, const Word& word, double usual, double log_usual, double* pieces) {
        double information = 0.0, seen = 0.0;
        for (size_t i = word.first; i < word.last; ++i) {
            information += parts_[i] * likely_[i] * (logs_[i] - log_usual);
            seen += parts_[i];
            logs_[i] -= log_a_ + (known_.two ? 0.0 : others_[i] - log_usual);  // the evidence
        }
        information = (information + (1.0 - seen) * known_.a * (log_a_ - log_usual)) / usual;
        information = information > rounding ? information : 0.0;
        const double times = left_.times[word.token], grows = base == 1 && times != 1.0 ? std::log2(1.0 + times) : 1.0;
        const double worth[word_powers] = {grows, grows * std::sqrt(information), grows * information};
        const int64_t first = (known_.blocks[left_.words[word.token]] * word_bases + base) * word_powers;
        if (theta_) {
            double factor = 0.0;
            for (int64_t power = 0; power < word_powers; ++power) factor += theta_[first + power] * worth[power];
            for (size_t i = word.first; i < word.last; ++i) pieces[cells_[i].label] += logs_[i] * factor;
            return;
        }
        const int64_t step = known_.block_count * word_bases * word_powers;
        for (size_t i = word.first; i < word.last; ++i) {
            double* out = pieces + cells_[i].label * step + first;
            for (int64_t power = 0; power < word_powers; ++power) out[power] += logs_[i] * worth[power];
        }
    }

    const CountedWords& known_;
    const LeftDocuments& left_;
    const double* theta_;  // the weight of every piece, if their sum is asked for
    const double log_a_ = std::log(known_.a);
    std::vector<Share> shares_;
    std::vector<double> taken_, sums_;  // [base × block]: what the document adds, and what others do
    std::vector<Word> words_;  // of the stretch, those that other documents have …
    std::vector<Cell> cells_;  // … and their cells
    std::vector<double> counts_, parts_, likely_, logs_, others_, usual_, log_usual_;
    int64_t document_ = -1;
    const double* own_ = nullptr;
    double weight_ = 0.0;
};

}  // namespace

void left_pieces(const CountedWords& known, const LeftDocuments& left, const double* theta, double* pieces, double* lengths) {
    const int64_t size = known.width * (theta ? 1 : known.block_count * word_bases * word_powers);
    std::fill(pieces, pieces + left.documents * size, 0.0);
    Leaving leaving(known, left, theta);
    Patience patience;
    for (int64_t document = 0; document < left.documents; ++document) {
        patience.spend(size + 100 * (left.starts[document + 1] - left.starts[document]));
        lengths[document] = leaving(document, pieces + document * size);
    }
}

}  // namespace tallybayes
