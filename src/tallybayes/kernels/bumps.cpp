#include "bumps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double cell_width = 0.5;  // in widths of a bump
constexpr int64_t few = 8;  // centres that are cheaper to sum one by one
constexpr double furthest = 39.0;  // in widths: beyond this, a bump underflows
constexpr int64_t patience = 4096;  // points between checks for signals
constexpr int most_terms = 56;
constexpr double negligible = 1e-11;  // relative to the sum so far
constexpr double longest = 10.0;  // the longest argument of a series: 38.6 widths away from a cell that reaches 0.25

// The number of terms of exp(z), which is even, that are needed for z up to i / 4: the remainder is below 1e-8 · exp(−z).
std::array<int, 41> term_counts() {
    std::array<int, 41> counts{};
    for (size_t i = 0; i < counts.size(); ++i) {
        const double z = double(i) / 4.0;
        double term = 1.0;
        int k = 0;
        while (k < most_terms && (k < z || 2.0 * term > 1e-8 * std::exp(-z))) term *= z / ++k;
        counts[i] = std::max(k + k % 2, 2);
    }
    return counts;
}

const std::array<int, 41> terms = term_counts();

}  // namespace

Bumps::Bumps(const double* centres, const double* weights, int64_t count, double width)
    : width_(width), centres_(centres, centres + count), weights_(weights, weights + count) {
    for (int64_t first = 0; first < count;) {
        int64_t stop = first + 1;
        while (stop < count && centres[stop] - centres[first] <= cell_width * width) ++stop;
        const double middle = centres[first] + (centres[stop - 1] - centres[first]) / 2.0;
        Cell cell{first, stop, centres[first], middle, (centres[stop - 1] - middle) / width, -1};
        if (stop - first > few) {
            cell.series = int64_t(series_.size());
            series_.resize(series_.size() + most_terms, 0.0);
            double* series = series_.data() + cell.series;
            for (int64_t i = first; i < stop; ++i) {
                const double v = (centres[i] - middle) / width;
                double term = weights[i] * std::exp(-0.5 * v * v);
                for (int k = 0; k < most_terms; ++k) {
                    series[k] += term;
                    term *= v / (k + 1);
                }
            }
        }
        for (int64_t i = first; i < stop; ++i) total_ += weights[i];
        cells_.push_back(cell);
        first = stop;
    }
}

double Bumps::of_cell(const Cell& cell, double x, double distance, double height) const {
    const double z = std::fabs(distance) * cell.reach;
    if (cell.series < 0 || z > longest) {
        double sum = 0.0;
        for (int64_t i = cell.first; i < cell.stop; ++i) {
            const double u = (x - centres_[i]) / width_;
            sum += weights_[i] * std::exp(-0.5 * u * u);
        }
        return sum;
    }
    const double* series = series_.data() + cell.series;
    const double square = distance * distance;
    double even = 0.0, odd = 0.0;  // powers: two independent chains of products
    for (int k = terms[size_t(std::ceil(z * 4.0))] - 2; k >= 0; k -= 2) {
        even = even * square + series[k];
        odd = odd * square + series[k + 1];
    }
    return height * (even + odd * distance);
}

double Bumps::at(double x) const {
    const auto after = std::upper_bound(cells_.begin(), cells_.end(), x, [](double v, const Cell& c) { return v < c.low; });
    int64_t right = after - cells_.begin(), left = right - 1;
    const int64_t count = int64_t(cells_.size());
    double sum = 0.0;
    while (left >= 0 || right < count) {  // outward, the nearer one first
        const double to_left = left >= 0 ? (x - cells_[left].middle) / width_ : std::numeric_limits<double>::infinity();
        const double to_right = right < count ? (cells_[right].middle - x) / width_ : std::numeric_limits<double>::infinity();
        const bool next = to_right < to_left;
        const double distance = next ? -to_right : to_left;
        const double height = std::exp(-0.5 * distance * distance);
        if (total_ * height <= negligible * sum || std::fabs(distance) > furthest) break;
        sum += of_cell(cells_[next ? right++ : left--], x, distance, height);
    }
    return sum;
}

void Bumps::sum(const double* x, int64_t rows, double* out) const {
    for (int64_t row = 0; row < rows; ++row) {
        if (row % patience == patience - 1) heed_signals();
        out[row] = at(x[row]);
    }
}

}  // namespace tallybayes
