#include "values.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

#include "signals.hpp"

namespace tallybayes {

namespace {

constexpr int64_t least_size = 1 << 10;

// A random odd number, so that colliding numbers cannot be crafted.
const uint64_t multiplier = (uint64_t(std::random_device{}()) << 32 | std::random_device{}()) | 1;

class Index {  // with open addressing
public:
    explicit Index(int64_t expected = 0) : places_(std::bit_ceil(size_t(std::max(least_size, 2 * expected + 2))), -1) {}

    int32_t place(int64_t key) {
        const size_t at = search(key);
        return places_[at] < 0 ? add(key, at) : places_[at];
    }

    int32_t find(int64_t key) const { return places_[search(key)]; }

    std::vector<int64_t> keys() && { return std::move(keys_); }

private:
    // Where the key is, or where it would be added.
    size_t search(int64_t key) const {
        size_t at = slot(key);
        while (places_[at] >= 0 && keys_[places_[at]] != key) at = (at + 1) & (places_.size() - 1);
        return at;
    }

    size_t slot(int64_t key) const {
        return size_t((uint64_t(key) * multiplier) >> (64 - std::countr_zero(places_.size())));
    }

    int32_t add(int64_t key, size_t at) {
        keys_.push_back(key);
        places_[at] = int32_t(keys_.size() - 1);
        if (keys_.size() * 2 > places_.size()) grow();
        return int32_t(keys_.size() - 1);
    }

    void grow() {
        std::vector<int32_t>(places_.size() * 2, -1).swap(places_);
        for (size_t i = 0; i < keys_.size(); ++i) {
            size_t at = slot(keys_[i]);
            while (places_[at] >= 0) at = (at + 1) & (places_.size() - 1);
            places_[at] = int32_t(i);
        }
    }

    std::vector<int32_t> places_;
    std::vector<int64_t> keys_;
};

}  // namespace

int64_t value_key(double x, int shift) {
    const int64_t magnitude = std::min(std::bit_cast<int64_t>(x) & INT64_MAX, largest_bits);
    const int64_t half = shift > 0 ? int64_t(1) << (shift - 1) : 0;
    const int64_t key = std::min((magnitude + half) >> shift, largest_bits >> shift);
    return x < 0 ? -key : key;
}

std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes) {
    Index index;
    const int shift = 52 - bits;
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        for (; row < last; ++row) codes[row] = x[row] == x[row] ? index.place(value_key(x[row], shift)) : -1;
    });
    return std::move(index).keys();
}

void find_values(const double* x, int64_t rows, const int64_t* keys, int64_t size, int bits, int32_t* codes) {
    Index index(size);
    for (int64_t i = 0; i < size; ++i) index.place(keys[i]);
    const int shift = 52 - bits;
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        for (; row < last; ++row) codes[row] = x[row] == x[row] ? index.find(value_key(x[row], shift)) : -1;
    });
}

}  // namespace tallybayes
