// Products of two columns of a matrix, without rounding: a double and a rest that is one too.
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

}  // namespace tallybayes
