// How long-running kernels respond to Ctrl-C. Python handles signals only between its own steps, and a kernel is one
// step.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tallybayes {

// Lets Python handle pending signals, and throws what it raises; in a thread with a flag, throws if that is set. Takes a
// microsecond: call it about every ten milliseconds, at points where an exception leaves a consistent state.
void heed_signals();

// Heeds signals if enough was done since the last time.
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

constexpr ptrdiff_t long_stretch = 1 << 18;  // items that take a few nanoseconds each

// Calls step(first, last) for consecutive stretches of the range, and heeds signals in between.
template <class At, class Step>
void in_stretches(At first, At last, Step step) {
    while (last - first > long_stretch) {
        step(first, first + long_stretch);
        first += long_stretch;
        heed_signals();
    }
    step(first, last);
}

// Resizes a vector stretch by stretch: touching new memory and moving the old may both take long.
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

// Sorts stretch by stretch, and merges.
template <class At, class Less = std::less<>>
void sort_in_stretches(At first, At last, Less less = {}) {
    in_stretches(first, last, [&](At from, At to) { std::sort(from, to, less); });
    for (ptrdiff_t sorted = long_stretch; sorted < last - first; sorted *= 2)
        for (At at = first; last - at > sorted; at += std::min(2 * sorted, last - at)) {
            std::inplace_merge(at, at + sorted, at + std::min(2 * sorted, last - at), less);
            heed_signals();
        }
}

// From here on this thread heeds the flag, which another thread may set; null: signals.
void heed_flag(const uint8_t* flag);

}  // namespace tallybayes
