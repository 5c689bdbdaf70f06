// Exact sums of doubles, two ways that give the same number.
//
// The plain way adds the bits of every value to 32-bit limbs. The fast way takes the values of one class in one
// block, finds the largest, and lays fixed grids under it, 40 bits apart. Adding and subtracting 1.5·2^52 grid
// units leaves the multiple of the unit nearest to x, without error; the multiples of one grid add up without
// error in a double as long as the sum stays below 2^53 units, which a block is short enough to promise. What the
// grids do not hold to the last bit (a value over 2^13 times smaller than the largest, say) goes the plain way.
#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "limbs.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define TALLYBAYES_AVX2 1
#endif

namespace tallybayes {
namespace {

constexpr int low1 = full_low(1), low2 = full_low(2);

struct Sink {
    int64_t* x;
    int64_t* xx;  // null where squares are not wanted
    void add(double value) const {
        add_double(x, low1, value);
        if (xx) add_square(xx, low2, value);
    }
};

// The first counted row that holds an infinity, whichever way met one.
int64_t first_infinite(const double* values, const Groups& groups) {
    int64_t row = 0;
    while (groups.codes()[row] < 0 || !std::isinf(values[row])) ++row;
    return row;
}

int64_t sum_plainly(const double* values, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    const int32_t* codes = groups.codes();
    for (int64_t row = 0; row < groups.rows(); ++row) {
        const int64_t code = codes[row];
        if (code < 0 || std::isnan(values[row])) continue;
        if (std::isinf(values[row])) return row;
        ++n[code];
        Sink{x + code * full_size(1), xx ? xx + code * full_size(2) : nullptr}.add(values[row]);
    }
    return -1;
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

// Four values by their row numbers.
AVX2 inline __m256d gather(const double* base, const uint16_t* order) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(base + order[0]), base + order[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(base + order[2]), base + order[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

struct Segment {
    double largest;   // in magnitude
    int64_t present;  // values that are not missing
};

// The values of one class in one block, side by side in the buffer; 0 stands for NaN and fills up the last four.
AVX2 Segment collect(const double* base, const uint16_t* order, int count, double* buffer) {
    const __m256d magnitude = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7fffffffffffffff));
    __m256d largest = _mm256_setzero_pd();
    __m256i values = _mm256_setzero_si256();
    const auto keep = [&](__m256d x, double* to) __attribute__((target("avx2,fma"))) {
        const __m256d ordered = _mm256_cmp_pd(x, x, _CMP_ORD_Q);
        const __m256d clean = _mm256_and_pd(x, ordered);
        _mm256_store_pd(to, clean);
        largest = _mm256_max_pd(largest, _mm256_and_pd(clean, magnitude));
        values = _mm256_sub_epi64(values, _mm256_castpd_si256(ordered));
    };
    int i = 0;
    for (; i + 4 <= count; i += 4) keep(gather(base, order + i), buffer + i);
    if (i < count) {
        alignas(32) double last[4] = {std::nan(""), std::nan(""), std::nan(""), std::nan("")};
        for (int lane = 0; i + lane < count; ++lane) last[lane] = base[order[i + lane]];
        keep(_mm256_load_pd(last), buffer + i);
    }
    alignas(32) double peak[4];
    alignas(32) int64_t found[4];
    _mm256_store_pd(peak, largest);
    _mm256_store_si256(reinterpret_cast<__m256i*>(found), values);
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

AVX2 int64_t sum_blocks(const double* values, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
    alignas(32) double buffer[Groups::block_rows + 4];
    for (int64_t block = 0; block < groups.blocks(); ++block) {
        const double* base = values + block * Groups::block_rows;
        const uint16_t* order = groups.order(block);
        const int32_t* starts = groups.starts(block);
        for (int c = 0; c < groups.classes(); ++c) {
            const int first = starts[c], count = starts[c + 1] - first;
            if (!count) continue;
            const auto [largest, present] = collect(base, order + first, count, buffer);
            if (std::isinf(largest)) return first_infinite(values, groups);
            n[c] += present;
            if (largest == 0.0) continue;
            const Sink sink{x + c * int64_t(full_size(1)), xx ? xx + c * int64_t(full_size(2)) : nullptr};
            const int top = std::ilogb(largest) + 1;  // every value is below 2^top
            // A few values are not worth the grids; at the ends of the range x² leaves the doubles.
            if (count < 8 || top > 480 || top < -380)
                for (int i = 0; i < count; ++i) sink.add(buffer[i]);
            else if (xx)
                sum_on_grids<true>(buffer, count, top, sink);
            else
                sum_on_grids<false>(buffer, count, top, sink);
        }
    }
    return -1;
}

bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}

#endif

}  // namespace

int64_t sum_by_class(const double* values, const Groups& groups, int64_t* n, int64_t* x, int64_t* xx) {
#ifdef TALLYBAYES_AVX2
    if (groups.ordered() && has_avx2()) return sum_blocks(values, groups, n, x, xx);
#endif
    return sum_plainly(values, groups, n, x, xx);
}

void sum_products(const double* a, const double* b, const double* c, const int32_t* codes, int64_t rows,
                  int64_t* limbs, int low, int64_t size) {
    for (int64_t row = 0; row < rows; ++row) {
        if (codes[row] < 0) continue;
        const double second = b ? b[row] : 1.0, third = c ? c[row] : 1.0;
        if (std::isnan(a[row]) || std::isnan(second) || std::isnan(third)) continue;
        add_product(limbs + codes[row] * size, low, a[row], second, third);
    }
}

}  // namespace tallybayes
