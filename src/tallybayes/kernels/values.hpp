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

// Writes the values of keys, and their counts in some classes, from `start` on; keys that were not counted are left out.
// The counts of a key are at its place in the table, whose columns are other classes; −1 is none of these. Returns the end.
struct CountsTable {
    const double* counts;
    int64_t width;
    const int32_t* columns;
    int64_t classes;
};
int64_t gather_counts(const int64_t* keys, const int64_t* places, int64_t size, const CountsTable& table, int bits,
                      int64_t start, double* values, double* counts);

}  // namespace tallybayes
