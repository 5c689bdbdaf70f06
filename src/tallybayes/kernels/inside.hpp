// Whether a column holds only numbers that its family takes.
#pragma once
#include <cstdint>

namespace tallybayes {

// Whether all are finite, at least `lowest` (above it, if that is `open`), and whole if they must be; NaN is allowed.
bool all_inside(const double* x, int64_t rows, double lowest, bool open, bool whole);

}  // namespace tallybayes
