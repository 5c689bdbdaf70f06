#include "sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "both.hpp"
#include "exponential.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int64_t stretch = 128;  // rows that fit into the L1 cache with some of their classes
constexpr double never = -std::numeric_limits<double>::infinity();

// The results for a stretch of rows.
struct Stretch {
    double best[stretch], total[stretch], left[stretch];
    int64_t which[stretch];  // the best class, the first one on a tie
    int64_t held[stretch];   // the number of classes with a share
};

// Turns the scores of a stretch into whole units. Intermediate results are in local arrays, which the compiler knows
// not to alias.
BOTH void in_units(double* scores, int64_t rows, int64_t count, int64_t classes, const double* weights, Stretch& found) {
    double best[stretch], total[stretch], times[stretch], left[stretch];
    int64_t which[stretch], held[stretch];
    for (int64_t i = 0; i < count; ++i) {
        best[i] = never;
        total[i] = 0.0;
        which[i] = held[i] = 0;
    }
    for (int64_t c = 0; c < classes; ++c) {
        const double* score = scores + c * rows;
        for (int64_t i = 0; i < count; ++i) {
            const bool better = score[i] > best[i];
            which[i] = better ? c : which[i];
            best[i] = better ? score[i] : best[i];
        }
    }
    for (int64_t c = 0; c < classes; ++c) add_exponentials(scores + c * rows, count, best, total);
    for (int64_t i = 0; i < count; ++i) {
        if (std::isfinite(best[i])) continue;
        for (int64_t c = 0; c < classes; ++c) scores[c * rows + i] = 1.0;
        total[i] = double(classes);
    }
    for (int64_t i = 0; i < count; ++i) {
        times[i] = weights[i] / total[i];
        left[i] = weights[i];
    }
    for (int64_t c = 0; c < classes; ++c) {
        double* score = scores + c * rows;
        for (int64_t i = 0; i < count; ++i) score[i] = std::floor(score[i] * times[i]);
        for (int64_t i = 0; i < count; ++i) {
            left[i] -= score[i];
            held[i] += score[i] > 0.0 ? 1 : 0;
        }
    }
    std::copy(best, best + count, found.best);
    std::copy(total, total + count, found.total);
    std::copy(left, left + count, found.left);
    std::copy(which, which + count, found.which);
    std::copy(held, held + count, found.held);
}

}  // namespace

SharedOut share_out(const Scored& scored) {
    SharedOut result;
    const int64_t rows = scored.rows, classes = scored.classes;
    result.starts.assign(1, 0);
    Patience patience;
    Stretch s;
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        double* scores = scored.scores + first;
        in_units(scores, rows, count, classes, scored.weights + first, s);
        for (int64_t i = 0; i < count; ++i) {
            double& largest = scores[s.which[i] * rows + i];
            s.held[i] -= largest > 0.0 ? 1 : 0;
            largest += s.left[i];
            s.held[i] += largest > 0.0 ? 1 : 0;
            result.logs.push_back(std::isfinite(s.best[i]) ? s.best[i] + std::log(s.total[i]) : never);
            result.starts.push_back(result.starts.back() + s.held[i]);
        }
        patience.spend(count * classes);
    }
    // Every number is written, and kept if it is a share: a conditional write would be an unpredictable branch.
    lengthen(result.classes, size_t(result.starts.back()) + 1);
    lengthen(result.units, size_t(result.starts.back()) + 1);
    for (int64_t row = 0; row < rows; ++row) {
        auto at = size_t(result.starts[size_t(row)]);
        for (int64_t c = 0; c < classes; ++c) {
            const double units = scored.scores[c * rows + row];
            result.classes[at] = int32_t(c);
            result.units[at] = int64_t(units);
            at += units > 0.0 ? 1 : 0;
        }
        patience.spend(classes);
    }
    result.classes.pop_back();
    result.units.pop_back();
    return result;
}

}  // namespace tallybayes
