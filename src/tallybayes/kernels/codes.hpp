// Which interval each number of a column lies in: what is counted of numbers together with other columns.
#pragma once
#include <cstdint>

namespace tallybayes {

// One more than how many of the sorted edges lie below x, and 0 for a missing number; there are at most 254 edges. Codes of
// one row after the other are `stride` bytes apart.
void code_numbers(const double* x, int64_t rows, const double* edges, int64_t count, uint8_t* codes, int64_t stride);

}  // namespace tallybayes
