// The natural logarithm, the same bits on every machine: sums of logarithms are part of a model, and a library's log
// may differ in the last bit from one processor to the next.
#pragma once
#include <cstdint>

namespace tallybayes {

// log(x) for x > 0; NaN for all else that is not +∞.
void logarithm(const double* x, int64_t count, double* out);

// log |Γ(x)|, as the machine's library has it: no model holds any.
double log_gamma(double x);
void log_gamma(const double* x, int64_t count, double* out);

// log Γ(a + x) − log Γ(a). For large a by Stirling's series, in which what is equal on both sides has cancelled.
void log_rising(const double* a, const double* x, int64_t count, double* out);

}  // namespace tallybayes
