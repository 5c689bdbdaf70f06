// How a kernel that takes long hears Ctrl-C. Python handles signals between its own steps only, and a kernel is one step.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tallybayes {

// Lets Python handle the signals that have come, and throws what it raises; in a thread that has a flag, throws if that is
// set. Costs a microsecond: to be called every ten milliseconds or so, where nothing is left half done.
void heed_signals();

// Heeds signals when much was done since it last did.
class Patience {
public:
    void spend(int64_t values) {
        if ((spent_ += values) < (1 << 20)) return;
        spent_ = 0;
        heed_signals();
    }

private:
    int64_t spent_ = 0;
};

constexpr ptrdiff_t long_stretch = 1 << 18;  // of what takes some nanoseconds each

// Does step(first, last) for one stretch after the other of what is between the two, and heeds signals in between.
template <class At, class Step>
void in_stretches(At first, At last, Step step) {
    while (last - first > long_stretch) {
        step(first, first + long_stretch);
        first += long_stretch;
        heed_signals();
    }
    step(first, last);
}

// Gives a vector this length, stretch by stretch: memory that is touched for the first time may take long, and so may what is
// moved to another place.
template <class Vector>
void lengthen(Vector& items, size_t size, const typename Vector::value_type& value = {}) {
    if (size > items.capacity()) {
        Vector larger;
        larger.reserve(size);
        in_stretches(items.data(), items.data() + items.size(),
                     [&](const auto* first, const auto* last) { larger.insert(larger.end(), first, last); });
        items.swap(larger);
    }
    for (size_t next = items.size() + long_stretch; next < size; next += long_stretch) {
        items.resize(next, value);
        heed_signals();
    }
    items.resize(size, value);
}

// Sorts stretch by stretch, and puts these together.
template <class At, class Less = std::less<>>
void sort_in_stretches(At first, At last, Less less = {}) {
    in_stretches(first, last, [&](At from, At to) { std::sort(from, to, less); });
    for (ptrdiff_t sorted = long_stretch; sorted < last - first; sorted *= 2)
        for (At at = first; last - at > sorted; at += std::min(2 * sorted, last - at)) {
            std::inplace_merge(at, at + sorted, at + std::min(2 * sorted, last - at), less);
            heed_signals();
        }
}

// From here on this thread heeds the flag, which somebody else may set; a null pointer: signals.
void heed_flag(const uint8_t* flag);

}  // namespace tallybayes
