// A hash for every row, equal for equal rows on every machine, to choose samples that do not depend on the order of rows.
#pragma once
#include <cstdint>
#include <vector>

#include "strings.hpp"

namespace tallybayes {

// A column of numbers, or of dictionary-encoded ones: then each cell is an index, −1 if missing. One pointer is not null.
struct MarkedColumn {
    const double* numbers = nullptr;
    const int8_t* bytes = nullptr;
    const int32_t* codes = nullptr;
    std::vector<double> dictionary;
};

// Mixes columns, one after another, into the rows' hashes. All missing numbers are equal, and so are the two zeros. If a
// cell is no index, nothing is done: false.
bool mix_columns(const std::vector<MarkedColumn>& columns, int64_t rows, uint64_t* marks);
// The same for strings, by their bytes.
void mix_strings(const StringColumn& column, uint64_t* marks);

}  // namespace tallybayes
