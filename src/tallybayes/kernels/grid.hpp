// The values of a column on a grid of equal steps, on a scale that is linear among most of them and logarithmic far out;
// and the smooth density under which the classes of left-out values are most probable, as counts of intervals.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cuts.hpp"
#include "ranges.hpp"

namespace tallybayes {

// t = arsinh z with z = (x − median) / spread, where the spread is half the interquartile range.
struct Scale {
    double median, spread, log_spread;

    double of(double x) const;
    double back(double t) const;
};

// A value that stands out from its neighbours is kept apart, and is not smoothed.
struct Apart {
    double value, low, high;  // half-way to its neighbours; infinite where there is none
    const double* counts;  // in every class
};

struct Grid {
    Scale scale;
    double low, high, step;  // on the stretched scale; what lies beyond is in the outermost cells
    std::vector<double> inner;  // the edges between cells, as numbers
    std::vector<double> counts;  // [cell, class]
    std::vector<Apart> apart;
    int64_t classes;

    // None if there are too few different values to smooth.
    static std::optional<Grid> of(const Counted& column);

    int64_t cells() const { return int64_t(inner.size()) + 1; }
    double edge(int64_t at) const { return at < cells() ? double(at) * step + low : high; }
    double place(double x) const;  // where a number is on the grid, in cells
    std::vector<double> cuts() const;  // at the edges of the cells, and on both sides of the values kept apart

    // full[density, cell, class], and the same without a value of this weight in that cell and class: `smooth_densities`.
    void densities(double weight, std::vector<double>& full, std::vector<double>& left, double* parameters) const;
};

// The best density of a grid, with a preference for few parameters; the lowest loss of all; and the counts of the cells.
struct Best {
    int64_t density;
    double loss;
    std::vector<double> counts;
};
Best best_density(const Grid& grid);

// Intervals of a column, with counts[interval, class] and pseudo-counts.
struct Intervals {
    Ranges ranges;
    std::vector<double> counts, pseudo;
};

// Counts of the grid's cells as counts of intervals.
Intervals in_intervals(const Grid& grid, const std::vector<double>& smoothed, const Counted& column, int bits);

// The best density, if it predicts the classes better than plain intervals whose cuts it took so many nats to choose.
struct Smooth {
    int64_t density;
    Intervals intervals;
};
std::optional<Smooth> smooth_if_better(const Counted& column, const Intervals& plain, double nats, int bits);

// The counts of smoothed intervals without a value of this weight in the same interval and class.
void leave_out_smoothed(const Grid& grid, int64_t density, double weight, const Ranges& ranges, const double* counts,
                        double* rest);

}  // namespace tallybayes
