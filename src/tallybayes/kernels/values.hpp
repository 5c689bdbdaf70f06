// Numbers rounded to some bits, and numbered in insertion order.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Keys are integers that sort like the values, equal for values that agree to `bits` significant bits. Each row's code is
// the index of its key; −1 for NaN.
std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes);

// The index of each row's key among distinct ones; −1 for NaN and for others.
void find_values(const double* x, int64_t rows, const int64_t* keys, int64_t size, int bits, int32_t* codes);

// Cuts half-way between neighbouring sorted values, where the cumulative count is closest to each share of the whole.
// Counts are by value and class.
std::vector<double> equal_count(const double* values, const double* counts, int64_t size, int64_t classes, int64_t intervals);

}  // namespace tallybayes
