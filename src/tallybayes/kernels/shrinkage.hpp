// Pseudo-counts of levels estimated from the counts themselves: see `families/shrinkage.py`.
#pragma once
#include <cstdint>

namespace tallybayes {

// Writes one pseudo-count per level, from counts[level][class]; 1 each if there is too little data.
void fit_pseudocounts(const double* counts, int64_t levels, int64_t classes, double* pseudo);

// Cells of the counts, each of which is reduced by itself.
struct LeftCells {
    const int32_t* levels;
    const int32_t* classes;
    const double* left;    // what is then left in the cell
    const double* totals;  // and in its class
    int64_t size;
};

// For each of the cells: what all pseudo-counts add up to without it, and which share is its level's. Quickest where
// cells of one class and total come one after the other.
void fit_left_out(const double* counts, int64_t levels, int64_t classes, LeftCells cells, double* worths, double* shares);

}  // namespace tallybayes
