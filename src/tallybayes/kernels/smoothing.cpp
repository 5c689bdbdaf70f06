#include "smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr double reach_of_smoothing = 5.0;  // in widths
constexpr double narrowest = 0.5;  // bandwidth, in cells
constexpr double factors[] = {0.5, 1.0, 2.0};
constexpr int64_t kernels_at = 2;  // where the kernels begin among the densities
constexpr int64_t mixtures[][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
constexpr double least = std::numeric_limits<double>::min();

struct Moments {
    double n = 0.0, mean = 0.0, scatter = 0.0;
};

Moments moments(const double* x, const double* counts, int64_t cells, int64_t stride) {
    Moments found;
    for (int64_t k = 0; k < cells; ++k) {
        found.n += counts[k * stride];
        found.mean += x[k] * counts[k * stride];
    }
    if (found.n > 0.0) found.mean /= found.n;
    for (int64_t k = 0; k < cells; ++k) {
        const double off = x[k] - found.mean;
        found.scatter += counts[k * stride] * off * off;
    }
    return found;
}

// Student's density: the prior is worth one value with the mean and variance of all classes.
struct Student {
    double mean, precision, power, constant;

    Student(const Moments& s, const Moments& whole, double rising) {
        const double nu = 1.0 + s.n, off = s.mean - whole.mean;
        mean = s.mean - off / nu;
        const double variance = (whole.scatter / whole.n + s.scatter + s.n / nu * off * off) / nu;
        const double width = std::max(variance * (1.0 + 1.0 / nu), least);
        precision = 1.0 / (nu * width);
        power = (nu + 1.0) / 2.0;
        constant = rising - 0.5 * std::log(nu * width * std::numbers::pi);
    }

    double at(double x) const {
        const double off = x - mean;
        return std::exp(constant - power * std::log1p(off * off * precision));
    }

    static double rising_of(double n) {
        const double half = (1.0 + n) / 2.0, step = 0.5;
        double found;
        log_rising(&half, &step, 1, &found);
        return found;
    }
};

void students(const double* counts, const std::vector<double>& whole_counts, int64_t cells, int64_t classes,
              const std::vector<double>& x, const std::vector<double>& slope, double weight, double* full, double* left) {
    const Moments whole = moments(x.data(), whole_counts.data(), cells, 1);
    for (int64_t c = 0; c < classes; ++c) {
        const Moments own = moments(x.data(), counts + c, cells, classes);
        const Student student(own, whole, Student::rising_of(own.n));
        double share = 0.0;
        for (int64_t k = 0; k < cells; ++k) share += full[k * classes + c] = student.at(x[k]) * slope[k];
        share = std::max(share, least);
        const double rest = std::max(own.n - weight, 0.0), rising = Student::rising_of(rest);
        for (int64_t k = 0; k < cells; ++k) {
            double &here = full[k * classes + c], &without = left[k * classes + c];
            here *= own.n / share;
            without = here;
            if (counts[k * classes + c] <= 0.0) continue;  // no value to leave out
            Moments others;
            if (rest > 0.0) {
                const double off = x[k] - own.mean;
                others = {rest, own.mean - off * weight / rest, std::max(own.scatter - off * off * weight * own.n / rest, 0.0)};
            }
            without = rest * (Student(others, whole, rising).at(x[k]) * slope[k] / share);
        }
    }
}

// Silverman's bandwidth, from the spread of the values; 0 if they are all equal.
double bandwidth(const double* x, const double* counts, int64_t cells, int64_t stride) {
    const Moments own = moments(x, counts, cells, stride);
    if (own.n <= 0.0) return 0.0;
    double below = 0.0, low = x[0], high = x[0];
    bool lower = true, upper = true;
    for (int64_t k = 0; k < cells; ++k) {
        below += counts[k * stride];
        if (lower && below >= 0.25 * own.n) low = x[k], lower = false;
        if (upper && below >= 0.75 * own.n) high = x[k], upper = false;
    }
    const double sd = std::sqrt(own.scatter / own.n), quartiles = (high - low) / 1.34;
    return 0.9 * (quartiles > 0.0 && quartiles < sd ? quartiles : sd) * std::pow(own.n, -0.2);
}

// Spreads the counts of each class over neighbouring cells by a Gaussian of the class's width (in cells), reflected at
// both ends, so that the total of a class stays the same: sums[cell, class]. own[cell, class] is the share of a value
// that stays in its cell.
void smooth_counts(const double* counts, int64_t cells, int64_t classes, const double* widths, double* sums, double* own) {
    std::vector<double> weights, spread(cells);
    for (int64_t c = 0; c < classes; ++c) {
        const int64_t reach = int64_t(std::ceil(std::min(double(cells), reach_of_smoothing * widths[c])));
        weights.assign(size_t(2 * reach + 1), 0.0);  // from −reach to reach
        double* const weight = weights.data() + reach;
        double total = 0.0;
        for (int64_t d = 0; d <= reach; ++d) {
            const double u = double(d) / widths[c];
            weight[d] = std::exp(-0.5 * u * u);
            total += d ? 2.0 * weight[d] : weight[d];
        }
        for (int64_t d = 0; d <= reach; ++d) weight[-d] = weight[d] /= total;
        std::fill(spread.begin(), spread.end(), 0.0);
        for (int64_t k = 0; k < cells; ++k) {
            const auto reflected = [&](int64_t away) { return away <= reach ? weight[away] : 0.0; };
            own[k * classes + c] = reflected(2 * k + 1) + weight[0] + reflected(2 * (cells - k) - 1);
            const double n = counts[k * classes + c];
            if (n == 0.0) continue;
            for (int64_t to = k - reach; to < 0; ++to) spread[-1 - to] += weight[to - k] * n;
            for (int64_t to = std::max(k - reach, int64_t(0)), end = std::min(k + reach + 1, cells); to < end; ++to)
                spread[to] += weight[to - k] * n;
            for (int64_t to = cells; to <= k + reach; ++to) spread[2 * cells - 1 - to] += weight[to - k] * n;
        }
        for (int64_t k = 0; k < cells; ++k) sums[k * classes + c] = spread[k];
    }
}

}  // namespace

void smooth_densities(const double* counts, int64_t cells, int64_t classes, const double* middles, double step, double weight,
                      double* full, double* left, double* parameters) {
    const int64_t size = cells * classes;
    std::vector<double> whole(cells, 0.0), x(cells), slope(cells, 1.0), rule(classes), widths(classes), own(size);
    for (int64_t k = 0; k < cells; ++k) {
        for (int64_t c = 0; c < classes; ++c) whole[k] += counts[k * classes + c];
        x[k] = std::sinh(middles[k]);
        slope[k] = std::cosh(middles[k]);
    }
    students(counts, whole, cells, classes, x, slope, weight, full, left);
    x.assign(middles, middles + cells);
    slope.assign(cells, 1.0);
    students(counts, whole, cells, classes, x, slope, weight, full + size, left + size);
    parameters[0] = parameters[1] = 2.0 * double(classes);

    const double pooled = bandwidth(middles, whole.data(), cells, 1) / step;
    for (int64_t c = 0; c < classes; ++c) {
        rule[c] = bandwidth(middles, counts + c, cells, classes) / step;
        if (!(rule[c] > 0.0)) rule[c] = pooled;
    }
    for (int64_t f = 0; f < 3; ++f) {
        const int64_t d = kernels_at + f;
        parameters[d] = 0.0;
        for (int64_t c = 0; c < classes; ++c) {
            widths[c] = std::max(narrowest, rule[c] * factors[f]);  // also if negative counts have no width
            parameters[d] += double(cells) / (std::sqrt(2.0 * std::numbers::pi) * widths[c]);
        }
        smooth_counts(counts, cells, classes, widths.data(), full + d * size, own.data());
        for (int64_t i = 0; i < size; ++i) left[d * size + i] = std::max(full[d * size + i] - weight * own[i], 0.0);
    }
    int64_t d = kernels_at + 3;
    for (const auto& [a, b] : mixtures) {
        for (int64_t i = 0; i < size; ++i) {
            full[d * size + i] = (full[a * size + i] + full[b * size + i]) / 2.0;
            left[d * size + i] = (left[a * size + i] + left[b * size + i]) / 2.0;
        }
        parameters[d++] = (parameters[a] + parameters[b]) / 2.0;
    }
}

void left_out_losses(const double* full, const double* left, const double* pseudo, const double* counts, int64_t densities,
                     int64_t cells, int64_t classes, double worth, double* losses) {
    std::vector<double> totals(classes, 0.0), all(classes), rest(classes);
    for (int64_t k = 0; k < cells; ++k)
        for (int64_t c = 0; c < classes; ++c) totals[c] += counts[k * classes + c];
    for (int64_t c = 0; c < classes; ++c) {
        all[c] = totals[c] / std::max(totals[c] + worth, least);
        rest[c] = totals[c] / std::max(std::max(totals[c] - 1.0, 0.0) + worth, least);
    }
    for (int64_t d = 0; d < densities; ++d) {
        double loss = 0.0;
        for (int64_t k = 0; k < cells; ++k) {
            const double* here = full + (d * cells + k) * classes;
            const double extra = pseudo[d * cells + k];
            double sum = 0.0;
            for (int64_t c = 0; c < classes; ++c) sum += (here[c] + extra) * all[c];
            for (int64_t c = 0; c < classes; ++c) {
                const double n = counts[k * classes + c];
                if (n <= 0.0) continue;
                const double without = (left[(d * cells + k) * classes + c] + extra) * rest[c];
                const double others = std::max(sum - (here[c] + extra) * all[c], 0.0);
                loss += n * std::log1p(others / without);
            }
        }
        losses[d] = std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
    }
}

}  // namespace tallybayes
