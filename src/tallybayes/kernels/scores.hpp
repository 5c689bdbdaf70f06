// The evidence of numbers for each class, and from scores to probabilities.
#pragma once
#include <cstdint>
#include <span>

#include "centre.hpp"

namespace tallybayes {

// Several columns, or the columns of a row-major matrix, with parameters mean[column][class] and so on. Rows are processed
// in stretches through all columns, so that their scores stay in the L1 cache. Each function adds to scores[class][row]
// and returns how many values were infinite, or nearly so, and must be checked. A NaN adds nothing. Weighed, with
// thetas[column][class], the evidence of each column is centred and clipped before it is added.
struct Columns {
    std::span<const double* const> x;  // for a matrix, all of its columns in order
    int64_t step;  // between consecutive values of a column
    int64_t rows;
    int64_t classes;
    double* scores;
    int64_t stride;
    Weighing weighing = {nullptr, 0.0};
};

// constant − ½·(x − mean)²·precision
int64_t add_normal(const Columns& columns, const double* mean, const double* precision, const double* constant);

// weight · x; never weighed
void add_linear(const Columns& columns, const double* weight);

// constant − power·log(1 + (x − mean)²·precision)
int64_t add_student(const Columns& columns, const double* mean, const double* precision, const double* power,
                    const double* constant);

// The class with the highest score of each row. Returns how many rows had −∞ everywhere; theirs are meaningless.
int64_t most_probable(const double* scores, int64_t stride, int64_t rows, int64_t classes, int64_t* out);

// out[row][class] = exp(score) / Σ exp(score). Returns how many rows had −∞ everywhere; theirs are meaningless. The
// scores are overwritten.
int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out);

}  // namespace tallybayes
