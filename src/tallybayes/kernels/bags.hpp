// Sparse vectors of counts: counting them by class, and summing their evidence.
#pragma once
#include <cstdint>
#include <limits>

namespace tallybayes {

// Rows of a sparse matrix: row i has positions and values starts[i] … starts[i+1]. What is absent is zero.
struct Bags {
    const int64_t* starts;
    const int32_t* positions;
    const double* values;
    int64_t rows;
};

// What kind of numbers these are. NaN is skipped.
struct Kind {
    int64_t bad = -1;    // the first that is negative or infinite, or −1
    bool whole = true;   // whole numbers below 2^31
    double least = std::numeric_limits<double>::infinity(), most = 0.0;  // of those above zero
};
Kind kind_of(const double* values, int64_t count);

// Where counts are added: [position][class], `size` limbs from `low` each; whole numbers have one limb at 0.
struct BagCounts {
    int64_t* n;
    int64_t* documents;
    int64_t size;
    int low;
    int64_t width;      // classes
    int64_t positions;
};

// Sums values, and counts those above zero. Rows with a negative class, positions beyond the last and NaN are skipped.
void count_bags(const Bags& bags, const int32_t* classes, const BagCounts& counts);

// The same for a matrix of whole numbers without missing ones; returns whether it was one, and counts nothing if not.
bool count_matrix(const double* values, int64_t rows, int64_t columns, const int32_t* classes, int64_t width, int64_t* n,
                  int64_t* documents);

// Adds Σ value · table[position][class] to scores[class][row]; with `once` a value above zero counts as one. Zeros, NaN
// and positions beyond the table add nothing.
void add_bags(const Bags& bags, const double* table, int64_t positions, int64_t width, bool once, double* scores,
              int64_t stride);

}  // namespace tallybayes
