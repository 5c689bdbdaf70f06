// A hash for every row, equal for equal rows on every machine, by which samples are chosen whatever the rows' order.
#pragma once
#include <cstdint>

#include "strings.hpp"

namespace tallybayes {

// Mixes a column into the rows' hashes. All missing numbers are equal, and so are the two zeros.
void mix_numbers(const double* x, int64_t rows, uint64_t* marks);
// The same for strings, by their bytes.
void mix_strings(const StringColumn& column, uint64_t* marks);

}  // namespace tallybayes
