// Texts as their letters: lower-cased UTF-8, and one bit per byte that says whether it belongs to a word.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// The class of every character, in pages of 256, equal ones stored once. The table comes from Python, so that a word
// here is a word there.
struct Letters {
    static constexpr uint32_t character = (1u << 21) - 1;  // the bits in which it differs from what it becomes
    static constexpr uint32_t word = 1u << 31;
    static constexpr uint32_t space = 1u << 30;
    static constexpr uint32_t cased = 1u << 29;
    static constexpr uint32_t ignorable = 1u << 28;  // skipped when looking for cased neighbours
    static constexpr uint32_t dotted = 1u << 27;     // a dot above follows it: İ becomes i and a dot
    static constexpr uint32_t sigma = 1u << 26;      // has another lower case at the end of a word
    static constexpr uint32_t punctuation = 1u << 25;  // or a symbol, if these are tokens
    static constexpr uint32_t special = dotted | sigma;

    std::vector<uint16_t> pages;
    std::vector<uint32_t> entries;
    bool lower;  // whether to lower-case

    uint32_t operator[](uint32_t at) const { return entries[uint32_t(pages[at >> 8]) << 8 | (at & 255)]; }
};

// One text, or several with a zero between them.
struct Text {
    static constexpr uint64_t padding = 32;  // bytes behind the text that can be read

    std::vector<char> bytes;
    std::vector<uint64_t> words;  // a bit for every byte
    std::vector<uint32_t> ends;   // of the texts
    uint64_t length = 0;

    void clear();
    // Appends a text, from memory that is readable up to `behind`. Returns the position of invalid UTF-8, or -1;
    // invalid bytes become a replacement character.
    int64_t add(const char* text, uint64_t size, const char* behind, const Letters& letters);
    // The same, with every run of white space as one space.
    int64_t add_evenly(const char* text, uint64_t size, const Letters& letters);

private:
    void start(uint64_t size);
    void finish();
    void make_room(uint64_t room);
    void write(uint32_t character);
    void mark(uint64_t from, uint64_t bits);
    void copy_ascii(const char* text, uint64_t size, const Letters& letters);
    uint64_t convert_quickly(const char* at, const Letters& letters);
    uint64_t convert(const char* start, const char* at, const char* end, const Letters& letters, int64_t& invalid);

    uint64_t clean_ = 0;  // how many elements of `words` have been zeroed
};

}  // namespace tallybayes
