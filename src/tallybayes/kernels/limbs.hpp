// Fixed-point numbers of any length: limbs of 32 bits, each held in an int64 so that limbs add
// elementwise and carry later. Limb i of a number whose window starts at `low` weighs 2^(32·(low+i)).
#pragma once
#include <bit>
#include <cstdint>

namespace tallybayes {

// Room for every product of k finite doubles, and for 2^63 of them added up.
constexpr int full_low(int k) { return -34 * k; }
constexpr int full_size(int k) { return 66 * k + 2; }

struct Parts {
    uint64_t mantissa;
    int exponent;  // value = mantissa · 2^exponent
    bool negative;
};

inline Parts parts(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    const int biased = int(bits >> 52) & 0x7ff;
    const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
    if (biased == 0) return {fraction, -1074, bool(bits >> 63)};
    return {fraction | (uint64_t(1) << 52), biased - 1075, bool(bits >> 63)};
}

// Adds ±word · 2^position, counted in bits from the bottom of the window.
inline void add_word(int64_t* limbs, int position, uint64_t word, bool negative) {
    const unsigned __int128 shifted = static_cast<unsigned __int128>(word) << (position & 31);
    int64_t* limb = limbs + (position >> 5);
    const int64_t sign = negative ? -1 : 1;
    limb[0] += sign * int64_t(uint64_t(shifted) & 0xffffffffu);
    limb[1] += sign * int64_t(uint64_t(shifted >> 32) & 0xffffffffu);
    limb[2] += sign * int64_t(uint64_t(shifted >> 64));
}

inline void add_double(int64_t* limbs, int low, double x) {
    const Parts p = parts(x);
    if (p.mantissa) add_word(limbs, p.exponent - 32 * low, p.mantissa, p.negative);
}

// Adds x², all of its 106 bits.
inline void add_square(int64_t* limbs, int low, double x) {
    const Parts p = parts(x);
    if (!p.mantissa) return;
    const unsigned __int128 square = static_cast<unsigned __int128>(p.mantissa) * p.mantissa;
    const int position = 2 * p.exponent - 32 * low;
    add_word(limbs, position, uint64_t(square), false);
    add_word(limbs, position + 64, uint64_t(square >> 64), false);
}

// Adds a·b·c, all of its 159 bits; unused factors are 1.
inline void add_product(int64_t* limbs, int low, double a, double b, double c) {
    const Parts p = parts(a), q = parts(b), r = parts(c);
    if (!p.mantissa || !q.mantissa || !r.mantissa) return;
    using wide = unsigned __int128;
    // Trailing zero bits of a factor are dropped, so that a factor of 1 needs no extra room below the others.
    const int p0 = std::countr_zero(p.mantissa), q0 = std::countr_zero(q.mantissa), r0 = std::countr_zero(r.mantissa);
    const wide pq = wide(p.mantissa >> p0) * (q.mantissa >> q0);
    const uint64_t m = r.mantissa >> r0;
    const wide bottom = wide(uint64_t(pq)) * m;
    const wide top = wide(uint64_t(pq >> 64)) * m + uint64_t(bottom >> 64);
    const bool negative = (p.negative != q.negative) != r.negative;
    const int position = p.exponent + p0 + q.exponent + q0 + r.exponent + r0 - 32 * low;
    add_word(limbs, position, uint64_t(bottom), negative);
    if (top) {
        add_word(limbs, position + 64, uint64_t(top), negative);
        if (top >> 64) add_word(limbs, position + 128, uint64_t(top >> 64), negative);
    }
}

}  // namespace tallybayes
