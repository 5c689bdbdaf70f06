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
constexpr int64_t together = 64;  // words whose logarithms are computed together
constexpr int64_t ahead = 16;     // words whose cells are prefetched

// The share π of a class in the counts of a block, its reciprocal, and that of 1 − π, or 0.
struct Share {
    double part, inverse, inverse_rest;
};

class Leaving {
public:
    Leaving(const CountedWords& known, const LeftDocuments& left)
        : known_(known), left_(left), shares_(size_t(word_bases * known.block_count * known.width)) {}

    // The evidence of one document's words, and how many of them occur in others.
    double operator()(int64_t document, double* pieces) {
        own_ = left_.own + document * known_.width;
        weight_ = 0.0;
        for (int64_t c = 0; c < known_.width; ++c) weight_ += own_[c];
        const int64_t first = left_.starts[document], last = left_.starts[document + 1];
        find_shares(first, last);
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

    // The shares of the classes without the document.
    void find_shares(int64_t first, int64_t last) {
        taken_.assign(size_t(word_bases * known_.block_count), 0.0);
        for (int64_t at = first; at < last; ++at)
            for (int64_t base = 0; base < word_bases; ++base)
                taken_[base * known_.block_count + known_.blocks[left_.words[at]]] += mine(base, at);
        for (size_t row = 0; row < taken_.size(); ++row) {
            const double* totals = known_.totals + int64_t(row) * known_.width;
            Share* shares = &shares_[row * known_.width];
            double sum = 0.0;
            for (int64_t c = 0; c < known_.width; ++c) sum += shares[c].part = std::max(totals[c] - taken_[row] * own_[c], 0.0);
            for (int64_t c = 0; c < known_.width; ++c) {
                const double part = std::max(sum > 0.0 ? shares[c].part / sum : 0.0, least), rest = 1.0 - part;
                shares[c] = {part, 1.0 / part, rest > 0.0 ? 1.0 / rest : 0.0};
            }
        }
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
        const double own = mine(base, word.token), a = known_.a;
        double overall = std::max(known_.overall[word_bases * number + base] - own * weight_, 0.0);
        const Share* shares = shares_of(base, number);
        for (size_t i = word.first; i < word.last; ++i) {
            const auto [at, label] = cells_[i];
            const double n = std::max(known_.counts[word_bases * at + base] - own * own_[label], least);
            overall = std::max(overall, n);  // which may have been rounded
            counts_[i] = n;
            parts_[i] = shares[label].part;
            likely_[i] = a + n * shares[label].inverse;
        }
        if (!known_.two)
            for (size_t i = word.first; i < word.last; ++i)
                others_[i] = a + (overall - counts_[i]) * shares[cells_[i].label].inverse_rest;
        usual = a + overall;
    }

    void add_word(int64_t base, const Word& word, double usual, double log_usual, double* pieces) {
        const int32_t number = left_.words[word.token];
        double information = 0.0, seen = 0.0;
        for (size_t i = word.first; i < word.last; ++i) {
            information += parts_[i] * likely_[i] * (logs_[i] - log_usual);
            seen += parts_[i];
        }
        information = std::max((information + (1.0 - seen) * known_.a * (log_a_ - log_usual)) / usual, 0.0);
        const double times = left_.times[word.token], grows = base == 1 && times != 1.0 ? std::log2(1.0 + times) : 1.0;
        const double some = grows * std::sqrt(information), more = grows * information;
        double* first = pieces + (known_.blocks[number] * word_bases + base) * word_powers;
        const int64_t step = known_.block_count * word_bases * word_powers;
        for (size_t i = word.first; i < word.last; ++i) {
            const double evidence = logs_[i] - log_a_ - (known_.two ? 0.0 : others_[i] - log_usual);
            double* out = first + cells_[i].label * step;
            out[0] += evidence * grows;
            out[1] += evidence * some;
            out[2] += evidence * more;
        }
    }

    const Share* shares_of(int64_t base, int32_t word) const {
        return &shares_[size_t((base * known_.block_count + known_.blocks[word]) * known_.width)];
    }

    const CountedWords& known_;
    const LeftDocuments& left_;
    const double log_a_ = std::log(known_.a);
    std::vector<Share> shares_;
    std::vector<double> taken_;
    std::vector<Word> words_;  // of the stretch, those that other documents have …
    std::vector<Cell> cells_;  // … and their cells
    std::vector<double> counts_, parts_, likely_, logs_, others_, usual_, log_usual_;
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
