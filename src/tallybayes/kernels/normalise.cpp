// From scores to probabilities, and to the most probable class.
#include <algorithm>
#include <cmath>
#include <limits>

#include "both.hpp"
#include "exponential.hpp"
#include "scores.hpp"

namespace tallybayes {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

// Two classes need only one exponential: the odds against the more probable.
BOTH int64_t normalise_pairs(const double* scores, int64_t stride, int64_t rows, double* out) {
    double odds[stretch], one[stretch], other[stretch];
    int64_t impossible = 0;
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        const double* a = scores + first;
        const double* b = scores + stride + first;
        double* p = out + 2 * first;
        for (int64_t i = 0; i < count; ++i) {
            const double below = -std::fabs(a[i] - b[i]);
            impossible += below == below ? 0 : 1;
            odds[i] = below < lowest ? lowest : below;
        }
        for (int64_t i = 0; i < count; ++i) odds[i] = exp_negative(odds[i]);
        // Selected first, then written interleaved: selecting while writing would be an unpredictable branch.
        for (int64_t i = 0; i < count; ++i) {
            const double more = 1.0 / (1.0 + odds[i]), less = odds[i] * more;
            one[i] = a[i] < b[i] ? less : more;
            other[i] = a[i] < b[i] ? more : less;
        }
        for (int64_t i = 0; i < count; ++i) {
            p[2 * i] = one[i];
            p[2 * i + 1] = other[i];
        }
    }
    return impossible;
}

// Rows in stretches, class by class, so that the compiler vectorises over rows.
BOTH int64_t normalise_any(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out) {
    double best[stretch], total[stretch];
    int64_t impossible = 0;
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        for (int64_t i = 0; i < count; ++i) best[i] = never;
        for (int64_t c = 0; c < classes; ++c) {
            const double* score = scores + c * stride + first;
            for (int64_t i = 0; i < count; ++i) best[i] = score[i] > best[i] ? score[i] : best[i];
        }
        for (int64_t i = 0; i < count; ++i) {
            impossible += best[i] == never ? 1 : 0;
            total[i] = 0.0;
        }
        for (int64_t c = 0; c < classes; ++c) add_exponentials(scores + c * stride + first, count, best, total);
        for (int64_t i = 0; i < count; ++i) total[i] = 1.0 / total[i];
        for (int64_t c = 0; c < classes; ++c) {
            const double* share = scores + c * stride + first;
            double* p = out + first * classes + c;
            for (int64_t i = 0; i < count; ++i) p[i * classes] = share[i] * total[i];
        }
    }
    return impossible;
}

int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out) {
    return classes == 2 ? normalise_pairs(scores, stride, rows, out) : normalise_any(scores, stride, rows, classes, out);
}

// Rows in stretches again; ties go to the first class.
BOTH int64_t most_probable(const double* scores, int64_t stride, int64_t rows, int64_t classes, int64_t* out) {
    double best[stretch];
    int64_t impossible = 0;
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        int64_t* which = out + first;
        for (int64_t i = 0; i < count; ++i) {
            best[i] = scores[first + i];
            which[i] = 0;
        }
        for (int64_t c = 1; c < classes; ++c) {
            const double* score = scores + c * stride + first;
            for (int64_t i = 0; i < count; ++i) {
                const bool better = score[i] > best[i];
                which[i] = better ? c : which[i];
                best[i] = better ? score[i] : best[i];
            }
        }
        for (int64_t i = 0; i < count; ++i) impossible += best[i] == never ? 1 : 0;
    }
    return impossible;
}

}  // namespace tallybayes
