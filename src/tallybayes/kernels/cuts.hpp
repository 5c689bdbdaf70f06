// Where to cut a range of values, given how often each occurred in each class.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// A column: its sorted values, and counts[value, class].
struct Counted {
    const double *values, *counts;
    int64_t size, classes;
};

// How often each value occurred.
std::vector<double> often(const Counted& column);

// How often each class occurred before each value, and in all.
struct Below {
    int64_t size, classes;

    explicit Below(const Counted& column);
    const double* of(int64_t c) const { return sums_.data() + c * (size + 1); }

private:
    std::vector<double> sums_;
};

// Intervals of equal length; of equal count, half-way between the values where the cumulative count is closest to each
// share; by Fayyad and Irani's minimum description length; or whichever of 5 to 80 of equal count, the last, and one for
// each different value makes the classes most likely, where the shares of the classes in an interval have a Dirichlet prior
// around those of the whole column. Fewer than a thousand values are cut by equal count, or each different one apart: they
// cannot tell more.
enum class Method { equal_length, equal_count, mdl, fitted };

struct Cuts {
    std::vector<double> at;
    double nats = 0.0;  // it takes to say where the fitted ones are, if the classes chose them
};

// A cut lies strictly inside the range.
Cuts cut(const Counted& column, Method method, int64_t intervals);

}  // namespace tallybayes
