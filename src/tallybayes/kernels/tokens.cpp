#include "tokens.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace tallybayes {
namespace {

inline bool starts_character(char c) { return (c & 0xc0) != 0x80; }

uint32_t count_characters(const char* text, uint32_t length) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; ++i) count += starts_character(text[i]);
    return count;
}

// How many bytes the character has that starts with this one.
inline uint32_t character_length(char first) {
    const uint8_t c = uint8_t(first);
    return 1u + (c >= 0xc0) + (c >= 0xe0) + (c >= 0xf0);
}

// Where words start and end, alternately.
size_t find_edges(const Text& text, std::vector<uint32_t>& edges) {
    const uint64_t blocks = text.length / 64 + 1;  // the bit behind the last byte is zero and ends the last word
    if (edges.size() < blocks * 64) edges.resize(blocks * 64);
    uint32_t* next = edges.data();
    uint64_t carry = 0;
    for (uint64_t block = 0; block < blocks; ++block) {
        const uint64_t bits = text.words[block];
        for (uint64_t changes = bits ^ (bits << 1 | carry); changes; changes &= changes - 1)
            *next++ = uint32_t(block * 64 + uint64_t(std::countr_zero(changes)));
        carry = bits >> 63;
    }
    return size_t(next - edges.data());
}

// Every run of `low` to `high` of the words, given by where they start and end.
void find_runs(const std::vector<Span>& words, uint32_t low, uint32_t high, std::vector<Span>& spans) {
    spans.clear();
    for (uint32_t n = low; n <= high; ++n)
        for (size_t i = 0; i + n <= words.size(); ++i) {
            const Span &first = words[i], &last = words[i + n - 1];
            spans.push_back({first.start, last.start + last.length - first.start});
        }
}

}  // namespace

void Tokeniser::find_words(Tokens& tokens) const {
    const size_t words = find_edges(tokens.text, tokens.edges) / 2;
    const char* base = tokens.text.bytes.data();
    tokens.spans.resize(words);
    const uint32_t* edges = tokens.edges.data();
    Span* spans = tokens.spans.data();
    size_t kept = 0;
    const uint32_t least = std::min<uint32_t>(shortest, 2);
    for (size_t i = 0; i < words; ++i) {  // without branches: whether a word is long enough cannot be foretold
        const Span span{edges[2 * i], edges[2 * i + 1] - edges[2 * i]};
        spans[kept] = span;
        kept += span.length > (least - 1) * character_length(base[span.start]);  // is there a second letter?
    }
    tokens.spans.resize(kept);
    if (shortest > 2)
        std::erase_if(tokens.spans, [&](const Span& span) {
            return span.length < 4 * shortest && count_characters(base + span.start, span.length) < shortest;
        });
    tokens.base = base;
}

void Tokeniser::find_characters(Tokens& tokens) const {
    tokens.words.clear();
    const char* base = tokens.text.bytes.data();
    for (uint32_t at = 0; at < tokens.text.length;) {
        uint32_t length = 1;
        while (at + length < tokens.text.length && !starts_character(base[at + length])) ++length;
        tokens.words.push_back({at, length});
        at += length;
    }
    find_runs(tokens.words, low, high, tokens.spans);
    tokens.base = base;
}

bool Tokeniser::cut(const char* text, uint64_t size, const Translation* translation, Tokens& tokens) const {
    const int64_t invalid = characters ? tokens.text.read_evenly(text, size, letters) : tokens.text.read(text, size, letters);
    if (invalid >= 0 && strict) return false;
    if (characters) {
        find_characters(tokens);
        return true;
    }
    find_words(tokens);
    if (translation || high > 1) join(tokens.base, translation, tokens);
    return true;
}

void Tokeniser::join(const char* text, const Translation* translation, Tokens& tokens) const {
    if (translation) translation->from.look_up(text, tokens.spans, tokens.codes);
    std::vector<char>& joined = tokens.joined;
    joined.clear();
    tokens.words.clear();
    for (size_t i = 0; i < tokens.spans.size(); ++i) {
        std::string_view word(text + tokens.spans[i].start, tokens.spans[i].length);
        if (translation && tokens.codes[i] >= 0) {
            const int32_t other = translation->becomes[tokens.codes[i]];
            if (other < 0) continue;
            word = translation->to[other];
        }
        if (joined.size() + word.size() > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
        if (!joined.empty()) joined.push_back(' ');
        tokens.words.push_back({uint32_t(joined.size()), uint32_t(word.size())});
        joined.insert(joined.end(), word.begin(), word.end());
    }
    joined.insert(joined.end(), Text::padding, 0);
    tokens.base = joined.data();
    find_runs(tokens.words, low, high, tokens.spans);
}

}  // namespace tallybayes
