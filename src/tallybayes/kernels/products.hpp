// Exact products: of two columns of a matrix, as a rounded double and its error, which is a double too; and sums of
// them.
#pragma once
#include <cstdint>

namespace tallybayes {

struct PairsOfColumns {
    const int32_t* firsts;
    const int32_t* seconds;
    int64_t count;
};

// For every row of a matrix, the rounded products of these pairs of columns, followed by their rounding errors. Returns
// whether all are exact: near the ends of the doubles' range they may not be.
bool exact_products(const double* values, int64_t rows, int64_t columns, const PairsOfColumns& pairs, double* out);

// Adds a·b·c row by row into limbs[code], each `size` limbs from `low`; b and c may be null. A row with a negative
// code or a NaN is skipped.
void sum_products(const double* a, const double* b, const double* c, const int32_t* codes, int64_t rows,
                  int64_t* limbs, int low, int64_t size);

}  // namespace tallybayes
