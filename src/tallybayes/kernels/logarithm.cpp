#include "logarithm.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "both.hpp"

namespace tallybayes {
namespace {

// x = 2^k·m with m in [√½, √2), and log m = 2·artanh(s) with s = (m − 1) / (m + 1), as a series in s².
INLINE double log_normal(double x, double k) {
    constexpr uint64_t root_half = 0x3fe6a09e667f3bcd, bias = 1024;
    constexpr double shift = 4503599627370496.0;  // 2^52: k + bias in its lowest bits is converted to a double without an instruction that some machines lack
    const uint64_t shifted = std::bit_cast<uint64_t>(x) - root_half;
    k += std::bit_cast<double>(((shifted + (bias << 52)) >> 52) | std::bit_cast<uint64_t>(shift)) - (shift + double(bias));
    const double m = std::bit_cast<double>((shifted & 0x000fffffffffffff) + root_half);
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = 1.0 / 23;
    for (int odd = 21; odd >= 3; odd -= 2) p = p * z + 1.0 / odd;
    const double half = 0.5 * f * f;
    // log m = f − f²/2 + s·(f²/2 + 2·z·p): f is exact, so little precision is lost.
    const double rest = s * (half + 2.0 * (z * p));
    return k * 6.93147180369123816490e-01 - ((half - (rest + k * 1.90821492927058770002e-10)) - f);
}

// Whether all are positive, finite, normal numbers.
BOTH bool all_normal(const double* x, int64_t count) {
    constexpr double least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
    int64_t others = 0;
    for (int64_t i = 0; i < count; ++i) others += !(x[i] >= least && x[i] <= most);
    return others == 0;
}

BOTH void log_all_normal(const double* x, int64_t count, double* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = log_normal(x[i], 0.0);
}

}  // namespace

void logarithm(const double* x, int64_t count, double* out) {
    if (all_normal(x, count)) return log_all_normal(x, count, out);
    for (int64_t i = 0; i < count; ++i) {
        const double v = x[i];
        if (!(v > 0.0))
            out[i] = std::numeric_limits<double>::quiet_NaN();
        else if (std::isinf(v))
            out[i] = v;
        else if (v < std::numeric_limits<double>::min())
            out[i] = log_normal(v * 0x1p54, -54.0);
        else
            out[i] = log_normal(v, 0.0);
    }
}

BOTH void times_logarithm(double* x, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const double v = x[i] + 1e-300;
        x[i] = v * log_normal(v, 0.0);
    }
}

double log_gamma(double x) {
#if defined(__GLIBC__)
    int sign;  // lgamma would write it to a global variable shared by all threads
    return lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

void log_gamma(const double* x, int64_t count, double* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = log_gamma(x[i]);
}

void log_rising(const double* a, const double* x, int64_t count, double* out) {
    // The remainder of Stirling's formula for log Γ(z).
    const auto rest = [](double z) {
        const double y = 1.0 / (z * z);
        return (1.0 - (1.0 / 30.0 - (1.0 / 105.0 - 1.0 / 140.0 * y) * y) * y) / (12.0 * z);
    };
    for (int64_t i = 0; i < count; ++i) {
        const double s = a[i] + x[i];
        out[i] = a[i] >= 20.0 ? (a[i] - 0.5) * std::log1p(x[i] / a[i]) + x[i] * (std::log(s) - 1.0) + rest(s) - rest(a[i])
                              : log_gamma(s) - log_gamma(a[i]);
    }
}

}  // namespace tallybayes
