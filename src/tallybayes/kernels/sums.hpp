// Exact sums by class: Σx and Σx² of a column, and Σ of products of columns.
#pragma once
#include <cstdint>

#include "groups.hpp"

namespace tallybayes {

// A matrix of doubles, row by row.
struct Matrix {
    const double* values;
    int64_t columns;
};

// Adds every column into limbs[column][class] (full windows of one and of two factors; squares may be null) and the number
// of its values into n[column][class]. NaN is skipped. Returns the first row that holds an infinity, or -1.
int64_t sum_matrix(const Matrix& matrix, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx);

// Adds a·b·c row by row into limbs[code], each `size` limbs from `low`; b and c may be null. A row with a negative
// code or a NaN is skipped.
void sum_products(const double* a, const double* b, const double* c, const int32_t* codes, int64_t rows,
                  int64_t* limbs, int low, int64_t size);

}  // namespace tallybayes
