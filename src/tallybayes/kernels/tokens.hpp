// From a text to its tokens: words, runs of words, or runs of characters.
#pragma once
#include <cstdint>
#include <vector>

#include "letters.hpp"
#include "strings.hpp"

namespace tallybayes {

// Words that are counted as others, or not at all.
struct Translation {
    StringIndex from;
    StringIndex to;
    std::vector<int32_t> becomes;  // for every word of `from` one of `to`; below zero: it is dropped
};

// What one text was cut into; kept from text to text, so that nothing is allocated for each.
struct Tokens {
    Text text;
    std::vector<char> joined;  // words with one space between them
    std::vector<Span> spans;   // the tokens, parts of `base`
    const char* base = nullptr;
    std::vector<uint32_t> edges;
    std::vector<int32_t> codes, found;
    std::vector<Span> words;
};

class Tokeniser {
public:
    Letters letters;
    uint32_t shortest = 2;     // word, in characters
    bool characters = false;   // runs of characters instead of words
    uint32_t low = 1, high = 1;  // how long runs are
    bool strict = true;        // what is not UTF-8 is an error

    // Cuts a text. Returns false if it is not UTF-8 and that is an error.
    bool cut(const char* text, uint64_t size, const Translation* translation, Tokens& tokens) const;
    // The same for words that are already cut: parts of a text that can be read eight bytes beyond its end.
    void join(const char* text, const Translation* translation, Tokens& tokens) const;

private:
    void find_words(Tokens& tokens) const;
    void find_characters(Tokens& tokens) const;
};

}  // namespace tallybayes
