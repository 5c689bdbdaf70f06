// The canonical form of fixed-point numbers.
#pragma once
#include <cstdint>

namespace tallybayes {

// The range of limbs, counted from the lowest, that are not zero in some number; if there is none, both are zero.
struct Used {
    int64_t first, last;
};

// The range for `count` numbers of `size` limbs, after carrying.
Used find_used(const int64_t* limbs, int64_t count, int64_t size);

// Writes these limbs of every number, below 2^32 and with the sign of their number.
void carry(const int64_t* limbs, int64_t count, int64_t size, Used used, int64_t* out);

// Every number as the double nearest to it; `low` ≥ −30 is its lowest limb, and its highest is below 28.
void round_limbs(const int64_t* limbs, int64_t count, int64_t size, int low, double* out);

}  // namespace tallybayes
