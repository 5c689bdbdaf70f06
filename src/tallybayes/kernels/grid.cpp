#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "smoothing.hpp"

namespace tallybayes {
namespace {

constexpr int64_t most_cells = 128, fewer_cells = 64;  // fewer for less than …
constexpr int64_t many = 200;  // … so many different values
constexpr int64_t fewest = 10;  // different values
constexpr double furthest = 5.0;  // on the stretched scale
constexpr double share_to_stand_out = 0.05, as_often = 3.0;  // of all values, and compared with both neighbours
constexpr double price = 0.25;  // nats of left-out loss that a parameter must gain
constexpr double rarest = 1e-9;  // pseudo-count: an interval between two steps of the rounding has no share of the density
constexpr double far = 1e8;  // from here on, z² + 1 is z²
constexpr double least_spread = 1e-300;
constexpr double shares_cut_off[] = {0.25, 0.1, 0.05, 0.01, 0.0};  // on either side, until the rest are not all equal
constexpr double least = std::numeric_limits<double>::min();

// The scale of sorted values, of which so many are not above each.
Scale scale_of(const double* values, const std::vector<double>& below) {
    const double n = below.back();
    const auto value_at = [&](auto found) { return values[size_t(std::min(found, below.end() - 1) - below.begin())]; };
    const auto at = [&](double share) { return value_at(std::lower_bound(below.begin(), below.end(), n * share)); };
    const double median = at(0.5) / 2.0 + value_at(std::upper_bound(below.begin(), below.end(), n * 0.5)) / 2.0;
    double half = 0.0;
    for (const double share : shares_cut_off)
        if (half == 0.0) half = at(1.0 - share) / 2.0 - at(share) / 2.0;
    if (half == 0.0) half = values[0] != 0.0 ? std::abs(values[0]) : 1.0;
    const double spread = std::max(half, least_spread);
    return {median, spread, std::log(spread / 2.0)};
}

// The values that stand out from their neighbours.
std::vector<Apart> apart_from(const Counted& column, const std::vector<double>& together) {
    std::vector<Apart> found;
    const double least_often = share_to_stand_out * std::accumulate(together.begin(), together.end(), 0.0);
    const double* const x = column.values;
    const int64_t last = column.size - 1;
    for (int64_t i = 0; i <= last; ++i) {
        if (together[i] < least_often) continue;
        if (together[i] <= as_often * std::max(i ? together[i - 1] : 0.0, i < last ? together[i + 1] : 0.0)) continue;
        found.push_back({x[i], i ? x[i - 1] / 2.0 + x[i] / 2.0 : -INFINITY, i < last ? x[i + 1] / 2.0 + x[i] / 2.0 : INFINITY,
                         column.counts + i * column.classes});
    }
    return found;
}

// Pseudo-counts: one value, spread over the cells as all classes together.
void pool(const double* counts, int64_t cells, int64_t classes, double* pseudo) {
    for (int64_t k = 0; k < cells; ++k) pseudo[k] = std::accumulate(counts + k * classes, counts + (k + 1) * classes, 0.0);
    const double sum = std::max(std::accumulate(pseudo, pseudo + cells, 0.0), least);
    for (int64_t k = 0; k < cells; ++k) pseudo[k] /= sum;
}

}  // namespace

double Scale::of(double x) const {
    const double away = x / 2.0 - median / 2.0, z = away / (spread / 2.0);
    if (std::abs(z) < far) return std::asinh(z);
    return std::copysign(std::log(std::max(std::abs(away), least_spread)) - log_spread + std::numbers::ln2, z);
}

double Scale::back(double t) const { return 2.0 * (median / 2.0 + spread / 2.0 * std::sinh(t)); }  // the sum may fit

std::optional<Grid> Grid::of(const Counted& column) {
    const int64_t classes = column.classes;
    std::vector<double> together = often(column), values, counts;
    Counted rest = column;
    Grid grid;
    grid.classes = classes;
    grid.apart = apart_from(column, together);
    if (!grid.apart.empty()) {
        auto next = grid.apart.begin();
        for (int64_t i = 0; i < column.size; ++i)
            if (next != grid.apart.end() && column.values[i] == next->value) ++next;
            else {
                together[values.size()] = together[i];
                values.push_back(column.values[i]);
                counts.insert(counts.end(), column.counts + i * classes, column.counts + (i + 1) * classes);
            }
        rest = {values.data(), counts.data(), int64_t(values.size()), classes};
        together.resize(values.size());
    }
    if (rest.size < fewest) return {};
    std::partial_sum(together.begin(), together.end(), together.begin());
    grid.scale = scale_of(rest.values, together);
    grid.low = std::clamp(grid.scale.of(rest.values[0]), -furthest, furthest);
    grid.high = std::clamp(grid.scale.of(rest.values[rest.size - 1]), -furthest, furthest);
    if (!(grid.low < grid.high)) return {};
    const int64_t cells = rest.size >= many ? most_cells : fewer_cells;
    grid.step = (grid.high - grid.low) / double(cells);
    for (int64_t k = 1; k < cells; ++k) grid.inner.push_back(grid.scale.back(double(k) * grid.step + grid.low));
    add_between(rest, grid.inner, grid.counts);
    return grid;
}

double Grid::place(double x) const { return std::clamp((scale.of(x) - low) / step, 0.0, double(cells())); }

std::vector<double> Grid::cuts() const {
    std::vector<double> found;
    for (const double edge : inner)
        if (std::none_of(apart.begin(), apart.end(), [&](const Apart& each) { return each.low < edge && edge < each.high; }))
            found.push_back(edge);
    for (const Apart& each : apart)
        for (const double bound : {each.low, each.high}) found.push_back(bound);
    if (!apart.empty()) std::sort(found.begin(), found.end());
    std::erase_if(found, [](double cut) { return !std::isfinite(cut); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void Grid::densities(double weight, std::vector<double>& full, std::vector<double>& left, double* parameters) const {
    std::vector<double> middles;
    for (int64_t k = 0; k < cells(); ++k) middles.push_back((edge(k) + edge(k + 1)) / 2.0);
    full.resize(size_t(densities_of_grid) * counts.size());
    left.resize(full.size());
    smooth_densities(counts.data(), cells(), classes, middles.data(), step, weight, full.data(), left.data(), parameters);
}

Best best_density(const Grid& grid) {
    std::vector<double> full, left, n = grid.counts;
    double parameters[densities_of_grid], losses[densities_of_grid];
    grid.densities(1.0, full, left, parameters);
    const int64_t classes = grid.classes, cells = grid.cells() + int64_t(grid.apart.size());
    const auto size = std::ptrdiff_t(grid.counts.size());
    if (!grid.apart.empty()) {  // values kept apart are cells of their own
        std::vector<double> alone, without;
        for (const Apart& each : grid.apart) alone.insert(alone.end(), each.counts, each.counts + classes);
        for (const double count : alone) without.push_back(std::max(count - 1.0, 0.0));
        n.insert(n.end(), alone.begin(), alone.end());
        for (int64_t d = densities_of_grid; d > 0; --d) {
            full.insert(full.begin() + d * size, alone.begin(), alone.end());
            left.insert(left.begin() + d * size, without.begin(), without.end());
        }
    }
    std::vector<double> pseudo(size_t(densities_of_grid * cells));
    for (int64_t d = 0; d < densities_of_grid; ++d)
        pool(full.data() + d * cells * classes, cells, classes, pseudo.data() + d * cells);
    left_out_losses(full.data(), left.data(), pseudo.data(), n.data(), densities_of_grid, cells, classes, 1.0, losses);
    Best best{0, *std::min_element(losses, losses + densities_of_grid), {}};
    const auto cost = [&](int64_t d) { return losses[d] + price * parameters[d]; };
    for (int64_t d = 1; d < densities_of_grid; ++d)
        if (cost(d) < cost(best.density)) best.density = d;
    const auto first = full.begin() + best.density * cells * classes;
    best.counts.assign(first, first + size);
    return best;
}

Intervals in_intervals(const Grid& grid, const std::vector<double>& smoothed, const Counted& column, int bits) {
    Intervals found{whole_cells(column, grid.cuts(), bits), {}, {}};
    const auto& edges = found.ranges.edges;
    const int64_t classes = grid.classes, cells = grid.cells(), size = found.ranges.size();
    std::vector<double> below(size_t((cells + 1) * classes), 0.0), before(size_t(classes), 0.0), reached(before);
    for (int64_t i = 0; i < cells * classes; ++i) below[i + classes] = below[i] + smoothed[i];
    found.counts.resize(size_t(size * classes));
    for (int64_t j = 0; j < size; ++j) {
        const double at = j + 1 < size ? grid.place(edges[j + 1]) : double(cells);
        const int64_t cell = std::min(int64_t(at), cells - 1);
        for (int64_t c = 0; c < classes; ++c) {
            reached[c] = std::max(below[cell * classes + c] + (at - double(cell)) * smoothed[cell * classes + c], before[c]);
            if (j + 1 == size) reached[c] = below[cells * classes + c];
            found.counts[j * classes + c] = std::max(reached[c] - before[c], 0.0);
        }
        before = reached;
    }
    for (const Apart& each : grid.apart)
        for (int64_t c = 0; c < classes; ++c) found.counts[found.ranges.of(each.value) * classes + c] += each.counts[c];
    found.pseudo.resize(size_t(size));
    pool(found.counts.data(), size, classes, found.pseudo.data());
    for (double& pseudo : found.pseudo) pseudo = std::max(pseudo, rarest);
    return found;
}

std::optional<Smooth> smooth_if_better(const Counted& column, const Intervals& plain, double nats, int bits) {
    const auto grid = Grid::of(column);
    if (!grid) return {};
    const Best best = best_density(*grid);
    const double *const n = plain.counts.data(), *const pseudo = plain.pseudo.data();
    std::vector<double> left;
    for (const double count : plain.counts) left.push_back(std::max(count - 1.0, 0.0));
    const double worth = std::accumulate(plain.pseudo.begin(), plain.pseudo.end(), 0.0);
    double cost;
    left_out_losses(n, left.data(), pseudo, n, 1, plain.ranges.size(), column.classes, worth, &cost);
    if (!(best.loss < cost + nats)) return {};
    return Smooth{best.density, in_intervals(*grid, best.counts, column, bits)};
}

void leave_out_smoothed(const Grid& grid, int64_t density, double weight, const Ranges& ranges, const double* counts,
                        double* rest) {
    std::vector<double> full, left;
    double parameters[densities_of_grid];
    grid.densities(weight, full, left, parameters);
    const int64_t classes = grid.classes, size = int64_t(grid.counts.size());
    for (int64_t j = 0; j < ranges.size(); ++j) {
        const double middle = (grid.place(ranges.edges[j]) + grid.place(ranges.edges[j + 1])) / 2.0;
        const int64_t cell = std::min(int64_t(middle), grid.cells() - 1);
        for (int64_t c = 0; c < classes; ++c) {
            const double whole = full[density * size + cell * classes + c], without = left[density * size + cell * classes + c];
            rest[j * classes + c] = whole > 0.0 ? counts[j * classes + c] * (without / whole) : 0.0;
        }
    }
    for (const Apart& each : grid.apart)
        for (int64_t c = 0; c < classes; ++c) {
            const int64_t at = ranges.of(each.value) * classes + c;
            rest[at] = std::max(counts[at] - weight, 0.0);
        }
}

}  // namespace tallybayes
