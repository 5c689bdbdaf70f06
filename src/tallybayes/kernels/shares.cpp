#include "shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "limbs.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

using Wide = unsigned __int128;

// The sums of one word in one class.
struct Cell {
    Wide n = 0;      // in units of 2^-32
    Wide share = 0;  // in units of 2^-96
    uint64_t documents = 0;
};

// A document that has a word, and how often.
struct Posting {
    int64_t row;
    uint64_t times;
};

// The number of words of each document.
std::vector<uint64_t> lengths_of(const ListedWords& listed) {
    std::vector<uint64_t> lengths(size_t(listed.rows), 0);
    for (int64_t row = 0; row < listed.rows; ++row)
        for (int64_t i = listed.starts[row]; i < listed.starts[row + 1]; ++i) lengths[size_t(row)] += uint64_t(listed.counts[i]);
    return lengths;
}

// The documents of each word, sorted by length; and where those of each word start.
struct Postings {
    std::vector<Posting> postings;
    std::vector<int64_t> starts;

    Postings(const ListedWords& listed, const std::vector<uint64_t>& lengths)
        : postings(size_t(listed.starts[listed.rows])), starts(size_t(listed.size) + 1, 0) {
        std::vector<int64_t> order(size_t(listed.rows));
        std::iota(order.begin(), order.end(), 0);
        sort_in_stretches(order.begin(), order.end(), [&](int64_t one, int64_t other) {
            return std::pair(lengths[size_t(one)], one) < std::pair(lengths[size_t(other)], other);
        });
        for (size_t i = 0; i < postings.size(); ++i) ++starts[size_t(listed.words[i]) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        auto next = starts;
        for (const int64_t row : order)
            for (int64_t i = listed.starts[row]; i < listed.starts[row + 1]; ++i)
                postings[size_t(next[size_t(listed.words[i])]++)] = {row, uint64_t(listed.counts[i])};
    }
};

// Sums every word by class. Documents of equal length are added up before they are multiplied by the share of one word.
class WordCounter {
public:
    explicit WordCounter(const Shares& shares)
        : shares_(shares), cells_(size_t(shares.width)), documents_(size_t(shares.width), 0), again_(size_t(shares.width), 0) {}

    void add(std::span<const Posting> postings, uint64_t length) {
        int64_t entries = 0;
        for (const Posting& posting : postings) {
            const int64_t first = shares_.starts[posting.row], last = shares_.starts[posting.row + 1];
            for (int64_t at = first; at < last; ++at) documents_[size_t(shares_.classes[at])] += uint64_t(shares_.units[at]);
            if (posting.times > 1)
                for (int64_t at = first; at < last; ++at)
                    again_[size_t(shares_.classes[at])] += Wide(posting.times - 1) * uint64_t(shares_.units[at]);
            entries += last - first;
        }
        patience_.spend(entries);
        const Wide part = (Wide(1) << 64) / length;  // the share of one word, truncated to 2^-64
        if (entries >= shares_.width)
            for (int32_t class_ = 0; class_ < shares_.width; ++class_) end_length(class_, part);
        else
            for (const Posting& posting : postings)
                for (int64_t at = shares_.starts[posting.row]; at < shares_.starts[posting.row + 1]; ++at)
                    end_length(shares_.classes[at], part);
    }

    void end_word(int32_t word, std::vector<Cell>& cells, SharedWords& result) {
        std::sort(met_.begin(), met_.end());
        for (const int32_t class_ : met_) {
            result.words.push_back(word);
            result.classes.push_back(class_);
            cells.push_back(cells_[size_t(class_)]);
            cells_[size_t(class_)] = Cell{};
        }
        met_.clear();
    }

private:
    void end_length(int32_t class_, Wide part) {
        uint64_t& documents = documents_[size_t(class_)];
        if (!documents) return;
        Cell& cell = cells_[size_t(class_)];
        if (!cell.documents) met_.push_back(class_);
        const Wide n = documents + again_[size_t(class_)];
        cell.n += n;
        cell.share += part * n;
        cell.documents += documents;
        documents = 0;
        again_[size_t(class_)] = 0;
    }

    const Shares& shares_;
    std::vector<Cell> cells_;
    std::vector<uint64_t> documents_;  // of equal length that have the word
    std::vector<Wide> again_;          // their occurrences of it beyond the first
    std::vector<int32_t> met_;
    Patience patience_;
};

std::vector<Cell> count_words(const ListedWords& listed, const Shares& shares, SharedWords& result) {
    const auto lengths = lengths_of(listed);
    const Postings found(listed, lengths);
    const auto length_at = [&](int64_t at) { return lengths[size_t(found.postings[size_t(at)].row)]; };
    std::vector<Cell> cells;
    WordCounter counter(shares);
    for (int64_t word = 0; word < listed.size; ++word) {
        const int64_t last = found.starts[size_t(word) + 1];
        for (int64_t at = found.starts[size_t(word)], next; at < last; at = next) {
            next = at + 1;
            while (next < last && length_at(next) == length_at(at)) ++next;
            counter.add({found.postings.data() + at, size_t(next - at)}, length_at(at));
        }
        counter.end_word(int32_t(word), cells, result);
    }
    return cells;
}

// All sums as limbs, as many as the largest needs.
template <class Field>
std::vector<int64_t> limbs_of(const std::vector<Cell>& cells, Field field) {
    Wide all = 0;
    for (const Cell& cell : cells) all |= Wide(cell.*field);
    int size = 1;
    while (size < 4 && all >> (32 * size)) ++size;
    std::vector<int64_t> limbs(cells.size() * size_t(size));
    for (size_t at = 0; at < cells.size(); ++at)
        for (int i = 0; i < size; ++i) limbs[at * size_t(size) + size_t(i)] = int64_t(uint64_t(Wide(cells[at].*field) >> (32 * i)) & 0xffffffff);
    return limbs;
}

}  // namespace

SharedWords count_shared(const ListedWords& listed, const Shares& shares) {
    SharedWords result;
    const auto cells = count_words(listed, shares, result);
    result.n = limbs_of(cells, &Cell::n);
    result.documents = limbs_of(cells, &Cell::documents);
    result.shares = limbs_of(cells, &Cell::share);
    return result;
}

void count_units(const int32_t* levels, int64_t rows, const Shares& shares, int64_t* table) {
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        for (; row < last; ++row) {
            if (levels[row] < 0) continue;
            int64_t* cells = table + int64_t(levels[row]) * shares.width;
            for (int64_t at = shares.starts[row]; at < shares.starts[row + 1]; ++at) cells[shares.classes[at]] += shares.units[at];
        }
    });
}

namespace {

// Adds ±word · 2^position, where the word has no more than 97 bits.
inline void add_wide(int64_t* limbs, int position, Wide word, int64_t sign) {
    const Wide shifted = word << (position & 31);
    int64_t* limb = limbs + (position >> 5);
    limb[0] += sign * int64_t(uint64_t(shifted) & 0xffffffffu);
    limb[1] += sign * int64_t(uint64_t(shifted >> 32) & 0xffffffffu);
    limb[2] += sign * int64_t(uint64_t(shifted >> 64) & 0xffffffffu);
    limb[3] += sign * int64_t(uint64_t(shifted >> 96));
}

}  // namespace

void sum_units(const double* values, int64_t rows, int64_t columns, const Shares& shares, int64_t* n, const Window& x,
               const Window& xx) {
    Patience patience;
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t first = shares.starts[row], last = shares.starts[row + 1];
        patience.spend(columns * (last - first));
        for (int64_t column = 0; column < columns; ++column) {
            const double value = values[row * columns + column];
            if (std::isnan(value)) continue;
            const Parts p = parts(value);
            const Wide square = Wide(p.mantissa) * p.mantissa;
            const int64_t sign = p.negative ? -1 : 1;
            const int at_x = p.exponent - 32 - 32 * x.low, at_xx = 2 * p.exponent - 32 - 32 * xx.low;
            for (int64_t at = first; at < last; ++at) {
                const int64_t cell = column * shares.width + shares.classes[at];
                const auto units = uint64_t(shares.units[at]);
                n[cell] += int64_t(units);
                if (!p.mantissa) continue;
                add_wide(x.limbs + cell * x.size, at_x, Wide(p.mantissa) * units, sign);
                if (!xx.limbs) continue;
                add_wide(xx.limbs + cell * xx.size, at_xx, Wide(uint64_t(square)) * units, 1);
                add_wide(xx.limbs + cell * xx.size, at_xx + 64, Wide(uint64_t(square >> 64)) * units, 1);
            }
        }
    }
}

}  // namespace tallybayes
