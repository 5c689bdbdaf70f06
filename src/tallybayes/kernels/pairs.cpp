#include "pairs.hpp"

#include <algorithm>
#include <bit>

namespace tallybayes {
namespace {

constexpr int64_t ahead = 16;

// The numbers come from an index and cannot be crafted to collide: one good mix is enough.
inline uint64_t scattered(uint64_t pair) {
    pair *= 0x9e3779b97f4a7c15u;
    return pair ^ pair >> 32;
}

}  // namespace

inline uint64_t PairIndex::place(uint64_t pair) const {
    uint64_t at = scattered(pair) & mask_;
    while (slots_[at].number >= 0 && slots_[at].pair != pair) at = (at + 1) & mask_;
    return at;
}

void PairIndex::enlarge(size_t slots) {
    Pages<Slot> old(slots, Slot{0, -1});
    slots_.swap(old);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old)
        if (slot.number >= 0) slots_[place(slot.pair)] = slot;
}

void PairIndex::encode(const int32_t* a, const int32_t* b, int64_t count, bool grow, int64_t* numbers) {
    const auto pair = [&](int64_t i) { return uint64_t(uint32_t(a[i])) << 32 | uint32_t(b[i]); };
    if (grow && size_ < count / 4) enlarge(std::max(slots_.size(), std::bit_ceil(size_t(size_ + count) * 2)));  // most are new
    for (int64_t i = 0; i < count; ++i) {
        if (i + ahead < count) __builtin_prefetch(&slots_[scattered(pair(i + ahead)) & mask_]);
        Slot& slot = slots_[place(pair(i))];
        numbers[i] = slot.number;
        if (slot.number >= 0 || !grow) continue;
        slot = {pair(i), size_};
        numbers[i] = size_++;
        if (uint64_t(size_) * 2 > slots_.size()) enlarge(slots_.size() * 2);
    }
}

}  // namespace tallybayes
