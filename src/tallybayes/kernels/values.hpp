// Numbers as values that come again: rounded to so many binary digits, and numbered in the order they were met.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Keys are whole numbers in the order of the values, equal for values that are equal to `bits` binary digits. Each
// row's code is the place of its key; −1 for NaN.
std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes);

}  // namespace tallybayes
