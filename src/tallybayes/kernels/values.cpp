#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>
#include <utility>

#include "both.hpp"
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

// Keys that no value has. Among those met lately, a missing one must not compete with 0, which is as frequent in many columns.
constexpr int64_t vacant = INT64_MIN, missing = INT64_MIN + 2741;

INLINE int64_t rounded(double x, int shift, int64_t half, int64_t most) {
    const int64_t magnitude = std::min(std::bit_cast<int64_t>(x) & INT64_MAX, largest_bits);
    const int64_t key = std::min((magnitude + half) >> shift, most);
    return x < 0 ? -key : key;
}

constexpr int64_t half_of(int shift) { return shift > 0 ? int64_t(1) << (shift - 1) : 0; }

BOTH void value_keys(const double* x, int64_t rows, int shift, int64_t* keys) {
    const int64_t half = half_of(shift), most = largest_bits >> shift;
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t key = rounded(x[row], shift, half, most);
        keys[row] = x[row] == x[row] ? key : missing;
    }
}

// The codes of keys met lately, each in the place that its last digits name: numbers that are close together have
// different ones.
class Lately {
public:
    // Writes the code of each value's key; find(key) tells those that are not in their place.
    template <class Find>
    void encode(const double* x, int64_t rows, int shift, int32_t* codes, Find find) {
        int64_t keys[together];
        for (int64_t first = 0; first < rows; first += together) {
            const int64_t count = std::min(together, rows - first);
            value_keys(x + first, count, shift, keys);
            met_ += count;
            if (missed_ * 8 > met_ + 8 * size)  // too few recur
                for (int64_t i = 0; i < count; ++i) codes[first + i] = keys[i] == missing ? -1 : find(keys[i]);
            else
                for (int64_t i = 0; (i = find_placed(keys, i, count, codes + first)) < count; ++i, ++missed_) {
                    codes[first + i] = keys[i] == missing ? -1 : find(keys[i]);
                    places_[place_of(keys[i])] = {keys[i], codes[first + i]};
                }
        }
    }

private:
    static constexpr int64_t together = 256, size = 1 << 12;
    struct Place {
        int64_t key = vacant;
        int32_t code;
    };

    // Whole numbers differ in their first digits.
    static size_t place_of(int64_t key) { return size_t((key ^ key >> 8 ^ key >> 16) & (size - 1)); }

    // Writes codes up to a key that is not in its place, and returns where that is.
    [[gnu::noinline]] int64_t find_placed(const int64_t* keys, int64_t first, int64_t count, int32_t* codes) const {
        const Place* places = places_.data();
        for (int64_t i = first; i < count; ++i) {
            const Place& place = places[place_of(keys[i])];
            if (place.key != keys[i]) return i;
            codes[i] = place.code;
        }
        return count;
    }

    std::vector<Place> places_ = std::vector<Place>(size);
    int64_t met_ = 0, missed_ = 0;
};

}  // namespace

int64_t value_key(double x, int shift) { return rounded(x, shift, half_of(shift), largest_bits >> shift); }

std::vector<int64_t> number_values(const double* x, int64_t rows, int bits, int32_t* codes) {
    Index index;
    Lately lately;
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        lately.encode(x + row, last - row, 52 - bits, codes + row, [&](int64_t key) { return index.place(key); });
    });
    return std::move(index).keys();
}

void find_values(const double* x, int64_t rows, const int64_t* keys, int64_t size, int bits, int32_t* codes) {
    Index index(size);
    Lately lately;
    for (int64_t i = 0; i < size; ++i) index.place(keys[i]);
    in_stretches(int64_t(0), rows, [&](int64_t row, int64_t last) {
        lately.encode(x + row, last - row, 52 - bits, codes + row, [&](int64_t key) { return index.find(key); });
    });
}

int64_t gather_counts(const int64_t* keys, const int64_t* places, int64_t size, const CountsTable& table, int bits,
                      int64_t start, double* values, double* counts) {
    int64_t end = start;
    for (int64_t i = 0; i < size; ++i) {
        const double* from = table.counts + places[i] * table.width;
        double* to = counts + end * table.classes;
        bool filled = false;
        for (int64_t c = 0; c < table.classes; ++c) {
            to[c] = table.columns[c] < 0 ? 0.0 : from[table.columns[c]];
            filled |= to[c] != 0.0;
        }
        const double magnitude = std::bit_cast<double>(std::abs(keys[i]) << (52 - bits));
        values[end] = keys[i] < 0 ? -magnitude : magnitude;
        end += filled;
    }
    return end;
}

}  // namespace tallybayes
