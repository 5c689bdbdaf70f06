// Numbers as repeated values: rounded to so many binary digits, and numbered in insertion order.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Keys are whole numbers in the order of the values, equal for values that are equal to `bits` binary digits. Each
// row's code is the place of its key; −1 for NaN.
std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes);

// Cuts half-way between neighbouring sorted values, where the cumulative count is closest to each share of the whole.
// Counts are by value and class.
std::vector<double> equal_count(const double* values, const double* counts, int64_t size, int64_t classes, int64_t intervals);

}  // namespace tallybayes
