// The intervals of a column that was cut, their counts, and where they end for values that are not rounded.
#pragma once
#include <cstdint>
#include <vector>

#include "cuts.hpp"

namespace tallybayes {

struct Ranges {
    std::vector<double> cuts;  // with values on both sides
    std::vector<double> edges;  // that new values are compared with, one more than intervals
    double half;  // half the range of the values; half the value itself if all are equal

    int64_t size() const { return int64_t(edges.size()) - 1; }
    int64_t of(double value) const;  // the interval of a counted value
};

// Intervals are made of whole steps of the rounding to so many bits, so that new values fall into the interval in which
// their rounded value was counted.
Ranges whole_cells(const Counted& column, const std::vector<double>& cuts, int bits);

// Appends counts[interval, class] of the intervals between these cuts, summed in the order of the values.
void add_between(const Counted& column, const std::vector<double>& cuts, std::vector<double>& counts);

}  // namespace tallybayes
