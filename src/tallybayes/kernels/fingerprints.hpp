// A hash for every row, equal for equal rows on every machine, to choose samples that do not depend on the order of rows.
#pragma once
#include <cstdint>

#include "strings.hpp"

namespace tallybayes {

// Mixes a column into the rows' hashes. All missing numbers are equal, and so are the two zeros.
void mix_numbers(const double* x, int64_t rows, uint64_t* marks);
// The same for dictionary-encoded numbers: each cell is an index, −1 if missing. If any is not, nothing is done: false.
bool mix_codes(const int32_t* codes, int64_t rows, const double* x, int64_t size, uint64_t* marks);
// The same for strings, by their bytes.
void mix_strings(const StringColumn& column, uint64_t* marks);

}  // namespace tallybayes
