#include "letters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "signals.hpp"

#if defined(__SSE2__) && !defined(TALLYBAYES_SCALAR)
#include <emmintrin.h>
#endif

namespace tallybayes {
namespace {

constexpr ptrdiff_t patience = 1 << 22;  // bytes between checks for signals
constexpr uint32_t not_utf8 = 0xffffffff;
constexpr uint32_t replacement = 0xfffd;
constexpr uint32_t dot_above = 0x307;
constexpr uint32_t final_sigma = 0x3c2;

struct Decoded {
    uint32_t character;
    uint32_t size;  // in bytes; for invalid UTF-8, the length of the invalid prefix
};

// Decodes one character. Overlong forms, surrogates and code points beyond Unicode are invalid.
inline Decoded decode(const char* at, const char* end) {
    const auto byte = [&](int i) { return uint32_t(uint8_t(at[i])); };
    const auto follows = [&](int i, uint32_t low, uint32_t high) { return at + i < end && byte(i) >= low && byte(i) <= high; };
    const uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xc2 || first > 0xf4) return {not_utf8, 1};
    if (first < 0xe0) {
        if (!follows(1, 0x80, 0xbf)) return {not_utf8, 1};
        return {(first & 31) << 6 | (byte(1) & 63), 2};
    }
    const uint32_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const uint32_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!follows(1, low, high)) return {not_utf8, 1};
    if (!follows(2, 0x80, 0xbf)) return {not_utf8, 2};
    if (first < 0xf0) return {(first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63), 3};
    if (!follows(3, 0x80, 0xbf)) return {not_utf8, 3};
    return {(first & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63), 4};
}

// Whether a capital sigma between these two ends of the text is the last letter of its word.
bool is_final(const char* start, const char* at, const char* end, const Letters& letters) {
    uint32_t before = 0;
    for (const char *p = at, *next = at; p > start; next = p) {
        do --p;
        while (p > start && (*p & 0xc0) == 0x80);
        const Decoded found = decode(p, next);
        const bool whole = found.character != not_utf8 && p + found.size == next;
        before = whole ? letters[found.character] : 0;
        if (!(before & Letters::ignorable)) break;
        before = 0;
    }
    if (!(before & Letters::cased)) return false;
    for (const char* p = at + 2; p < end;) {
        const Decoded found = decode(p, end);
        const uint32_t after = found.character == not_utf8 ? 0 : letters[found.character];
        if (!(after & Letters::ignorable)) return !(after & Letters::cased);
        p += found.size;
    }
    return true;
}

// For sixteen bytes: masks of those that are not ASCII and of word characters, and the lower-cased bytes.
#if defined(__SSE2__) && !defined(TALLYBAYES_SCALAR)
inline uint32_t beyond_ascii(const char* text) {
    return uint32_t(_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))));
}

inline uint32_t convert_ascii(const char* text, char* out, bool lower) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const auto between = [](__m128i v, char low, char high) {
        return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(char(low - 1))), _mm_cmplt_epi8(v, _mm_set1_epi8(char(high + 1))));
    };
    const __m128i capital = between(x, 'A', 'Z');
    const __m128i small = _mm_or_si128(x, _mm_and_si128(capital, _mm_set1_epi8(0x20)));
    const __m128i letter = between(small, 'a', 'z');
    const __m128i word = _mm_or_si128(_mm_or_si128(letter, between(x, '0', '9')), _mm_cmpeq_epi8(x, _mm_set1_epi8('_')));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), lower ? small : x);
    return uint32_t(_mm_movemask_epi8(word));
}
#else
inline uint32_t beyond_ascii(const char* text) {
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= uint32_t(uint8_t(text[i]) >> 7) << i;
    return bits;
}

inline uint32_t convert_ascii(const char* text, char* out, bool lower) {
    uint32_t words = 0;
    for (int i = 0; i < 16; ++i) {
        const char x = text[i], small = x >= 'A' && x <= 'Z' ? char(x | 0x20) : x;
        const bool word = (small >= 'a' && small <= 'z') || (x >= '0' && x <= '9') || x == '_';
        words |= uint32_t(word) << i;
        out[i] = lower ? small : x;
    }
    return words;
}
#endif

}  // namespace

void Text::clear() {
    clean_ = length = 0;
    ends.clear();
}

void Text::make_room(uint64_t room) {
    if (bytes.size() < room) lengthen(bytes, room + room / 4);
    const uint64_t wanted = room / 64 + 2;
    if (clean_ >= wanted) return;
    const uint64_t clean = wanted + wanted / 4;  // in larger steps than needed, to amortise the cost over short texts
    if (words.size() < clean) lengthen(words, clean);
    std::memset(words.data() + clean_, 0, (clean - clean_) * sizeof(uint64_t));
    clean_ = clean;
}

// Lower-casing may lengthen a character by half: two bytes become at most three.
void Text::start(uint64_t size) {
    if (size > 0x3fffffff) throw std::length_error("a text of more than 1 GiB");
    make_room(length + size + size / 2 + 2 * padding);
}

inline void Text::finish() {
    ends.push_back(uint32_t(length));
    bytes[length++] = 0;
}

inline void Text::mark(uint64_t from, uint64_t bits) {
    words[from >> 6] |= bits << (from & 63);
    words[(from >> 6) + 1] |= bits >> 1 >> (63 - (from & 63));  // zero if all bits fit into the first word
}

inline void Text::write(uint32_t c) {
    char* out = bytes.data() + length;
    if (c < 0x80) {
        out[0] = char(c);
        length += 1;
    } else if (c < 0x800) {
        out[0] = char(0xc0 | c >> 6);
        out[1] = char(0x80 | (c & 63));
        length += 2;
    } else if (c < 0x10000) {
        out[0] = char(0xe0 | c >> 12);
        out[1] = char(0x80 | (c >> 6 & 63));
        out[2] = char(0x80 | (c & 63));
        length += 3;
    } else {
        out[0] = char(0xf0 | c >> 18);
        out[1] = char(0x80 | (c >> 12 & 63));
        out[2] = char(0x80 | (c >> 6 & 63));
        out[3] = char(0x80 | (c & 63));
        length += 4;
    }
}

// Appends one character from `at`; returns its length in bytes.
inline uint64_t Text::convert(const char* start, const char* at, const char* end, const Letters& letters, int64_t& invalid) {
    const Decoded found = decode(at, end);
    if (found.character == not_utf8) {
        if (invalid < 0) {
            invalid = at - start;
            make_room(length + 3 * uint64_t(end - at) + 2 * padding);  // a single byte becomes three
        }
        write(replacement);
        return found.size;
    }
    const uint32_t entry = letters[found.character], becomes = found.character ^ (entry & Letters::character);
    const uint64_t from = length;
    if (entry & Letters::special) {
        write(entry & Letters::sigma && is_final(start, at, end, letters) ? final_sigma : becomes);
        if (entry & Letters::word) mark(from, (uint64_t(1) << (length - from)) - 1);
        if (entry & Letters::dotted) write(dot_above);
        return found.size;
    }
    write(becomes);
    if (entry & Letters::word) mark(from, (uint64_t(1) << (length - from)) - 1);
    return found.size;
}

// Appends the first of sixteen readable bytes, all of them ASCII.
inline void Text::copy_ascii(const char* text, uint64_t size, const Letters& letters) {
    mark(length, convert_ascii(text, bytes.data() + length, letters.lower) & ((1u << size) - 1));
    length += size;
}

// Appends characters of two or three bytes whose lower case is as long, as most are; returns their length in bytes, or 0.
inline uint64_t Text::convert_quickly(const char* at, const Letters& letters) {
    const auto byte = [&](int i) { return uint32_t(uint8_t(at[i])); };
    if (byte(0) < 0xe0) {
        const uint32_t c = (byte(0) & 31) << 6 | (byte(1) & 63), entry = letters[c];
        const uint32_t becomes = c ^ (entry & Letters::character);
        if (byte(0) < 0xc2 || (byte(1) & 0xc0) != 0x80 || entry & Letters::special || becomes - 0x80 >= 0x780) return 0;
        bytes[length] = char(0xc0 | becomes >> 6);
        bytes[length + 1] = char(0x80 | (becomes & 63));
        mark(length, entry & Letters::word ? 3 : 0);
        length += 2;
        return 2;
    }
    if (byte(0) >= 0xf0 || byte(0) == 0xe0 || byte(0) == 0xed) return 0;
    if ((byte(1) & 0xc0) != 0x80 || (byte(2) & 0xc0) != 0x80) return 0;
    const uint32_t c = (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63), entry = letters[c];
    if (entry & (Letters::special | Letters::character)) return 0;
    std::memcpy(bytes.data() + length, at, 3);
    mark(length, entry & Letters::word ? 7 : 0);
    length += 3;
    return 3;
}

int64_t Text::add(const char* text, uint64_t size, const char* behind, const Letters& letters) {
    start(size);
    int64_t invalid = -1;
    const char* at = text;
    const char* const end = text + size;
    const char* rest = at + patience;
    while (end - at >= 16) {
        if (at >= rest) {
            heed_signals();
            rest = at + patience;
        }
        const uint32_t beyond = beyond_ascii(at);
        const uint64_t plain = beyond ? uint64_t(std::countr_zero(beyond)) : 16;
        copy_ascii(at, plain, letters);
        at += plain;
        if (!beyond) continue;
        do {
            const uint64_t quick = end - at >= 3 ? convert_quickly(at, letters) : 0;
            at += quick ? quick : convert(text, at, end, letters, invalid);
        } while (at < end && *at & 0x80);
    }
    if (at < end) {
        const uint64_t left = uint64_t(end - at);
        char copy[16];
        const bool near = behind - at < 16;
        if (near) std::memcpy(copy, at, left);
        const char* last = near ? copy : at;
        if (beyond_ascii(last) & ((1u << left) - 1)) {
            while (at < end) at += convert(text, at, end, letters, invalid);
        } else {
            copy_ascii(last, left, letters);
        }
    }
    finish();
    return invalid;
}

int64_t Text::add_evenly(const char* text, uint64_t size, const Letters& letters) {
    start(size);
    int64_t invalid = -1;
    bool spaced = false;
    const char* const end = text + size;
    const char* rest = text + patience;
    for (const char* at = text; at < end;) {
        if (at >= rest) {
            heed_signals();
            rest = at + patience;
        }
        const Decoded found = decode(at, end);
        const bool space = found.character != not_utf8 && letters[found.character] & Letters::space;
        if (!space)
            at += convert(text, at, end, letters, invalid);
        else {
            if (!spaced) write(' ');
            at += found.size;
        }
        spaced = space;
    }
    finish();
    return invalid;
}

}  // namespace tallybayes
