#include "shares.hpp"

#include <algorithm>
#include <cmath>

#include "limbs.hpp"
#include "pages.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

using Wide = unsigned __int128;

// What is counted of one word in the class at hand.
struct Cell {
    Wide n = 0;      // in units of 2^-32
    Wide share = 0;  // in units of 2^-96
    uint64_t documents = 0;
};

struct Entry {
    int64_t row;
    uint64_t units;
};

// The documents of each class that have a share in it.
std::vector<std::vector<Entry>> by_class(const Shares& shares, int64_t rows) {
    std::vector<std::vector<Entry>> found(static_cast<size_t>(shares.width));
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t at = shares.starts[row]; at < shares.starts[row + 1]; ++at)
            if (shares.units[at] > 0) found[size_t(shares.classes[at])].push_back({row, uint64_t(shares.units[at])});
    return found;
}

// One word's part of each document, cut off at 2^-64.
std::vector<Wide> parts_of(const ListedWords& listed) {
    std::vector<Wide> parts(size_t(listed.rows), 0);
    for (int64_t row = 0; row < listed.rows; ++row) {
        uint64_t length = 0;
        for (int64_t i = listed.starts[row]; i < listed.starts[row + 1]; ++i) length += uint64_t(listed.counts[i]);
        if (length) parts[size_t(row)] = (Wide(1) << 64) / length;
    }
    return parts;
}

void add_limbs(std::vector<int64_t>& limbs, Wide value, int count) {
    for (int i = 0; i < count; ++i) limbs.push_back(int64_t(uint64_t(value >> (32 * i)) & 0xffffffff));
}

}  // namespace

SharedWords count_shared(const ListedWords& listed, const Shares& shares) {
    SharedWords result;
    Pages<Cell> cells(size_t(listed.size));
    std::vector<int32_t> met;
    const auto parts = parts_of(listed);
    const auto entries = by_class(shares, listed.rows);
    Patience patience;
    for (int32_t class_ = 0; class_ < shares.width; ++class_) {
        for (const Entry& entry : entries[size_t(class_)]) {
            const int64_t first = listed.starts[entry.row], last = listed.starts[entry.row + 1];
            patience.spend(last - first);
            for (int64_t i = first; i < last; ++i) {
                Cell& cell = cells[size_t(listed.words[i])];
                if (!cell.documents) met.push_back(listed.words[i]);
                const auto times = uint64_t(listed.counts[i]);
                cell.n += Wide(times) * entry.units;
                cell.share += parts[size_t(entry.row)] * times * entry.units;
                cell.documents += entry.units;
            }
        }
        sort_in_stretches(met.begin(), met.end());
        for (const int32_t word : met) {
            Cell& cell = cells[size_t(word)];
            result.words.push_back(word);
            result.classes.push_back(class_);
            add_limbs(result.n, cell.n, SharedWords::n_limbs);
            add_limbs(result.documents, cell.documents, SharedWords::document_limbs);
            add_limbs(result.shares, cell.share, SharedWords::share_limbs);
            cell = Cell{};
        }
        met.clear();
    }
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
