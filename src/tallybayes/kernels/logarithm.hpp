// The natural logarithm, bit for bit the same on every machine: sums of logarithms are part of a model, and a library's
// log may differ in the last bit between processors.
#pragma once
#include <cstdint>

namespace tallybayes {

// log(x) for x > 0, including +∞; NaN otherwise.
void logarithm(const double* x, int64_t count, double* out);

// x·log x for finite x ≥ 0, in place; of 0 practically 0.
void times_logarithm(double* x, int64_t count);

// log |Γ(x)| from the system's library: it is not part of any model.
double log_gamma(double x);
void log_gamma(const double* x, int64_t count, double* out);

// log Γ(a + x) − log Γ(a). For large a by Stirling's series, with common terms cancelled.
void log_rising(const double* a, const double* x, int64_t count, double* out);

}  // namespace tallybayes
