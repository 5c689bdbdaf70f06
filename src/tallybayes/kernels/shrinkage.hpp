// Pseudo-counts of levels estimated from the counts themselves: see `fitted` in `families/fitted.py`.
#pragma once
#include <cstdint>

namespace tallybayes {

// Writes one pseudo-count per level, from counts[level][class]; 1 each if there is too little data.
void fit_pseudocounts(const double* counts, int64_t levels, int64_t classes, double* pseudo);

// Cells of the counts, each of which is reduced separately.
struct LeftCells {
    const int32_t* levels;
    const int32_t* classes;
    const double* left;    // the remaining count of the cell
    const double* totals;  // the remaining count of its class
    int64_t size;
};

// For each cell: the sum of all pseudo-counts without it, and the share of its level. Fastest if cells of the same class
// and total are consecutive.
void fit_left_out(const double* counts, int64_t levels, int64_t classes, LeftCells cells, double* worths, double* shares);

// How many values, spread like all classes, are added to every level: see `pseudo_of` in `families/fitted.py`. 0 if
// pseudo-counts in proportion to a level's values predict the classes as well.
double fit_strength(const double* counts, int64_t levels, int64_t classes);

// The same without each cell.
void strengths_left_out(const double* counts, int64_t levels, int64_t classes, LeftCells cells, double* strengths);

}  // namespace tallybayes
