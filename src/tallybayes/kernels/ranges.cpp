#include "ranges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "values.hpp"

namespace tallybayes {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();  // half of which is zero

// The key of the smallest rounded value that is not below the bound.
int64_t key_from(double bound, int shift) {
    const int64_t key = value_key(bound, shift);
    const double value = std::bit_cast<double>(std::abs(key) << shift);
    return key + ((key < 0 ? -value : value) < bound);
}

// The smallest number that rounds to a key or to a later one.
double least_of(int64_t key, int shift) {
    const int64_t half = (int64_t(1) << shift) >> 1;
    const auto number = [](int64_t bits) { return std::bit_cast<double>(std::clamp(bits, int64_t(0), largest_bits)); };
    return key > 0 ? number((key << shift) - half) : -number(((1 - key) << shift) - 1 - half);
}

}  // namespace

int64_t Ranges::of(double value) const { return std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin(); }

Ranges whole_cells(const Counted& column, const std::vector<double>& cuts, int bits) {
    if (!column.size) return {{}, {-INFINITY, INFINITY}, 1.0};
    const int shift = 52 - bits;
    const double first = column.values[0], last = column.values[column.size - 1];
    double half = last / 2.0 - first / 2.0;
    if (half == 0.0) half = first != 0.0 ? std::max(std::abs(first) / 2.0, least) : 0.5;
    const double room = half * std::ldexp(1.0, -bits);  // even a column of zeros has an interval of some width
    const double low = std::min(least_of(key_from(first, shift), shift), first - room);
    const double high = std::max(least_of(key_from(last, shift) + 1, shift), last + room);
    std::vector<double> edges{std::max(low, -largest)};
    std::vector<double> kept;
    double before = -INFINITY;
    for (const double cut : cuts) {
        const double edge = least_of(key_from(cut, shift), shift);
        if (before < edge && low < edge && edge < high) {
            kept.push_back(cut);
            edges.push_back(edge);
        }
        before = edge;
    }
    edges.push_back(std::min(high, largest));
    return {std::move(kept), std::move(edges), half};
}

void add_between(const Counted& column, const std::vector<double>& cuts, std::vector<double>& counts) {
    const size_t classes = size_t(column.classes), start = counts.size();
    counts.resize(start + (cuts.size() + 1) * classes, 0.0);
    const double *value = column.values, *const end = value + column.size, *row = column.counts;
    for (size_t at = 0; at <= cuts.size(); ++at) {
        double* const sums = counts.data() + start + at * classes;
        for (const double stop = at < cuts.size() ? cuts[at] : INFINITY; value < end && *value < stop; ++value)
            for (size_t c = 0; c < classes; ++c) sums[c] += *row++;
    }
}

}  // namespace tallybayes
