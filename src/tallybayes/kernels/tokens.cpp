#include "tokens.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr size_t patience = 1 << 18;  // words between checks for signals

inline bool starts_character(char c) { return (c & 0xc0) != 0x80; }

uint32_t count_characters(const char* text, uint32_t length) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; ++i) count += starts_character(text[i]);
    return count;
}

// The length in bytes of the character that starts with this byte.
inline uint32_t character_length(char first) {
    const uint8_t c = uint8_t(first);
    return 1u + (c >= 0xc0) + (c >= 0xe0) + (c >= 0xf0);
}

// The character at these bytes, which are valid UTF-8.
inline uint32_t character_at(const char* bytes, uint32_t length) {
    uint32_t c = uint8_t(*bytes) & (length == 1 ? 0x7fu : 0x7fu >> length);
    for (uint32_t i = 1; i < length; ++i) c = c << 6 | (uint8_t(bytes[i]) & 63);
    return c;
}

// The starts and ends of words, alternately, and a final start beyond all texts.
size_t find_edges(const Text& text, std::vector<uint32_t>& edges) {
    constexpr uint64_t stretch = 1 << 14;  // blocks for which room is made at a time, between checks for signals
    const uint64_t blocks = text.length / 64 + 1;  // the bit behind the last byte is zero and ends the last word
    uint64_t carry = 0;
    size_t found = 0;
    for (uint64_t block = 0; block < blocks;) {
        if (block) heed_signals();
        const uint64_t stop = std::min(block + stretch, blocks), room = found + (stop - block) * 64 + 1;
        if (edges.size() < room) lengthen(edges, block ? room + room / 2 : room);
        uint32_t* next = edges.data() + found;
        for (; block < stop; ++block) {
            const uint64_t bits = text.words[block];
            for (uint64_t changes = bits ^ (bits << 1 | carry); changes; changes &= changes - 1)
                *next++ = uint32_t(block * 64 + uint64_t(std::countr_zero(changes)));
            carry = bits >> 63;
        }
        found = size_t(next - edges.data());
    }
    edges[found] = ~uint32_t(0);
    return found;
}

// All n-grams of `low` to `high` words, given their starts and ends.
void find_runs(const std::vector<Span>& words, uint32_t low, uint32_t high, std::vector<Span>& runs) {
    for (size_t n = low; n <= high && n <= words.size(); ++n)
        in_stretches(words.begin(), words.end() - ptrdiff_t(n - 1), [&](auto first, auto stop) {
            for (auto last = first + ptrdiff_t(n - 1); first < stop; ++first, ++last)
                runs.push_back({first->start, last->start + last->length - first->start});
        });
}

}  // namespace

// Whether a word has enough characters.
inline bool Tokeniser::is_long(const char* word, uint32_t length) const {
    const bool second = length > (std::min<uint32_t>(shortest, 2) - 1) * character_length(*word);
    if (shortest <= 2) return second;
    return length >= 4 * shortest || count_characters(word, length) >= shortest;
}

void Tokeniser::find_words(Tokens& tokens) const {
    const size_t words = find_edges(tokens.text, tokens.edges) / 2;
    const char* base = tokens.text.bytes.data();
    lengthen(tokens.spans, words);
    const uint32_t* edges = tokens.edges.data();
    Span* spans = tokens.spans.data();
    size_t at = 0, kept = 0;
    for (const uint32_t end : tokens.text.ends) {
        for (; edges[at] < end; at += 2) {  // without branches: the length of words is unpredictable
            const Span span{edges[at], edges[at + 1] - edges[at]};
            spans[kept] = span;
            kept += is_long(base + span.start, span.length);
            if (at % (2 * patience) == 2 * (patience - 1)) heed_signals();
        }
        tokens.ends.push_back(uint32_t(kept));
    }
    tokens.spans.resize(kept);
    tokens.base = base;
}

void Tokeniser::find_words_and_punctuation(Tokens& tokens) const {
    find_edges(tokens.text, tokens.edges);
    const char* base = tokens.text.bytes.data();
    const uint32_t* edge = tokens.edges.data();
    tokens.spans.clear();
    uint32_t at = 0;
    for (const uint32_t end : tokens.text.ends) {
        while (at < end) {
            for (const uint32_t word = std::min(*edge, end); at < word;) {
                const uint32_t length = character_length(base[at]);
                if (letters[character_at(base + at, length)] & Letters::punctuation) tokens.spans.push_back({at, length});
                at += length;
            }
            if (at == end) break;
            const Span span{edge[0], edge[1] - edge[0]};
            if (is_long(base + span.start, span.length)) tokens.spans.push_back(span);
            if ((edge - tokens.edges.data()) % (2 * patience) == 2 * (patience - 1)) heed_signals();
            at = edge[1];
            edge += 2;
        }
        at = end + 1;
        tokens.ends.push_back(uint32_t(tokens.spans.size()));
    }
    tokens.base = base;
}

// Copies the texts, each with a start mark before it.
void Tokeniser::mark_characters(Tokens& tokens) const {
    std::vector<char>& joined = tokens.joined;
    const char* base = tokens.text.bytes.data();
    joined.clear();
    uint32_t at = 0;
    for (uint32_t& end : tokens.text.ends) {
        if (joined.size() + end - at > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
        joined.push_back(start_mark);
        const size_t from = joined.size();
        joined.insert(joined.end(), base + at, base + end);
        std::replace(joined.begin() + ptrdiff_t(from), joined.end(), start_mark, ' ');
        at = end + 1;
        end = uint32_t(joined.size());
        joined.push_back(0);
    }
    joined.insert(joined.end(), Text::padding, 0);
}

void Tokeniser::find_characters(Tokens& tokens) const {
    tokens.spans.clear();
    if (marked) mark_characters(tokens);
    const char* base = marked ? tokens.joined.data() : tokens.text.bytes.data();
    uint32_t at = 0;
    for (const uint32_t end : tokens.text.ends) {
        tokens.words.clear();
        while (at < end) {
            uint32_t length = 1;
            while (at + length < end && !starts_character(base[at + length])) ++length;
            tokens.words.push_back({at, length});
            if (tokens.words.size() % patience == 0) heed_signals();
            at += length;
        }
        at = end + 1;
        find_runs(tokens.words, low, high, tokens.spans);
        tokens.ends.push_back(uint32_t(tokens.spans.size()));
    }
    tokens.base = base;
}

bool Tokeniser::add(std::string_view text, const char* behind, Tokens& tokens) const {
    const int64_t invalid = characters ? tokens.text.add_evenly(text.data(), text.size(), letters)
                                       : tokens.text.add(text.data(), text.size(), behind, letters);
    return invalid < 0 || !strict;
}

void Tokeniser::cut(const Translation* translation, Tokens& tokens) const {
    tokens.ends.clear();
    if (characters) return find_characters(tokens);
    punctuation ? find_words_and_punctuation(tokens) : find_words(tokens);
    translate(translation, tokens);
}

// All character n-grams of a text's words, which start here, with a space before and after each word.
void Tokeniser::spell(size_t from, Tokens& tokens) const {
    std::vector<char>& joined = tokens.joined;
    joined.push_back(' ');
    std::vector<uint32_t>& starts = tokens.edges;
    starts.clear();
    for (size_t at = from; at < joined.size(); ++at)
        if (starts_character(joined[at])) starts.push_back(uint32_t(at));
    starts.push_back(uint32_t(joined.size()));
    const size_t characters = starts.size() - 1;
    for (size_t n = spelled_low; n <= spelled_high && n <= characters; ++n)
        for (size_t first = 0; first + n <= characters; ++first) {
            if (first && first % patience == 0) heed_signals();
            const uint32_t start = starts[first], length = starts[first + n] - start;
            const size_t at = joined.size();
            if (at + length > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
            joined.resize(at + length + 1);
            joined[at] = spelled_mark;
            std::copy_n(joined.begin() + start, length, joined.begin() + ptrdiff_t(at) + 1);
            tokens.runs.push_back({uint32_t(at), length + 1});
        }
}

void Tokeniser::translate(const Translation* translation, Tokens& tokens) const {
    const bool spells = spelled_low <= spelled_high;
    if (!translation && high == 1 && !marked && !spells) return;
    if (translation) translation->from.look_up(tokens.base, tokens.spans, tokens.codes);
    std::vector<char>& joined = tokens.joined;
    joined.clear();
    tokens.runs.clear();
    size_t next = 0;
    for (uint32_t& end : tokens.ends) {
        tokens.words.clear();
        const size_t from = joined.size();
        if (spells) joined.push_back(' ');
        if (marked) {
            if (!joined.empty()) joined.push_back(' ');
            tokens.words.push_back({uint32_t(joined.size()), 1});
            joined.push_back(start_mark);
        }
        for (; next < end; ++next) {
            if (next && next % patience == 0) heed_signals();
            std::string_view word(tokens.base + tokens.spans[next].start, tokens.spans[next].length);
            if (translation && tokens.codes[next] >= 0) {
                const int32_t other = translation->becomes[tokens.codes[next]];
                if (other < 0) continue;
                word = translation->to[other];
            }
            if (joined.size() + word.size() > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
            if (!joined.empty() && !(spells && tokens.words.empty())) joined.push_back(' ');
            tokens.words.push_back({uint32_t(joined.size()), uint32_t(word.size())});
            joined.insert(joined.end(), word.begin(), word.end());
        }
        find_runs(tokens.words, low, high, tokens.runs);
        if (spells && !tokens.words.empty()) spell(from, tokens);
        end = uint32_t(tokens.runs.size());
    }
    joined.insert(joined.end(), Text::padding, 0);
    tokens.base = joined.data();
    tokens.spans.swap(tokens.runs);
}

}  // namespace tallybayes
