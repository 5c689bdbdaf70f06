// Exact sums by class: Σx and Σx² of a column.
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

}  // namespace tallybayes
