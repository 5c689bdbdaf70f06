// Numbers rounded to some bits, and numbered in insertion order.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

constexpr int64_t largest_bits = 0x7FEFFFFFFFFFFFFF;  // of the largest double

// An integer that sorts like the value and is equal for values that agree to 52 − shift significant bits.
int64_t value_key(double x, int shift);

// Keys are integers that sort like the values, equal for values that agree to `bits` significant bits. Each row's code is
// the index of its key; −1 for NaN.
std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes);

// The index of each row's key among distinct ones; −1 for NaN and for others.
void find_values(const double* x, int64_t rows, const int64_t* keys, int64_t size, int bits, int32_t* codes);

}  // namespace tallybayes
