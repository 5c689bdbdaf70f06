// Cells that are small whole numbers, or intervals: counting them by class, and looking up their scores.
#pragma once
#include <cstdint>

namespace tallybayes {

// Adds one to counts[code][class] for every row whose codes are both in range: 0 … levels, 0 … width.
template <class Code>  // int8_t or int32_t
void count_codes(const Code* codes, const int32_t* classes, int64_t rows, int64_t levels, int64_t width, int64_t* counts);

// Adds table[code][class] to scores[class][row]; rows whose code is out of range are skipped.
void add_table(const int32_t* codes, int64_t rows, const double* table, int64_t levels, int64_t classes, double* scores,
               int64_t stride);

// The same for codes that are doubles, NaN if missing. Returns how many of the others are not in the table.
int64_t add_table(const double* codes, int64_t rows, const double* table, int64_t levels, int64_t classes, double* scores,
                  int64_t stride);

// The number of sorted cuts that are ≤ each number; −1 for NaN.
void find_intervals(const double* x, int64_t rows, const double* cuts, int64_t count, int32_t* codes);

// The same with one of several lists of cuts for each row; as if the codes of all lists were one after another.
void find_intervals(const double* x, const int32_t* lists, int64_t rows, const double* cuts, const int64_t* ends, int64_t count,
                    int32_t* codes);

// The place of each wanted number among distinct sorted ones; −1 if it is none of them.
void find_keys(const int64_t* wanted, int64_t count, const int64_t* keys, const int64_t* places, int64_t size, int64_t* found);

// Finds each number's interval and adds table[interval][class] to scores[class][row]. Below the first and beyond the last
// edge, for which the table also has rows, 2·log(half + ½·distance) is subtracted for every class. NaN is skipped.
void add_intervals(const double* x, int64_t rows, const double* edges, int64_t count, double half, const double* table,
                   int64_t classes, double* scores, int64_t stride);

// Adds sign · values[i][…] to target[rows[i]][…], for rows of this many numbers. Returns the largest resulting magnitude.
int64_t add_rows(int64_t* target, const int64_t* rows, int64_t count, int64_t width, const int64_t* values, int64_t sign);

}  // namespace tallybayes
