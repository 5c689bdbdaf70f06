#include "products.hpp"

#include <cmath>

#include "both.hpp"
#include "limbs.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double least = 0x1p-900, most = 0x1p1000;  // of a product whose rounding error is a double

}  // namespace

BOTH bool exact_products(const double* values, int64_t rows, int64_t columns, const PairsOfColumns& pairs, double* out) {
    bool exact = true;
    for (int64_t row = 0; row < rows; ++row) {
        const double* x = values + row * columns;
        double* product = out + row * 2 * pairs.count;
        double* rest = product + pairs.count;
        for (int64_t i = 0; i < pairs.count; ++i) {
            const double a = x[pairs.firsts[i]], b = x[pairs.seconds[i]], p = a * b, size = std::fabs(p);
            product[i] = p;
            rest[i] = std::fma(a, b, -p);
            exact &= (size > least && size < most) | (a == 0.0) | (b == 0.0) | (p != p);
        }
    }
    return exact;
}

void sum_products(const double* a, const double* b, const double* c, const int32_t* codes, int64_t rows,
                  int64_t* limbs, int low, int64_t size) {
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        for (; row < last; ++row) {
            if (codes[row] < 0) continue;
            const double second = b ? b[row] : 1.0, third = c ? c[row] : 1.0;
            if (std::isnan(a[row]) || std::isnan(second) || std::isnan(third)) continue;
            add_product(limbs + codes[row] * size, low, a[row], second, third);
        }
    });
}

}  // namespace tallybayes
