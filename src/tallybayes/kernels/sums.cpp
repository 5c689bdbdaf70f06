// Exact sums of doubles, two ways that give the same number.
//
// The plain way adds the bits of every value to 32-bit limbs. The fast way takes the values of one class in one
// block, finds the largest, and lays fixed grids under it, 40 bits apart. Adding and subtracting 1.5·2^52 grid
// units leaves the multiple of the unit nearest to x, without error; the multiples of one grid add up without
// error in a double as long as the sum stays below 2^53 units, which the length of a block guarantees. Values that the
// grids do not hold to the last bit (such as one over 2^13 times smaller than the largest) go the plain way.
#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "limbs.hpp"
#include "pages.hpp"
#include "signals.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define TALLYBAYES_AVX2 1
#endif

namespace tallybayes {
namespace {

constexpr int low1 = full_low(1), low2 = full_low(2);
constexpr int few_rows = 8;  // for which sorting by class is not worthwhile

struct Sink {
    int64_t* x;
    int64_t* xx;  // null if squares are not needed
    void add(double value) const {
        add_double(x, low1, value);
        if (xx) add_square(xx, low2, value);
    }
};

inline Sink sink_of(int64_t* x, int64_t* xx, int64_t cell) {
    return {x + cell * full_size(1), xx ? xx + cell * full_size(2) : nullptr};
}

// The first counted row with an infinity, found on either path.
int64_t first_infinite(const Matrix& matrix, const Groups& groups) {
    for (int64_t row = 0;; ++row) {
        const double *from = matrix.values + row * matrix.columns, *to = from + matrix.columns;
        if (groups.codes()[row] >= 0 && std::any_of(from, to, [](double value) { return std::isinf(value); })) return row;
    }
}

bool sum_plainly(const Matrix& matrix, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    Patience patience;
    for (int64_t row = 0; row < groups.rows(); ++row) {
        patience.spend(matrix.columns);
        const int64_t code = groups.codes()[row];
        if (code < 0) continue;
        for (int64_t column = 0; column < matrix.columns; ++column) {
            const double value = matrix.values[row * matrix.columns + column];
            if (std::isnan(value)) continue;
            if (std::isinf(value)) return false;
            const int64_t cell = column * groups.classes() + code;
            ++n[cell];
            sink_of(x, xx, cell).add(value);
        }
    }
    return true;
}

#ifdef TALLYBAYES_AVX2

#define AVX2 __attribute__((target("avx2,fma")))

struct Grid {
    __m256d anchor;
    __m256d total;
};

AVX2 inline Grid grid(int unit_exponent) {
    return {_mm256_set1_pd(std::ldexp(1.5, 52 + unit_exponent)), _mm256_setzero_pd()};
}

// The nearest multiple of the grid's unit.
AVX2 inline __m256d nearest(const Grid& g, __m256d x) { return _mm256_sub_pd(_mm256_add_pd(x, g.anchor), g.anchor); }

AVX2 inline void flush(const Grid& g, int64_t* limbs, int low) {
    alignas(32) double lane[4];
    _mm256_store_pd(lane, g.total);
    for (double sum : lane) add_double(limbs, low, sum);
}

// Values of a column, by their row numbers.
struct Scattered {
    const double* base;
    const uint16_t* order;
    double one(int i) const { return base[order[i]]; }
    AVX2 __m256d four(int i) const {
        const __m128d low = _mm_loadh_pd(_mm_load_sd(base + order[i]), base + order[i + 1]);
        const __m128d high = _mm_loadh_pd(_mm_load_sd(base + order[i + 2]), base + order[i + 3]);
        return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
    }
};

// Values that are contiguous already.
struct InOrder {
    const double* base;
    double one(int i) const { return base[i]; }
    AVX2 __m256d four(int i) const { return _mm256_loadu_pd(base + i); }
};

struct Segment {
    double largest;   // in magnitude
    int64_t present;  // values that are not missing
};

// The values of one class in one block, contiguous in the buffer; 0 replaces NaN and pads to a multiple of four.
template <class Values>
AVX2 Segment collect(const Values& source, int count, double* buffer) {
    const __m256d magnitude = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7fffffffffffffff));
    __m256d largest = _mm256_setzero_pd();
    __m256i there = _mm256_setzero_si256();
    const auto keep = [&](__m256d x, double* to) __attribute__((target("avx2,fma"))) {
        const __m256d ordered = _mm256_cmp_pd(x, x, _CMP_ORD_Q);
        const __m256d clean = _mm256_and_pd(x, ordered);
        _mm256_store_pd(to, clean);
        largest = _mm256_max_pd(largest, _mm256_and_pd(clean, magnitude));
        there = _mm256_sub_epi64(there, _mm256_castpd_si256(ordered));
    };
    int i = 0;
    for (; i + 4 <= count; i += 4) keep(source.four(i), buffer + i);
    if (i < count) {
        alignas(32) double last[4] = {std::nan(""), std::nan(""), std::nan(""), std::nan("")};
        for (int lane = 0; i + lane < count; ++lane) last[lane] = source.one(i + lane);
        keep(_mm256_load_pd(last), buffer + i);
    }
    alignas(32) double peak[4];
    alignas(32) int64_t found[4];
    _mm256_store_pd(peak, largest);
    _mm256_store_si256(reinterpret_cast<__m256i*>(found), there);
    return {std::max(std::max(peak[0], peak[1]), std::max(peak[2], peak[3])),
            found[0] + found[1] + found[2] + found[3]};
}

template <bool squares>
AVX2 void sum_on_grids(const double* buffer, int count, int top, const Sink& sink) {
    Grid x1 = grid(top - 42), x2 = grid(top - 82);
    Grid h1 = grid(2 * top - 42), h2 = grid(2 * top - 82);    // the upper half of x²
    Grid l1 = grid(2 * top - 96), l2 = grid(2 * top - 136);  // the lower half
    const __m256d zero = _mm256_setzero_pd();
    for (int i = 0; i < count; i += 4) {
        const __m256d x = _mm256_load_pd(buffer + i);
        __m256d a = nearest(x1, x);
        __m256d rest = _mm256_sub_pd(x, a);
        __m256d b = nearest(x2, rest);
        __m256d left = _mm256_sub_pd(rest, b);
        __m256d c = zero, d = zero, e = zero, f = zero;
        if constexpr (squares) {
            const __m256d h = _mm256_mul_pd(x, x);
            const __m256d l = _mm256_fmsub_pd(x, x, h);
            c = nearest(h1, h);
            rest = _mm256_sub_pd(h, c);
            d = nearest(h2, rest);
            left = _mm256_or_pd(left, _mm256_sub_pd(rest, d));
            e = nearest(l1, l);
            rest = _mm256_sub_pd(l, e);
            f = nearest(l2, rest);
            left = _mm256_or_pd(left, _mm256_sub_pd(rest, f));
        }
        const __m256d unheld = _mm256_cmp_pd(left, zero, _CMP_NEQ_UQ);
        if (const int lanes = _mm256_movemask_pd(unheld)) [[unlikely]] {
            for (int lane = 0; lane < 4; ++lane)
                if (lanes >> lane & 1) sink.add(buffer[i + lane]);
            a = _mm256_andnot_pd(unheld, a);
            b = _mm256_andnot_pd(unheld, b);
            c = _mm256_andnot_pd(unheld, c);
            d = _mm256_andnot_pd(unheld, d);
            e = _mm256_andnot_pd(unheld, e);
            f = _mm256_andnot_pd(unheld, f);
        }
        x1.total = _mm256_add_pd(x1.total, a);
        x2.total = _mm256_add_pd(x2.total, b);
        if constexpr (squares) {
            h1.total = _mm256_add_pd(h1.total, c);
            h2.total = _mm256_add_pd(h2.total, d);
            l1.total = _mm256_add_pd(l1.total, e);
            l2.total = _mm256_add_pd(l2.total, f);
        }
    }
    flush(x1, sink.x, low1);
    flush(x2, sink.x, low1);
    if constexpr (squares) {
        flush(h1, sink.xx, low2);
        flush(h2, sink.xx, low2);
        flush(l1, sink.xx, low2);
        flush(l2, sink.xx, low2);
    }
}

// Sums one segment; returns the number of its values, or −1 if one is infinite.
template <class Values>
AVX2 int64_t sum_segment(const Values& source, int count, double* buffer, const Sink& sink) {
    const auto [largest, present] = collect(source, count, buffer);
    if (std::isinf(largest)) return -1;
    if (largest == 0.0) return present;
    const int top = std::ilogb(largest) + 1;  // every value is below 2^top
    // A few values are not worth the grids; at the ends of the range x² leaves the doubles.
    if (count < 8 || top > 480 || top < -380)
        for (int i = 0; i < count; ++i) sink.add(buffer[i]);
    else if (sink.xx)
        sum_on_grids<true>(buffer, count, top, sink);
    else
        sum_on_grids<false>(buffer, count, top, sink);
    return present;
}

// A matrix of one column, whose values are contiguous.
AVX2 bool sum_blocks(const double* values, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    alignas(32) double buffer[Groups::block_rows + 4];
    Patience patience;
    for (int64_t block = 0; block < groups.blocks(); ++block) {
        patience.spend(Groups::block_rows);
        const double* base = values + block * Groups::block_rows;
        const uint16_t* order = groups.order(block);
        const int32_t* starts = groups.starts(block);
        for (int c = 0; c < groups.classes(); ++c) {
            const int first = starts[c], count = starts[c + 1] - first;
            if (!count) continue;
            const int64_t present = sum_segment(Scattered{base, order + first}, count, buffer, sink_of(x, xx, c));
            if (present < 0) return false;
            n[c] += present;
        }
    }
    return true;
}

// A row-major matrix, several columns at a time: neighbouring values of each row are read once and sorted by class.
AVX2 bool sum_matrix_blocks(const Matrix& matrix, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    constexpr int side = 8, ahead = 32;
    Patience patience;
    alignas(32) double buffer[Groups::block_rows + 4];
    Pages<double> turned(side * Groups::block_rows);
    for (int64_t block = 0; block < groups.blocks(); ++block) {
        const double* base = matrix.values + block * Groups::block_rows * matrix.columns;
        const uint16_t* order = groups.order(block);
        const int32_t* starts = groups.starts(block);
        const int rows = starts[groups.classes()];
        for (int64_t column = 0; column < matrix.columns; column += side) {
            patience.spend(side * rows);
            const int wide = int(std::min<int64_t>(side, matrix.columns - column));
            for (int i = 0; i < rows; ++i) {
                if (i + ahead < rows) __builtin_prefetch(base + order[i + ahead] * matrix.columns + column);
                const double* row = base + order[i] * matrix.columns + column;
                for (int k = 0; k < wide; ++k) turned[k * Groups::block_rows + i] = row[k];
            }
            for (int k = 0; k < wide; ++k)
                for (int c = 0; c < groups.classes(); ++c) {
                    const int first = starts[c], count = starts[c + 1] - first;
                    if (!count) continue;
                    const int64_t cell = (column + k) * groups.classes() + c;
                    const InOrder source{turned.data() + k * Groups::block_rows + first};
                    const int64_t present = sum_segment(source, count, buffer, sink_of(x, xx, cell));
                    if (present < 0) return false;
                    n[cell] += present;
                }
        }
    }
    return true;
}

bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}

#endif

}  // namespace

int64_t sum_matrix(const Matrix& matrix, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    const auto sum = [&] {
#ifdef TALLYBAYES_AVX2
        if (groups.ordered() && groups.rows() >= few_rows && has_avx2())
            return matrix.columns == 1 ? sum_blocks(matrix.values, groups, n, x, xx)
                                       : sum_matrix_blocks(matrix, groups, n, x, xx);
#endif
        return sum_plainly(matrix, groups, n, x, xx);
    };
    return sum() ? -1 : first_infinite(matrix, groups);
}

}  // namespace tallybayes
