// A set of distinct strings, numbered in the order they were met: an open-addressing table with a keyed hash.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// A column of strings as Arrow holds it. Offsets are int32 or int64; a null bitmap means that no cell is missing.
struct StringColumn {
    const void* offsets;
    bool wide;
    const char* bytes;
    const uint8_t* validity;
    int64_t first;  // where the column starts within its buffers
    int64_t rows;
};

class StringIndex {
public:
    StringIndex();

    int64_t size() const { return int64_t(ends_.size()) - 1; }
    // Writes each cell's number, -1 for a missing one; a string not met before gets the next number, or -2.
    void encode(const StringColumn& column, bool grow, int32_t* codes);
    // The strings end to end, and where each ends.
    const std::vector<char>& bytes() const { return bytes_; }
    const std::vector<int64_t>& ends() const { return ends_; }

private:
    // The ends of a string tell most strings apart without a look beyond the table; up to sixteen bytes, all of them.
    struct Slot {
        uint64_t hash;
        uint64_t head;  // the first eight bytes
        uint64_t tail;  // the last eight
        uint32_t length;
        int32_t code;  // -1 in an empty slot
    };

    template <class Offset>
    void encode_cells(const StringColumn& column, bool grow, int32_t* codes);
    int32_t find(const char* text, uint64_t length, bool grow);
    void enlarge();

    std::vector<Slot> slots_;
    std::vector<char> bytes_;
    std::vector<int64_t> ends_;
};

}  // namespace tallybayes
