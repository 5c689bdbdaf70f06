#include "inside.hpp"

#include <cmath>
#include <limits>

#include "both.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double wide = 0x1p52;  // from here on, all doubles are whole

template <bool whole>
INLINE bool any_outside(const double* x, int64_t rows, double lowest, double excluded) {
    int64_t bad = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const double magnitude = std::abs(x[row]);
        bad |= -int64_t(x[row] < lowest) | -int64_t(x[row] == excluded) | -int64_t(magnitude > largest);
        if constexpr (whole)  // adding `wide` rounds to a whole number
            bad |= -int64_t(magnitude < wide) & -int64_t((magnitude + wide) - wide != magnitude);
    }
    return bad;
}

BOTH bool any_fraction_outside(const double* x, int64_t rows, double lowest, double excluded) {
    return any_outside<true>(x, rows, lowest, excluded);
}

BOTH bool any_number_outside(const double* x, int64_t rows, double lowest, double excluded) {
    return any_outside<false>(x, rows, lowest, excluded);
}

}  // namespace

bool all_inside(const double* x, int64_t rows, double lowest, bool open, bool whole) {
    const double excluded = open ? lowest : std::numeric_limits<double>::quiet_NaN();
    bool inside = true;
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        inside = inside && !(whole ? any_fraction_outside : any_number_outside)(x + row, last - row, lowest, excluded);
    });
    return inside;
}

}  // namespace tallybayes
