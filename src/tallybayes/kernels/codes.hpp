// The interval of each number of a column, for counting numbers together with other columns.
#pragma once
#include <cstdint>

namespace tallybayes {

// One more than the number of sorted edges below x, and 0 for a missing number; there are at most 254 edges. Codes of
// consecutive rows are `stride` bytes apart.
void code_numbers(const double* x, int64_t rows, const double* edges, int64_t count, uint8_t* codes, int64_t stride);

}  // namespace tallybayes
