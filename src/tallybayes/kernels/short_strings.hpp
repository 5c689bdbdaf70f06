// The numbers of short strings met lately, in front of a table of all strings: most columns repeat a few levels.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "keyed_hash.hpp"
#include "strings.hpp"

namespace tallybayes {

class ShortStrings {  // each string has a place of its own; if that is taken, it has one beside it, or replaces the other
public:
    explicit ShortStrings(int64_t rows)
        : shift_(64 - std::clamp(int(std::bit_width(uint64_t(rows))) - 3, 1, 12)),
          places_(rows < least ? 0 : size_t(1) << (64 - shift_)) {}

    // Whether so many strings are short and recur that it is worthwhile.
    bool recur() const { return !places_.empty() && missed_ * 8 <= met_ + 8 * least; }

    // Writes the number of each of up to 64 cells from this row on, which are between these offsets: −1 for a missing one;
    // find(text, length) tells those that are not in their place. Returns false, and writes nothing, if one is long.
    template <class Offset, class Find>
    bool encode(const StringColumn& column, const Offset* at, int64_t row, int64_t count, int32_t* codes, Find find) {
        if (crowded_ * 32 > met_ + 32 * 16 && kept_ * 8 < int64_t(places_.size())) move();
        met_ += count;
        const auto [over_eight, over_sixteen] = are_longer(at, count);
        // Sixteen bytes are read from the start of each.
        if (at[0] < 0 || at[count] < at[0] || at[count] > column.size - 16 || over_sixteen) {
            missed_ += count;
            return false;
        }
        const uint64_t present = column.present(row, count);
        const bool complete = present == all >> (64 - count);
        const auto encode = over_eight ? complete ? &ShortStrings::encode_short<true, true, Offset, Find>
                                                  : &ShortStrings::encode_short<true, false, Offset, Find>
                            : complete ? &ShortStrings::encode_short<false, true, Offset, Find>
                                       : &ShortStrings::encode_short<false, false, Offset, Find>;
        (this->*encode)(column.bytes, at, present, count, codes, find);
        return true;
    }

private:
    static constexpr int64_t least = 512;  // rows that are worth a cache, and strings not found before it is given up
    static constexpr uint64_t all = ~uint64_t(0);
    // The bytes that belong to a string of this length: of its first eight, and of the next eight.
    static constexpr uint64_t heads[] = {0,   all >> 56, all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all,
                                         all, all,       all,       all,       all,       all,       all,       all};
    static constexpr uint64_t tails[] = {0,         0,         0,         0,         0,         0,        0,  0, 0, all >> 56,
                                         all >> 48, all >> 40, all >> 32, all >> 24, all >> 16, all >> 8, all};
    static constexpr uint64_t vacant = all;
    struct Place {
        uint64_t head, tail;
        uint64_t rest = vacant;  // the length, and above it the code

        int32_t code() const { return int32_t(rest >> 32); }
        // Zero if it is this string. Those of up to eight bytes have no tail.
        template <bool both>
        uint64_t difference(uint64_t other_head, uint64_t other_tail, uint32_t length) const {
            return (head ^ other_head) | (both ? tail ^ other_tail : 0) | (uint32_t(rest) ^ length);
        }
    };

    // Whether a string is longer than eight bytes, or than sixteen, or ends before it starts. Without branches: the sign of
    // what is left.
    template <class Offset>
    static std::pair<bool, bool> are_longer(const Offset* at, int64_t count) {
        using Length = std::make_unsigned_t<Offset>;
        Length eight = 0, sixteen = 0;
        for (int64_t i = 0; i < count; ++i) {
            const Length length = Length(at[i + 1]) - Length(at[i]);
            eight |= 8 - length;
            sixteen |= length | (16 - length);
        }
        return {Offset(eight) < 0, Offset(sixteen) < 0};
    }

    template <bool both>
    static std::pair<uint64_t, uint64_t> ends(const char* text, uint32_t length) {
        return {load<uint64_t>(text) & heads[length], both ? load<uint64_t>(text + 8) & tails[length] : 0};
    }

    template <bool both, bool complete, class Offset, class Find>
    void encode_short(const char* bytes, const Offset* at, uint64_t present, int64_t count, int32_t* codes, Find find) {
        for (int64_t i = 0; (i = find_placed<both, complete>(bytes, at, present, i, count, codes)) < count; ++i) {
            const char* text = bytes + at[i];
            const uint32_t length = uint32_t(at[i + 1] - at[i]);
            const auto [head, tail] = ends<both>(text, length);
            const size_t own = place_of(head, tail);
            if (codes[i] = find_beside<both>(own, head, tail, length); codes[i] >= 0) {
                ++crowded_;
                continue;
            }
            ++missed_;
            codes[i] = find(text, length);
            if (codes[i] < 0) continue;  // unknown now, but perhaps not later
            Place& place = places_[vacant_near(own)];
            ++(place.rest == vacant ? kept_ : crowded_);
            place = {head, tail, length | uint64_t(codes[i]) << 32};
        }
    }

    // Strings that are alike, such as numbered ones, may all have the same few places by one multiplier, but hardly by two.
    void move() {
        std::fill(places_.begin(), places_.end(), Place{});
        multiplier_ *= key.a | 1;
        crowded_ -= met_ / 32 + 16;  // as often as met_ allows
        kept_ = 0;
    }

    // The number of a string whose own place is taken, if it is in one of the three beside it.
    template <bool both>
    int32_t find_beside(size_t own, uint64_t head, uint64_t tail, uint32_t length) const {
        for (size_t i = 1; i < 4; ++i)
            if (const Place& place = places_[own ^ i]; place.template difference<both>(head, tail, length) == 0) return place.code();
        return -1;
    }

    // The own place, if none of the four is vacant.
    size_t vacant_near(size_t own) const {
        for (size_t i = 0; i < 4; ++i)
            if (places_[own ^ i].rest == vacant) return own ^ i;
        return own;
    }

    size_t place_of(uint64_t head, uint64_t tail) const { return (head ^ std::rotl(tail, 29)) * multiplier_ >> shift_; }

    // Writes numbers from the first cell on, up to a string that is not in its place, and returns where that is. Unless all
    // are there, missing cells are looked up like others, since no branch could tell them apart in advance.
    template <bool both, bool complete, class Offset>
    [[gnu::noinline]] int64_t find_placed(const char* bytes, const Offset* at, uint64_t present, int64_t first, int64_t count,
                                          int32_t* codes) const {
        const Place* const places = places_.data();
        const uint64_t multiplier = multiplier_;
        const int shift = shift_;
        int64_t start = at[first];
        for (int64_t i = first; i < count; ++i) {
            const int64_t end = at[i + 1];
            const uint32_t length = uint32_t(end - start);
            const auto [head, tail] = ends<both>(bytes + start, length);
            const Place& place = places[(head ^ std::rotl(tail, 29)) * multiplier >> shift];
            const uint64_t counted = complete ? all : -(present >> i & 1);  // zeros if the cell is missing
            if (place.template difference<both>(head, tail, length) & counted) return i;
            codes[i] = place.code() | int32_t(~counted);
            start = end;
        }
        return count;
    }

    int shift_;
    std::vector<Place> places_;
    uint64_t multiplier_ = key.b;
    int64_t met_ = 0, missed_ = 0, crowded_ = 0, kept_ = 0;  // cells: all, not found, not in their place; strings
};

}  // namespace tallybayes
