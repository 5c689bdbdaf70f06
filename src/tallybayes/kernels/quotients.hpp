// Quotients of exact numbers, each rounded once: means and scatters without a digit lost.
#pragma once
#include <cstdint>

namespace tallybayes {

// Numbers as `carry` leaves them, `size` limbs each.
struct Limbs {
    const int64_t* data;
    int64_t size;

    const int64_t* at(int64_t row) const { return data + row * size; }
};

// The doubles nearest to above / below · 2^exponent, infinite beyond the largest; 0 if `below` is 0.
void quotients(Limbs above, Limbs below, int64_t count, int64_t exponent, double* out);

// The doubles nearest to (n·xy·2^(32·up) − x·y·2^(32·upper)) / n · 2^(exponent − places[i]); 0 if n is 0. Null `places`
// count as 0.
struct Scatter {
    Limbs n, x, y, xy;
    int64_t up, upper, exponent;
    const int64_t* places;
};
void scatters(const Scatter& of, int64_t count, double* out);

}  // namespace tallybayes
