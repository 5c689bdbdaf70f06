// A set of distinct pairs of small whole numbers, numbered in insertion order.
#pragma once
#include <cstdint>

#include "pages.hpp"

namespace tallybayes {

class PairIndex {
public:
    PairIndex() : slots_(64, Slot{0, -1}), mask_(63) {}

    int64_t size() const { return size_; }
    // Writes each pair's number; a new pair gets the next number, or -1.
    void encode(const int32_t* a, const int32_t* b, int64_t count, bool grow, int64_t* numbers);

private:
    struct Slot {
        uint64_t pair;
        int64_t number;  // -1 in an empty slot
    };

    uint64_t place(uint64_t pair) const;
    void enlarge(size_t slots);

    Pages<Slot> slots_;
    uint64_t mask_;
    int64_t size_ = 0;
};

}  // namespace tallybayes
