#include "scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

// One source, compiled for the baseline and for AVX2, chosen when the library is loaded. Nothing is fused, so both
// give the same bits.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define BOTH __attribute__((target_clones("avx2", "default")))
#else
#define BOTH
#endif

namespace tallybayes {
namespace {

// log(1 + u) for finite u ≥ 0, without branches so that the compiler makes vectors of it. 1 + u = 2^k·m with m in
// [√½, √2); f = m − 1, with what the addition lost put back; log(1+f) = 2·artanh(f / (2 + f)) as a series.
inline double log1p_positive(double u) {
    const double w = 1.0 + u;
    const double lost = u - (w - 1.0);  // 0 ≤ u: exact, or beyond 2^53 too small to matter
    const uint64_t bits = std::bit_cast<uint64_t>(w);
    constexpr uint64_t root_half = 0x3fe6a09e667f3bcd;
    const uint64_t shifted = bits - root_half;
    // The exponent as a double: its bits under those of 2^52, less 2^52.
    const uint64_t k = shifted >> 52;
    const double exponent = std::bit_cast<double>(k | 0x4330000000000000) - 4503599627370496.0;
    const double m = std::bit_cast<double>((shifted & 0x000fffffffffffff) + root_half);
    const double scale = std::bit_cast<double>((1023 - k) << 52);
    const double f = (m - 1.0) + lost * scale;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = 1.0 / 23;
    p = p * z + 1.0 / 21;
    p = p * z + 1.0 / 19;
    p = p * z + 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    constexpr double ln2 = 0.6931471805599453;
    return exponent * ln2 + (2.0 * s + 2.0 * s * (z * p));
}

// exp(x) for −1000 ≤ x ≤ 0, without branches: x = k·ln2 + r with |r| ≤ ½·ln2, a series in r, and 2^k in two factors, so that what is too small for
// a double fades to 0 as it should.
inline double exp_negative(double x) {
    constexpr double shift = 6755399441055744.0;  // 1.5·2^52: adding it leaves k in the lowest bits
    const double k = (x * 1.4426950408889634 + shift) - shift;
    const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = 1.0 + (r + r * r * p);
    const double first = k * 0.5 + shift;
    const double second = (k - (first - shift)) + shift;
    constexpr uint64_t one = 0x3ff0000000000000;
    return p * std::bit_cast<double>((std::bit_cast<uint64_t>(first) << 52) + one) *
           std::bit_cast<double>((std::bit_cast<uint64_t>(second) << 52) + one);
}

constexpr double far = 1e300;
constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

BOTH int64_t add_normal(const double* x, int64_t rows, const double* mean, const double* precision,
                     const double* constant, int64_t classes, double* scores, int64_t stride) {
    int64_t extreme = 0;
    for (int64_t c = 0; c < classes; ++c) {
        double* __restrict score = scores + c * stride;
        const double centre = mean[c], half = 0.5 * precision[c], base = constant[c];
        for (int64_t row = 0; row < rows; ++row) {
            const double d = x[row] - centre;
            const double square = d * d;
            const double said = base - square * half;
            extreme += square >= far ? 1 : 0;
            score[row] += said == said ? said : 0.0;
        }
    }
    return extreme;
}

// Much data makes the tails thin and u = (x − mean)²·precision small: then a short series does, at a third of the cost.
BOTH int64_t add_student(const double* x, int64_t rows, const double* mean, const double* precision,
                      const double* power, const double* constant, int64_t classes, double* scores, int64_t stride) {
    constexpr int64_t stretch = 256;
    constexpr double small = 1.0 / 1024;  // the series' next term, u⁶/7, is then below a rounding error
    double u[stretch];
    int64_t extreme = 0;
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        for (int64_t c = 0; c < classes; ++c) {
            double* __restrict score = scores + c * stride + first;
            const double centre = mean[c], narrow = precision[c], steep = power[c], base = constant[c];
            int64_t large = 0;
            for (int64_t i = 0; i < count; ++i) {
                const double d = x[first + i] - centre;
                u[i] = d * d * narrow;
                large += u[i] >= small ? 1 : 0;
            }
            if (large)
                for (int64_t i = 0; i < count; ++i) {
                    extreme += u[i] >= far ? 1 : 0;
                    u[i] = u[i] > far ? far : u[i];
                }
            if (!large)
                for (int64_t i = 0; i < count; ++i) {
                    const double v = u[i];
                    const double series = v - v * v * (1.0 / 2 - v * (1.0 / 3 - v * (1.0 / 4 - v * (1.0 / 5 - v * (1.0 / 6)))));
                    const double said = base - steep * series;
                    score[i] += said == said ? said : 0.0;
                }
            else
                for (int64_t i = 0; i < count; ++i) {
                    const double said = base - steep * log1p_positive(u[i]);
                    score[i] += said == said ? said : 0.0;  // NaN in, NaN out of log1p
                }
        }
    }
    return extreme;
}

// Rows in stretches, class by class, so that the compiler makes vectors of the rows.
BOTH int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out) {
    constexpr int64_t stretch = 256;
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
        for (int64_t c = 0; c < classes; ++c) {
            double* score = scores + c * stride + first;
            // A loop of its own: in one loop the compiler makes a branch of the bound, and no vectors.
            for (int64_t i = 0; i < count; ++i) {
                const double below = score[i] - best[i];
                score[i] = below > -1000.0 ? below : -1000.0;
            }
            for (int64_t i = 0; i < count; ++i) {
                score[i] = exp_negative(score[i]);
                total[i] += score[i];
            }
        }
        for (int64_t i = 0; i < count; ++i) total[i] = 1.0 / total[i];
        for (int64_t c = 0; c < classes; ++c) {
            const double* share = scores + c * stride + first;
            double* p = out + first * classes + c;
            for (int64_t i = 0; i < count; ++i) p[i * classes] = share[i] * total[i];
        }
    }
    return impossible;
}

}  // namespace tallybayes
