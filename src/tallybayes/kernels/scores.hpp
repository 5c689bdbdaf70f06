// What a number says about each class, and from the sum of all that to probabilities.
#pragma once
#include <cstdint>

namespace tallybayes {

// Both return how many times x was so far out that it must be looked at: an infinity, or nearly one.

// scores[class][row] += constant − ½·(x − mean)²·precision; a NaN says nothing.
int64_t add_normal(const double* x, int64_t rows, const double* mean, const double* precision, const double* constant,
                   int64_t classes, double* scores, int64_t stride);

// scores[class][row] += constant − power·log(1 + (x − mean)²·precision); a NaN says nothing.
int64_t add_student(const double* x, int64_t rows, const double* mean, const double* precision, const double* power,
                    const double* constant, int64_t classes, double* scores, int64_t stride);

// out[row][class] = exp(score) / Σ exp(score). Returns how many rows had −∞ everywhere; they mean nothing.
// The scores are used up.
int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out);

}  // namespace tallybayes
