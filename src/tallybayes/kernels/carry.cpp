#include "carry.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tallybayes {
namespace {

// Carries from limb to limb, which leaves each in [0, 2^32); returns the last carry.
inline int64_t pass_on(int64_t* limbs, int64_t size) {
    int64_t carry = 0;
    for (int64_t i = 0; i < size; ++i) {
        const __int128 sum = static_cast<__int128>(limbs[i]) + carry;
        limbs[i] = int64_t(uint64_t(sum) & 0xffffffffu);
        carry = int64_t(sum >> 32);
    }
    return carry;
}

// Visits every number in canonical form, with two more limbs than before.
template <class Take>
void each(const int64_t* limbs, int64_t count, int64_t size, Take take) {
    std::vector<int64_t> number(size_t(size) + 2);
    int64_t* const digits = number.data();
    for (int64_t row = 0; row < count; ++row) {
        std::copy(limbs + row * size, limbs + (row + 1) * size, digits);
        const int64_t rest = pass_on(digits, size);
        digits[size] = rest & 0xffffffff;
        digits[size + 1] = rest >> 32;
        if (rest < 0) {
            for (int64_t& limb : number) limb = -limb;
            pass_on(digits, size + 2);
            for (int64_t& limb : number) limb = -limb;
        }
        take(row, digits);
    }
}

// A canonical number as the nearest double, if it is not near the ends of the doubles' range. The three highest limbs decide,
// and whether anything lies below them. The two highest add up to a double and an exact remainder; that and the third are a
// whole number below 2^43; so only the last addition rounds.
double nearest(const int64_t* digits, int64_t size, int low) {
    int64_t top = size - 1;
    while (top > 0 && !digits[top]) --top;
    const auto at = [&](int64_t i) { return double(i >= 0 ? digits[i] : 0); };
    bool below = false;
    for (int64_t i = 0; i < top - 2; ++i) below |= digits[i] != 0;
    const double high = at(top) * 0x1p64, middle = at(top - 1) * 0x1p32, total = high + middle;
    const double rest = middle - (total - high);
    int64_t third = top > 1 ? digits[top - 2] : 0;
    if (below) third = digits[top] < 0 ? -(-third | 1) : third | 1;  // for everything below
    return std::ldexp(total + (rest + double(third)), int(32 * (low + top - 2)));
}

}  // namespace

void round_limbs(const int64_t* limbs, int64_t count, int64_t size, int low, double* out) {
    each(limbs, count, size, [&](int64_t row, const int64_t* digits) { out[row] = nearest(digits, size + 2, low); });
}

Used find_used(const int64_t* limbs, int64_t count, int64_t size) {
    Used used{size + 2, 0};
    each(limbs, count, size, [&](int64_t, const int64_t* digits) {
        for (int64_t i = 0; i < used.first; ++i)
            if (digits[i]) used.first = i;
        for (int64_t i = size + 2; i > used.last; --i)
            if (digits[i - 1]) used.last = i;
    });
    return used.last ? used : Used{0, 0};
}

void carry(const int64_t* limbs, int64_t count, int64_t size, Used used, int64_t* out) {
    const int64_t width = used.last - used.first;
    each(limbs, count, size, [&](int64_t row, const int64_t* digits) {
        std::copy(digits + used.first, digits + used.last, out + row * width);
    });
}

}  // namespace tallybayes
