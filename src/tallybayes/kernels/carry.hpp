// The canonical form of fixed-point numbers.
#pragma once
#include <cstdint>

namespace tallybayes {

// Which limbs, counted from the lowest, are not zero in some number: from `first` up to `last`. None: both are zero.
struct Used {
    int64_t first, last;
};

// Of `count` numbers of `size` limbs, after all carrying.
Used find_used(const int64_t* limbs, int64_t count, int64_t size);

// These limbs of every number, below 2^32 and with the sign of their number.
void carry(const int64_t* limbs, int64_t count, int64_t size, Used used, int64_t* out);

}  // namespace tallybayes
