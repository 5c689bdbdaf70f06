// A set of distinct strings, numbered in insertion order: an open-addressing table with a keyed hash.
#pragma once
#include <cstdint>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pages.hpp"

namespace tallybayes {

// A column of strings as Arrow holds it. Offsets are int32 or int64; a null bitmap means that no cell is missing.
struct StringColumn {
    const void* offsets;
    bool wide;
    const char* bytes;
    int64_t size;  // of the bytes
    const uint8_t* validity;
    int64_t first;  // where the column starts within its buffers
    int64_t rows;

    bool missing(int64_t row) const {
        const int64_t bit = first + row;
        return validity && !(validity[bit >> 3] >> (bit & 7) & 1);
    }
    // A bit for each of up to 64 cells from this row on, set if it is present.
    uint64_t present(int64_t row, int64_t count) const {
        const uint64_t all = ~uint64_t(0) >> (64 - count);
        if (!validity) return all;
        const int64_t bit = first + row, from = bit >> 3, bytes = ((bit + count - 1) >> 3) - from + 1;
        uint64_t words[2] = {};
        std::memcpy(words, validity + from, size_t(bytes));
        const int shift = int(bit & 7);
        return (words[0] >> shift | words[1] << 1 << (63 - shift)) & all;
    }
    int64_t offset(int64_t row) const {
        return wide ? static_cast<const int64_t*>(offsets)[first + row] : static_cast<const int32_t*>(offsets)[first + row];
    }
    std::string_view operator[](int64_t row) const { return between(offset(row), offset(row + 1)); }
    std::string_view between(int64_t start, int64_t end) const {
        if (start < 0 || end < start || end > size) throw std::out_of_range("the column's offsets do not fit its bytes");
        return {bytes + start, size_t(end - start)};
    }
};

// Part of a text, from `start`.
struct Span {
    uint32_t start, length;
};

class StringIndex {
public:
    static constexpr int32_t unknown = -2;

    StringIndex();

    int64_t size() const { return int64_t(ends_.size()) - 1; }
    // Writes each cell's number, -1 for a missing one; a new string gets the next number, or `unknown`.
    void encode(const StringColumn& column, bool grow, int32_t* codes);
    // The same as bytes, for few strings: returns false once there are more than bytes can number.
    bool encode(const StringColumn& column, int8_t* codes);
    // The same for one string.
    int32_t encode(std::string_view text, bool grow);
    // The same for parts of a text that can be read eight bytes beyond its end.
    void encode(const char* text, const std::vector<Span>& spans, bool grow, std::vector<int32_t>& codes);
    void look_up(const char* text, const std::vector<Span>& spans, std::vector<int32_t>& codes) const;
    // Adds the other index's strings; writes the number of each here.
    void merge(const StringIndex& other, int32_t* codes);
    // Writes the number of each of the other index's strings here, or `unknown`.
    void find_all(const StringIndex& other, int32_t* codes) const;
    StringIndex copy() const;
    // An index of these strings, in this order.
    StringIndex subset(const int32_t* codes, int64_t count) const;
    // The numbers of the strings, in the order of their bytes.
    std::vector<int32_t> sorted() const;
    std::string_view operator[](int32_t code) const {
        return {bytes_.data() + ends_[code], size_t(ends_[code + 1] - ends_[code])};
    }
    // The strings end to end, and where each ends.
    const std::vector<char>& bytes() const { return bytes_; }
    const std::vector<int64_t>& ends() const { return ends_; }

private:
    // Both ends of a string distinguish most strings within the table; up to sixteen bytes, all strings.
    struct alignas(32) Slot {
        uint64_t head;  // the first eight bytes
        uint64_t tail;  // the last eight
        uint32_t length;
        uint32_t hash;
        int32_t code;  // -1 in an empty slot
    };
    static constexpr Slot empty{0, 0, 0, 0, -1};
    struct Probe {  // a string's slot without the code
        uint64_t head, tail;
        uint32_t length, hash;
        const char* text;
    };

    // Lookups may run concurrently with one writer. A copy has its own lock.
    struct Lock {
        mutable std::shared_mutex mutex;
        Lock() = default;
        Lock(const Lock&) {}
        Lock& operator=(const Lock&) { return *this; }
    };
    using Looking = std::shared_lock<std::shared_mutex>;
    using Adding = std::unique_lock<std::shared_mutex>;

    static Probe probe(std::string_view text);
    static Probe probe_padded(const char* text, uint32_t length);
    bool is(const Slot& slot, const Probe& probe) const;
    void prefetch(const Probe& probe) const { __builtin_prefetch(&slots_[probe.hash & mask_]); }
    uint64_t locate(const Probe& probe) const;
    int32_t find(const Probe& probe, bool grow);
    int32_t find_text(const char* text, uint32_t length, bool grow);
    int32_t admit(const Probe& probe, uint64_t at);
    void make_room(Adding& held, uint64_t more);
    template <class Held, class Prepare, class Resolve>
    void each_span(const char* text, const std::vector<Span>& spans, Prepare prepare, Resolve resolve) const;
    template <class Held>
    static void heed(Held& held);
    template <class Held, class Prepare>
    void encode_column(const StringColumn& column, bool grow, int32_t* codes, Prepare prepare);
    template <class Held, class Offset, class Prepare>
    void encode_cells(const StringColumn& column, const Offset* offsets, bool grow, int32_t* codes, Prepare prepare);
    template <class Offset>
    void encode_few(const StringColumn& column, const Offset* at, int64_t start, int64_t count, bool grow, int32_t* codes);
    static Probe probe_within(const StringColumn& column, int64_t start, int64_t end);

    Lock lock_;
    Pages<Slot> slots_;
    uint64_t mask_;
    std::vector<char> bytes_;
    std::vector<int64_t> ends_;
};

}  // namespace tallybayes
