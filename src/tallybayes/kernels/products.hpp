// Products without rounding: of two columns of a matrix, as a double and a rest that is one too; and sums of them.
#pragma once
#include <cstdint>

namespace tallybayes {

struct PairsOfColumns {
    const int32_t* firsts;
    const int32_t* seconds;
    int64_t count;
};

// For every row of a matrix, the products of these pairs of its columns as they are rounded, and then what the rounding
// left of each. Says whether all are exact: at the ends of the doubles' range, they need not be.
bool exact_products(const double* values, int64_t rows, int64_t columns, const PairsOfColumns& pairs, double* out);

// Adds a·b·c row by row into limbs[code], each `size` limbs from `low`; b and c may be null. A row with a negative
// code or a NaN is skipped.
void sum_products(const double* a, const double* b, const double* c, const int32_t* codes, int64_t rows,
                  int64_t* limbs, int low, int64_t size);

}  // namespace tallybayes
