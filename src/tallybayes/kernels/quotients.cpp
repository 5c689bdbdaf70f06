#include "quotients.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tallybayes {
namespace {

using Digits = std::vector<uint32_t>;  // lowest first, without leading zeros
using wide = unsigned __int128;

struct Number {
    Digits digits;
    bool negative = false;

    bool zero() const { return digits.empty(); }
};

void trim(Digits& digits) {
    while (!digits.empty() && !digits.back()) digits.pop_back();
}

void read(const int64_t* limbs, int64_t size, Number& number) {
    number.digits.resize(size_t(size));
    number.negative = false;
    for (int64_t i = 0; i < size; ++i) {
        number.negative |= limbs[i] < 0;
        number.digits[i] = uint32_t(limbs[i] < 0 ? -limbs[i] : limbs[i]);
    }
    trim(number.digits);
}

int64_t bits(const Digits& digits) {
    return digits.empty() ? 0 : 32 * int64_t(digits.size()) - std::countl_zero(digits.back());
}

// a·b, shifted up by this many limbs.
void multiply(const Number& a, const Number& b, int64_t up, Number& product) {
    product.negative = a.negative != b.negative;
    product.digits.assign(size_t(up) + a.digits.size() + b.digits.size(), 0);
    uint32_t* const out = product.digits.data() + up;
    for (size_t i = 0; i < a.digits.size(); ++i) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.digits.size(); ++j) {
            carry += uint64_t(a.digits[i]) * b.digits[j] + out[i + j];
            out[i + j] = uint32_t(carry);
            carry >>= 32;
        }
        out[i + b.digits.size()] = uint32_t(carry);
    }
    trim(product.digits);
}

bool less(const Digits& a, const Digits& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

// a − b, for b ≤ a.
void reduce(Digits& a, const Digits& b) {
    int64_t borrow = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const int64_t left = int64_t(a[i]) - (i < b.size() ? int64_t(b[i]) : 0) + borrow;
        a[i] = uint32_t(left);
        borrow = left >> 32;
    }
    trim(a);
}

void subtract(Number& a, Number& b) {
    if (a.negative != b.negative && !b.zero()) {
        Digits& sum = a.digits;
        sum.resize(std::max(sum.size(), b.digits.size()) + 1);
        uint64_t carry = 0;
        for (size_t i = 0; i < sum.size(); ++i) {
            carry += uint64_t(sum[i]) + (i < b.digits.size() ? b.digits[i] : 0);
            sum[i] = uint32_t(carry);
            carry >>= 32;
        }
        trim(sum);
        a.negative = !b.negative;
        return;
    }
    if (less(a.digits, b.digits)) {
        std::swap(a.digits, b.digits);
        a.negative = !a.negative;
    }
    reduce(a.digits, b.digits);
}

// Multiplies by 2^shift; reports whether nonzero bits were shifted out.
bool shift(Digits& digits, int64_t by) {
    if (by >= 0) {
        digits.insert(digits.begin(), size_t(by / 32), 0);
        if (const int odd = int(by % 32)) {
            digits.push_back(0);
            for (size_t i = digits.size(); i-- > 0;)
                digits[i] = (digits[i] << odd) | (i ? digits[i - 1] >> (32 - odd) : 0);
        }
        trim(digits);
        return false;
    }
    const auto whole = std::min(size_t(-by / 32), digits.size());
    bool lost = std::any_of(digits.begin(), digits.begin() + whole, [](uint32_t digit) { return digit != 0; });
    digits.erase(digits.begin(), digits.begin() + whole);
    if (const int odd = int(-by % 32); odd && !digits.empty()) {
        lost |= (digits[0] << (32 - odd)) != 0;
        for (size_t i = 0; i < digits.size(); ++i)
            digits[i] = (digits[i] >> odd) | (i + 1 < digits.size() ? digits[i + 1] << (32 - odd) : 0);
    }
    trim(digits);
    return lost;
}

wide value(const Digits& digits) {
    wide found = 0;
    for (size_t i = digits.size(); i-- > 0;) found = (found << 32) | digits[i];
    return found;
}

// above / below, which must be less than 2^63, and whether there is a remainder.
uint64_t divide(Digits& above, const Digits& below, bool& rest) {
    if (below.size() <= 2) {
        const wide a = value(above), b = value(below);
        rest |= a % b != 0;
        return uint64_t(a / b);
    }
    Digits left;
    uint64_t quotient = 0;
    for (int64_t bit = bits(above) - 1; bit >= 0; --bit) {
        shift(left, 1);
        if (above[bit / 32] >> (bit % 32) & 1) {
            if (left.empty()) left.push_back(0);
            left[0] |= 1;
        }
        quotient <<= 1;
        if (!less(left, below)) {
            reduce(left, below);
            quotient |= 1;
        }
    }
    rest |= !left.empty();
    return quotient;
}

// Rounds to nearest, ties to even, including subnormal doubles.
double nearest(uint64_t quotient, bool rest, int64_t exponent) {
    const int64_t length = 64 - std::countl_zero(quotient);
    const int64_t precise = std::min<int64_t>(53, length + exponent + 1074);
    if (precise < 0) return 0.0;
    const int64_t drop = length - precise;
    if (drop > 0) {
        const uint64_t low = quotient & ((uint64_t(1) << drop) - 1), half = uint64_t(1) << (drop - 1);
        quotient = drop < 64 ? quotient >> drop : 0;
        if (low > half || (low == half && (rest || (quotient & 1)))) ++quotient;
        exponent += drop;
    }
    return std::ldexp(double(quotient), int(std::clamp<int64_t>(exponent, -5000, 5000)));
}

double ratio(Number& above, const Number& below, int64_t exponent) {
    if (above.zero() || below.zero()) return 0.0;
    const int64_t by = 62 - (bits(above.digits) - bits(below.digits));  // the quotient has 62 or 63 bits
    bool rest = shift(above.digits, by);
    const uint64_t quotient = divide(above.digits, below.digits, rest);
    const double found = nearest(quotient, rest, exponent - by);
    return above.negative != below.negative ? -found : found;
}

}  // namespace

void quotients(Limbs above, Limbs below, int64_t count, int64_t exponent, double* out) {
    Number a, b;
    for (int64_t i = 0; i < count; ++i) {
        read(above.at(i), above.size, a);
        read(below.at(i), below.size, b);
        out[i] = ratio(a, b, exponent);
    }
}

void scatters(const Scatter& of, int64_t count, double* out) {
    Number n, x, y, xy, first, second;
    for (int64_t i = 0; i < count; ++i) {
        read(of.n.at(i), of.n.size, n);
        read(of.x.at(i), of.x.size, x);
        read(of.y.at(i), of.y.size, y);
        read(of.xy.at(i), of.xy.size, xy);
        multiply(n, xy, of.up, first);
        multiply(x, y, of.upper, second);
        subtract(first, second);
        out[i] = ratio(first, n, of.exponent - (of.places ? of.places[i] : 0));
        if (out[i] == 0.0 && !first.zero() && !n.zero()) {  // only equal values have no scatter at all
            out[i] = std::copysign(std::numeric_limits<double>::denorm_min(), out[i]);
        }
    }
}

}  // namespace tallybayes
