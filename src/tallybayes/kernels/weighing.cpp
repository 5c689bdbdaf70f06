#include "weighing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int lanes = 4;  // sums that are made side by side, in the same way on every machine

double dot(const double* a, const double* b, int64_t n) {
    double sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Scores → probabilities; gives the logarithm of what they were divided by.
double normalise(double* scores, int64_t classes) {
    const double highest = *std::max_element(scores, scores + classes);
    double total = 0.0;
    for (int64_t c = 0; c < classes; ++c) total += scores[c] = std::exp(scores[c] - highest);
    for (int64_t c = 0; c < classes; ++c) scores[c] /= total;
    return highest + std::log(total);
}

double add_row(const Weighed& given, int64_t row, const double* thetas, const double* offsets, double* scores, double* slope) {
    const int64_t classes = given.classes, pieces = given.pieces;
    const double* said = given.evidence + row * classes * pieces;
    for (int64_t c = 0; c < classes; ++c)
        scores[c] = given.base[row * classes + c] + offsets[c] + dot(thetas + c * pieces, said + c * pieces, pieces);
    const double own = scores[given.labels[row]], weight = given.weights[row];
    const double loss = normalise(scores, classes) - own;
    scores[given.labels[row]] -= 1.0;
    for (int64_t c = 0; c < classes; ++c) {
        const double step = weight * scores[c];
        for (int64_t j = 0; j < pieces; ++j) slope[c * pieces + j] += step * said[c * pieces + j];
        slope[classes * pieces + c] += step;
    }
    return weight * loss;
}

}  // namespace

double weighed_loss(const Weighed& given, const double* thetas, const double* offsets, double* slope) {
    std::vector<double> scores(size_t(given.classes));
    std::fill(slope, slope + given.classes * (given.pieces + 1), 0.0);
    Patience patience;
    double loss = 0.0;
    for (int64_t row = 0; row < given.rows; ++row) {
        patience.spend(given.classes * given.pieces);
        loss += add_row(given, row, thetas, offsets, scores.data(), slope);
    }
    return loss;
}

}  // namespace tallybayes
