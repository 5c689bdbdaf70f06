#include "different.hpp"

#include <algorithm>
#include <bit>

namespace tallybayes {

const std::vector<Different::Word>& Different::of(const Read& read) {
    found_.clear();
    ++documents_;
    const size_t room = std::bit_ceil(2 * std::min(read.size(), words_) + 2);
    if (slots_.size() < room) slots_.assign(room, Slot{0, 0});
    const int shift = 64 - std::countr_zero(room);  // a short document uses few slots, which stay in the cache
    const auto find = [&](int32_t word) {
        size_t at = size_t(uint64_t(uint32_t(word)) * 0x9e3779b97f4a7c15u >> shift);
        while (slots_[at].document == documents_ && found_[slots_[at].at].number != word) at = (at + 1) & (room - 1);
        if (slots_[at].document == documents_) {
            ++found_[slots_[at].at].times;
            return;
        }
        slots_[at] = {documents_, uint32_t(found_.size())};
        found_.push_back({word, 1});
    };
    in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) { std::for_each(first, last, find); });
    return found_;
}

}  // namespace tallybayes
