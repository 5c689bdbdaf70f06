#include "bags.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "both.hpp"
#include "limbs.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int64_t ahead = 16;  // values whose cells are prefetched
constexpr double most_whole = 2147483648.0;

// How many are not integers below 2^31: adding and subtracting 2^52 leaves only those unchanged.
INLINE int64_t count_broken(const double* values, int64_t count) {
    typedef double Four __attribute__((vector_size(32)));
    typedef int64_t Truths __attribute__((vector_size(32)));
    Truths broken{};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        Four v;
        std::memcpy(&v, values + i, sizeof v);
        broken -= ~((v >= 0.0) & (v < most_whole) & ((v + 0x1p52) - 0x1p52 == v));
    }
    int64_t total = broken[0] + broken[1] + broken[2] + broken[3];
    for (; i < count; ++i) {
        const double v = values[i];
        total += v >= 0.0 && v < most_whole && (v + 0x1p52) - 0x1p52 == v ? 0 : 1;
    }
    return total;
}

// Adds a positive double to limbs without a carry: each has room for 2^30 summands. Where there is no limb, nothing is left
// to add, and a spare one takes it: no branch that depends on the value.
INLINE void add_tight(int64_t* limbs, int64_t size, int low, double x) {
    const Parts p = parts(x);
    const int position = p.exponent - 32 * low;
    const unsigned __int128 shifted = static_cast<unsigned __int128>(p.mantissa) << (position & 31);
    const int64_t at = position >> 5;
    int64_t spare = 0;
    limbs[at] += int64_t(uint64_t(shifted) & 0xffffffffu);
    *(at + 1 < size ? limbs + at + 1 : &spare) += int64_t(uint64_t(shifted >> 32) & 0xffffffffu);
    *(at + 2 < size ? limbs + at + 2 : &spare) += int64_t(uint64_t(shifted >> 64));
}

INLINE bool within(int32_t position, int64_t positions) { return position >= 0 && position < positions; }

}  // namespace

BOTH Kind kind_of(const double* values, int64_t count) {
    Kind kind;
    Patience patience;
    for (int64_t first = 0; kind.whole && first < count; first += long_stretch) {
        kind.whole = !count_broken(values + first, std::min(long_stretch, count - first));
        patience.spend(long_stretch);
    }
    if (kind.whole) return kind;
    in_stretches(int64_t(0), count, [&](int64_t i, int64_t last) {
        for (; i < last; ++i) {
            const double v = values[i];
            if (kind.bad < 0 && (v < 0.0 || std::isinf(v))) kind.bad = i;
            kind.most = v > kind.most ? v : kind.most;
            kind.least = v > 0.0 && v < kind.least ? v : kind.least;
        }
    });
    return kind;
}

namespace {

template <int limbs>
void count_in(const Bags& bags, const int32_t* classes, const BagCounts& counts) {
    const auto cell = [&](int64_t at, int64_t code) { return bags.positions[at] * counts.width + code; };
    const int64_t size = limbs ? limbs : counts.size, end = bags.starts[bags.rows];
    Patience patience;
    for (int64_t row = 0; row < bags.rows; ++row) {
        patience.spend(bags.starts[row + 1] - bags.starts[row]);
        const int64_t code = classes[row];
        if (code < 0 || code >= counts.width) continue;
        for (int64_t at = bags.starts[row]; at < bags.starts[row + 1]; ++at) {
            if (at + ahead < end && within(bags.positions[at + ahead], counts.positions)) {
                __builtin_prefetch(counts.n + cell(at + ahead, code) * size, 1);
                __builtin_prefetch(counts.documents + cell(at + ahead, code), 1);
            }
            const double value = bags.values[at];
            if (!(value > 0.0) || !within(bags.positions[at], counts.positions)) continue;
            int64_t* n = counts.n + cell(at, code) * size;
            if constexpr (limbs == 1)
                *n += int64_t(value);
            else
                add_tight(n, size, counts.low, value);
            ++counts.documents[cell(at, code)];
        }
    }
}

}  // namespace

void count_bags(const Bags& bags, const int32_t* classes, const BagCounts& counts) {
    switch (counts.size) {
        case 1: return count_in<1>(bags, classes, counts);
        case 3: return count_in<3>(bags, classes, counts);
        case 4: return count_in<4>(bags, classes, counts);
        default: return count_in<0>(bags, classes, counts);
    }
}

// Sums are doubles, which are exact for integers up to 2^53: for 2^22 rows of numbers below 2^31.
BOTH bool count_matrix(const double* values, int64_t rows, int64_t columns, const int32_t* classes, int64_t width,
                       int64_t* n, int64_t* documents) {
    if (rows > int64_t(1) << 22) return false;
    std::vector<double> total(size_t(width * columns)), met(size_t(width * columns));
    Patience patience;
    for (int64_t row = 0; row < rows; ++row) {
        patience.spend(columns);
        if (classes[row] < 0 || classes[row] >= width) continue;
        const double* __restrict x = values + row * columns;
        double* __restrict sum = total.data() + classes[row] * columns;
        double* __restrict seen = met.data() + classes[row] * columns;
        if (count_broken(x, columns)) return false;
        for (int64_t k = 0; k < columns; ++k) sum[k] += x[k];
        for (int64_t k = 0; k < columns; ++k) seen[k] += x[k] > 0.0 ? 1.0 : 0.0;
    }
    for (int64_t c = 0; c < width; ++c)
        for (int64_t k = 0; k < columns; ++k) {
            n[k * width + c] = int64_t(total[c * columns + k]);
            documents[k * width + c] = int64_t(met[c * columns + k]);
        }
    return true;
}

BOTH void add_bags(const Bags& bags, const double* table, int64_t positions, int64_t width, bool once, double* scores,
                   int64_t stride) {
    std::vector<double> total(width);
    double* __restrict sum = total.data();
    const int64_t end = bags.starts[bags.rows];
    Patience patience;
    for (int64_t row = 0; row < bags.rows; ++row) {
        patience.spend(bags.starts[row + 1] - bags.starts[row]);
        std::fill(total.begin(), total.end(), 0.0);
        for (int64_t at = bags.starts[row]; at < bags.starts[row + 1]; ++at) {
            if (at + ahead < end && within(bags.positions[at + ahead], positions)) {
                const double* next = table + bags.positions[at + ahead] * width;
                for (int64_t c = 0; c < width && c < 64; c += 8) __builtin_prefetch(next + c);
            }
            const double value = bags.values[at];
            if (!(value > 0.0 || value < 0.0) || !within(bags.positions[at], positions)) continue;
            const double* evidence = table + bags.positions[at] * width;
            const double times = once ? double(value > 0.0) : value;
            for (int64_t c = 0; c < width; ++c) sum[c] += times * evidence[c];
        }
        for (int64_t c = 0; c < width; ++c) scores[c * stride + row] += sum[c];
    }
}

}  // namespace tallybayes
