// Pseudo-counts of levels worked out from the counts themselves: see `families/fitted.py`.
#pragma once
#include <cstdint>

namespace tallybayes {

// Writes one pseudo-count a level, from counts[level][class]; where there is too little to go by, 1 each.
void fit_pseudocounts(const double* counts, int64_t levels, int64_t classes, double* pseudo);

}  // namespace tallybayes
