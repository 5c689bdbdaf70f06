// Joint counts of every pair, or triple, of columns of small codes, by class.
#pragma once
#include <cstdint>

namespace tallybayes {

// The layout of the counts. Column j has codes 0 … sizes[j] − 1, counted from position singles[j] on; columns i < j are
// counted together from pairs[i · columns + j] on, a row of sizes[j] for each code of i, or if that is negative, not at
// all. If `triples` are not null, columns i < j < l are counted together from triples[(i · columns + j) · columns + l] on.
struct PairLayout {
    int64_t columns;
    const int64_t* sizes;
    const int64_t* singles;
    const int64_t* pairs;
    const int64_t* triples;
    int64_t positions;  // in total

    int64_t pair(int64_t i, int64_t j) const { return i < j ? pairs[i * columns + j] : pairs[j * columns + i]; }
    int64_t at(int64_t i, int64_t a, int64_t j, int64_t b) const {
        return i < j ? pairs[i * columns + j] + a * sizes[j] + b : pairs[j * columns + i] + b * sizes[i] + a;
    }
    int64_t triple(int64_t i, int64_t j, int64_t l) const { return triples[(i * columns + j) * columns + l]; }
    // The position of column j's code together with those of p and q; and that of another code of column j.
    int64_t at(const uint8_t* codes, int64_t j, int64_t code, int64_t p, int64_t q) const;
};

// Adds one to counts[position][class] for every column and pair of every row; rows without a class, and rows in which all
// codes are 0, are skipped. Codes are row-major bytes, below their sizes.
void count_pairs(const PairLayout& layout, const uint8_t* codes, int64_t rows, const int32_t* classes, int64_t width,
                 int64_t* counts);

}  // namespace tallybayes
