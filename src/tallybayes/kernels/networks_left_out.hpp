// Leave-one-out of dependent columns: each row scored by the counts without it.
#pragma once
#include <cstdint>

#include "pair_counts.hpp"

namespace tallybayes {

// How counts become probabilities. Every level of a column has pseudo-counts: each[column], and `shared` times its
// share of all rows. P(level | parent) is shrunk towards P(level) with the weight of `m` rows; with m = 0 it has
// pseudo-counts instead. If missing cells are `ignored`, they do not count as a level.
struct Smoothing {
    const double* each;
    double shared, m;
    bool ignored;
};

struct PairSums {
    PairLayout layout;
    const double* counts;    // [position][class]
    const double* wholes;    // [column][class]: rows with a level that is not ignored
    const int64_t* levels;   // the number of seen levels of each column
    int64_t width;           // classes
    Smoothing smoothing;
};

// Writes the evidence, evidence[row][class]. A row's weight, or one, is subtracted from the counts of its class. Each column
// depends on up to two others, parents[2 · column] and the next; negative: none.
void leave_out_network(const PairSums& sums, const int64_t* parents, const uint8_t* codes, int64_t rows,
                       const int32_t* classes, const double* weights, double* evidence);

// The same with each column in turn as the parent of all others that it is counted with.
void leave_out_averaged(const PairSums& sums, const uint8_t* codes, int64_t rows, const int32_t* classes,
                        const double* weights, double* evidence);

// The same with each pair of columns in turn as the parents.
void leave_out_averaged_by_two(const PairSums& sums, const uint8_t* codes, int64_t rows, const int32_t* classes,
                               const double* weights, double* evidence);

}  // namespace tallybayes
