#include "scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "both.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

// log(1 + u) for finite u ≥ 0, without branches, so that the compiler vectorises it. 1 + u = 2^k·m with m in [√½, √2);
// f = m − 1, corrected for the rounding of 1 + u; log(1+f) = 2·artanh(f / (2 + f)) as a series.
INLINE double log1p_positive(double u) {
    const double w = 1.0 + u;
    const double lost = u - (w - 1.0);  // exact, or for u above 2^53 negligible
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

constexpr size_t patience = 256;  // columns of a stretch between checks for signals
constexpr double far = 1e300;
constexpr double never = -std::numeric_limits<double>::infinity();

// steep·log(1 + v) as a series of this many terms, for v so small that the next term is negligible.
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
        const double log = base - v * p;
        score[i] += !gaps || log == log ? log : 0.0;
    }
}

// The smallest and largest of some values, without NaN, and whether there was a NaN.
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

// Prefetches the column's next stretch: with many columns in turn, the processor does not recognise the pattern.
INLINE void fetch_next(const double* x, int64_t count, int64_t away) {
    for (int64_t i = 0; i < count; i += 8) __builtin_prefetch(x + away + i, 0, 2);
}

// Stretches of columns as contiguous values. Columns of a row-major matrix are transposed, several at a time, so that
// neighbouring values in memory are read once.
class Stretch {
public:
    INLINE Stretch(const Columns& columns, int64_t first, int64_t count)
        : columns_(columns), first_(first), count_(count) {}

    INLINE const double* operator[](size_t column) {
        if (columns_.step == 1) {
            const double* x = columns_.x[column] + first_;
            fetch_next(x, count_, stretch);
            return x;
        }
        if (column % side == 0) turn(column);
        return turned_[column % side];
    }

private:
    static constexpr size_t side = 8;
    static constexpr int64_t narrow = 64;  // columns: a stretch of a wider matrix is too large to prefetch

    INLINE void turn(size_t column) {
        const size_t wide = std::min(side, columns_.x.size() - column);
        const double* row = columns_.x[column] + first_ * columns_.step;
        if (column == 0 && columns_.step <= narrow) fetch_next(row, count_ * columns_.step, stretch * columns_.step);
        if (wide == side)
            for (int64_t i = 0; i < count_; ++i, row += columns_.step)
                for (size_t k = 0; k < side; ++k) turned_[k][i] = row[k];
        else
            for (int64_t i = 0; i < count_; ++i, row += columns_.step)
                for (size_t k = 0; k < wide; ++k) turned_[k][i] = row[k];
    }

    const Columns& columns_;
    const int64_t first_, count_;
    double turned_[side][stretch];
};

// Where the evidence of a column goes: to the scores or, if it is weighed, to a place where it is centred first.
class Evidence {
public:
    INLINE explicit Evidence(const Columns& columns)
        : columns_(columns), weighed_(columns.weighing.thetas != nullptr),
          apart_(weighed_ ? std::min(stretch, columns.rows) : columns.stride),
          evidence_(weighed_ ? size_t(columns.classes * apart_) : 0) {}

    INLINE void open(int64_t first) {
        std::fill(evidence_.begin(), evidence_.end(), 0.0);
        start_ = weighed_ ? evidence_.data() : columns_.scores + first;
    }
    INLINE double* of(int64_t c) const { return start_ + c * apart_; }
    INLINE void close(size_t column, int64_t first, int64_t count) {
        if (!weighed_) return;
        const auto [thetas, bound] = columns_.weighing;
        add_centred(start_, apart_, count, columns_.classes, {thetas + int64_t(column) * columns_.classes, bound},
                    columns_.scores + first, columns_.stride);
    }

private:
    const Columns& columns_;
    const bool weighed_;
    const int64_t apart_;  // the evidence of one class and of the next
    std::vector<double> evidence_;
    double* start_ = nullptr;
};

// With a logarithm, for values of any size.
INLINE void add_logarithm(const double* x, int64_t count, double centre, double narrow, double steep, double base,
                          double* __restrict score) {
    double u[stretch];
    // A separate loop: in one loop the compiler makes the bound a branch and does not vectorise.
    for (int64_t i = 0; i < count; ++i) {
        const double d = x[i] - centre;
        const double square = d * d * narrow;
        u[i] = square > far ? far : square;
    }
    for (int64_t i = 0; i < count; ++i) {
        const double log = base - steep * log1p_positive(u[i]);
        score[i] += log == log ? log : 0.0;  // NaN in, NaN out of log1p
    }
}

// Calls add(x, count, at, evidence) for each column, a stretch at a time; `at` is the place of its first parameter.
template <class Add>
INLINE void each_column(const Columns& columns, Add add) {
    Evidence evidence(columns);
    for (int64_t first = 0; first < columns.rows; first += stretch) {
        const int64_t count = std::min(stretch, columns.rows - first);
        Stretch here(columns, first, count);
        for (size_t column = 0; column < columns.x.size(); ++column) {
            if (column % patience == patience - 1) heed_signals();
            const double* x = here[column];
            evidence.open(first);
            add(x, count, int64_t(column) * columns.classes, evidence);
            evidence.close(column, first, count);
        }
    }
}

}  // namespace

BOTH int64_t add_normal(const Columns& columns, const double* mean, const double* precision, const double* constant) {
    int64_t extreme = 0;
    each_column(columns, [&](const double* x, int64_t count, int64_t at, const Evidence& evidence) INLINED {
        const Range met = range(x, count);
        for (int64_t c = 0; c < columns.classes; ++c, ++at) {
            double* __restrict score = evidence.of(c);
            const double centre = mean[at], half = 0.5 * precision[at], base = constant[at];
            const double furthest = std::max(met.high - centre, centre - met.low);
            extreme += furthest * furthest >= far ? 1 : 0;
            if (!met.gaps) {
                for (int64_t i = 0; i < count; ++i) {
                    const double d = x[i] - centre;
                    score[i] += base - d * d * half;
                }
                continue;
            }
            for (int64_t i = 0; i < count; ++i) {
                const double d = x[i] - centre;
                const double log = base - d * d * half;
                score[i] += log == log ? log : 0.0;
            }
        }
    });
    return extreme;
}

// 0 · −∞ is NaN, and counts as no evidence.
BOTH void add_linear(const Columns& columns, const double* weight) {
    each_column(columns, [&](const double* x, int64_t count, int64_t at, const Evidence& evidence) INLINED {
        for (int64_t c = 0; c < columns.classes; ++c, ++at) {
            double* __restrict score = evidence.of(c);
            const double each = weight[at];
            for (int64_t i = 0; i < count; ++i) {
                const double log = x[i] * each;
                score[i] += log == log ? log : 0.0;
            }
        }
    });
}

// With much data, u = (x − mean)²·precision is small, and a short series takes a third of the time of a logarithm.
BOTH int64_t add_student(const Columns& columns, const double* mean, const double* precision, const double* power,
                         const double* constant) {
    int64_t extreme = 0;
    each_column(columns, [&](const double* x, int64_t count, int64_t at, const Evidence& evidence) INLINED {
        const Range met = range(x, count);
        for (int64_t c = 0; c < columns.classes; ++c, ++at) {
            double* score = evidence.of(c);
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
    });
    return extreme;
}

}  // namespace tallybayes
