#include "products.hpp"

#include <cmath>

#include "both.hpp"

namespace tallybayes {
namespace {

constexpr double least = 0x1p-900, most = 0x1p1000;  // of a product whose rest is a double

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

}  // namespace tallybayes
