// The evidence of numbers for each class, and from scores to probabilities.
#pragma once
#include <cstdint>
#include <span>

namespace tallybayes {

// Several columns, or the columns of a matrix that is kept row by row, and for each numbers per class: mean[column][class] and so on. The rows are taken a stretch at a
// time through all columns, so that their scores stay in the nearest cache. Each adds up into scores[class][row] and
// returns how often a value was so far out that it must be looked at: an infinity, or nearly one. A NaN says nothing.
struct Columns {
    std::span<const double* const> x;  // of a matrix, all of its columns in order
    int64_t step;  // from one value of a column to the next
    int64_t rows;
    int64_t classes;
    double* scores;
    int64_t stride;
};

// constant − ½·(x − mean)²·precision
int64_t add_normal(const Columns& columns, const double* mean, const double* precision, const double* constant);

// weight · x
void add_linear(const Columns& columns, const double* weight);

// constant − power·log(1 + (x − mean)²·precision)
int64_t add_student(const Columns& columns, const double* mean, const double* precision, const double* power,
                    const double* constant);

// Each row's class of the highest score. Returns how many rows had −∞ everywhere; theirs are meaningless.
int64_t most_probable(const double* scores, int64_t stride, int64_t rows, int64_t classes, int64_t* out);

// out[row][class] = exp(score) / Σ exp(score). Returns how many rows had −∞ everywhere; theirs are meaningless. The
// scores are overwritten.
int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out);

}  // namespace tallybayes
