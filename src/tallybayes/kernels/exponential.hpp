// Exponentials of non-positive numbers, vectorised by the compiler.
#pragma once
#include <bit>
#include <cstdint>

#include "both.hpp"

namespace tallybayes {

constexpr double lowest = -1000.0;  // exp of this is 0

// exp(x) for −1000 ≤ x ≤ 0, without branches: x = k·ln2 + r with |r| ≤ ½·ln2, a series in r, and 2^k in two factors, so
// that the result underflows gradually.
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

// The exponentials of scores, relative to the best of each row, and added to the total of each row.
INLINE void add_exponentials(double* score, int64_t count, const double* best, double* total) {
    // A separate loop: in one loop the compiler makes the bound a branch and does not vectorise.
    for (int64_t i = 0; i < count; ++i) {
        const double below = score[i] - best[i];
        score[i] = below > lowest ? below : lowest;
    }
    for (int64_t i = 0; i < count; ++i) {
        score[i] = exp_negative(score[i]);
        total[i] += score[i];
    }
}

}  // namespace tallybayes
