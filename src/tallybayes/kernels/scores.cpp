#include "scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// One source, compiled for the baseline and for AVX2, chosen when the library is loaded.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && __GNUC__ >= 12
#define BOTH __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define BOTH
#endif

// What is not inlined would be compiled for the baseline only.
#define INLINE inline __attribute__((always_inline))

namespace tallybayes {
namespace {

// log(1 + u) for finite u ≥ 0, without branches so that the compiler makes vectors of it. 1 + u = 2^k·m with m in
// [√½, √2); f = m − 1, with what the addition lost put back; log(1+f) = 2·artanh(f / (2 + f)) as a series.
INLINE double log1p_positive(double u) {
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
INLINE double exp_negative(double x) {
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

constexpr int64_t stretch = 512;
constexpr double far = 1e300;
constexpr double lowest = -1000.0;  // exp of this is 0
constexpr double never = -std::numeric_limits<double>::infinity();

// steep·log(1 + v) as a series of so many terms, for v so small that the next one does not matter.
template <int terms, bool gaps>
INLINE void add_series(const double* x, int64_t count, double centre, double narrow, double steep, double base,
                       double* __restrict score) {
    double factor[terms + 1];
    for (int k = 1; k <= terms; ++k) factor[k] = steep / k;
    for (int64_t i = 0; i < count; ++i) {
        const double d = x[i] - centre;
        const double v = d * d * narrow;
        double p = factor[terms];
        for (int k = terms - 1; k >= 1; --k) p = factor[k] - v * p;
        const double said = base - v * p;
        score[i] += !gaps || said == said ? said : 0.0;
    }
}

// The smallest and largest of some values, NaN passed over, and whether there was one.
struct Range {
    double low, high;
    bool gaps;
};

INLINE Range range(const double* x, int64_t count) {
    typedef double Four __attribute__((vector_size(32)));
    Four low = {-never, -never, -never, -never}, high = {never, never, never, never};
    auto missing = low != low;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        Four v;
        std::memcpy(&v, x + i, sizeof v);
        missing |= v != v;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    for (; i < count; ++i) {
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
        missing[0] |= x[i] != x[i];
    }
    return {std::min({low[0], low[1], low[2], low[3]}), std::max({high[0], high[1], high[2], high[3]}),
            bool(missing[0] | missing[1] | missing[2] | missing[3])};
}

// Asks for the column's next stretch while this one is worked on: so many columns in turn hide their order from the
// processor.
INLINE void fetch_next(const double* x, int64_t count) {
    for (int64_t i = 0; i < count; i += 8) __builtin_prefetch(x + stretch + i, 0, 2);
}

// As a logarithm, for values that may be far out.
INLINE void add_logarithm(const double* x, int64_t count, double centre, double narrow, double steep, double base,
                          double* __restrict score) {
    double u[stretch];
    // A loop of its own: in one loop the compiler makes a branch of the bound, and no vectors.
    for (int64_t i = 0; i < count; ++i) {
        const double d = x[i] - centre;
        const double square = d * d * narrow;
        u[i] = square > far ? far : square;
    }
    for (int64_t i = 0; i < count; ++i) {
        const double said = base - steep * log1p_positive(u[i]);
        score[i] += said == said ? said : 0.0;  // NaN in, NaN out of log1p
    }
}

}  // namespace

BOTH int64_t add_normal(const Columns& columns, const double* mean, const double* precision, const double* constant) {
    int64_t extreme = 0;
    for (int64_t first = 0; first < columns.rows; first += stretch) {
        const int64_t count = std::min(stretch, columns.rows - first);
        int64_t at = 0;
        for (const double* column : columns.x)
            for (int64_t c = 0; c < columns.classes; ++c, ++at) {
                const double* x = column + first;
                if (c == 0) fetch_next(x, count);
                double* __restrict score = columns.scores + c * columns.stride + first;
                const double centre = mean[at], half = 0.5 * precision[at], base = constant[at];
                for (int64_t i = 0; i < count; ++i) {
                    const double d = x[i] - centre;
                    const double square = d * d;
                    const double said = base - square * half;
                    extreme += square >= far ? 1 : 0;
                    score[i] += said == said ? said : 0.0;
                }
            }
    }
    return extreme;
}

// Much data makes u = (x − mean)²·precision small: then a short series does, at a third of the cost of a logarithm.
BOTH int64_t add_student(const Columns& columns, const double* mean, const double* precision, const double* power,
                         const double* constant) {
    int64_t extreme = 0;
    for (int64_t first = 0; first < columns.rows; first += stretch) {
        const int64_t count = std::min(stretch, columns.rows - first);
        int64_t at = 0;
        for (const double* column : columns.x) {
            const double* x = column + first;
            const Range met = range(x, count);
            fetch_next(x, count);
            for (int64_t c = 0; c < columns.classes; ++c, ++at) {
                double* score = columns.scores + c * columns.stride + first;
                const double centre = mean[at], narrow = precision[at], steep = power[at], base = constant[at];
                const double furthest = std::max(met.high - centre, centre - met.low);
                const double largest = furthest * furthest * narrow;
                extreme += largest >= far ? 1 : 0;
                const double fourth = steep * largest * largest * largest * largest / 4.0;
                if (fourth < 1e-13 && largest < 0x1p-13 && !met.gaps)
                    add_series<3, false>(x, count, centre, narrow, steep, base, score);
                else if (largest < 0x1p-13 && !met.gaps)
                    add_series<4, false>(x, count, centre, narrow, steep, base, score);
                else if (largest < 0x1p-7)
                    add_series<8, true>(x, count, centre, narrow, steep, base, score);
                else
                    add_logarithm(x, count, centre, narrow, steep, base, score);
            }
        }
    }
    return extreme;
}

// Two classes need one exponential: of the odds against the likelier.
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
        // Chosen side by side, then written in turn: a choice while writing would be a branch that nobody can foretell.
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

// Rows in stretches, class by class, so that the compiler makes vectors of the rows.
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
        for (int64_t c = 0; c < classes; ++c) {
            double* score = scores + c * stride + first;
            // A loop of its own: in one loop the compiler makes a branch of the bound, and no vectors.
            for (int64_t i = 0; i < count; ++i) {
                const double below = score[i] - best[i];
                score[i] = below > lowest ? below : lowest;
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

int64_t normalise(double* scores, int64_t stride, int64_t rows, int64_t classes, double* out) {
    return classes == 2 ? normalise_pairs(scores, stride, rows, out) : normalise_any(scores, stride, rows, classes, out);
}

}  // namespace tallybayes
