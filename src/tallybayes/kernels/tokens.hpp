// From a text to its tokens: words, runs of words, or runs of characters.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "letters.hpp"
#include "strings.hpp"

namespace tallybayes {

// Words that are replaced by others, or dropped.
struct Translation {
    StringIndex from;
    StringIndex to;
    std::vector<int32_t> becomes;  // for every word of `from` one of `to`; below zero: it is dropped
};

// The tokens of a few texts; reused from text to text, to avoid allocations.
struct Tokens {
    Text text;
    std::vector<char> joined;    // words with one space between them
    std::vector<Span> spans;     // the tokens, parts of `base`
    std::vector<uint32_t> ends;  // of each text's tokens
    const char* base = nullptr;
    std::vector<uint32_t> edges;
    std::vector<int32_t> codes;
    std::vector<Span> words, runs;
};

class Tokeniser {
public:
    Letters letters;
    uint32_t shortest = 2;     // word, in characters
    bool characters = false;   // runs of characters instead of words
    uint32_t low = 1, high = 1;  // how long runs are
    bool strict = true;        // what is not UTF-8 is an error
    bool punctuation = false;  // each character that `letters` says is punctuation is a token, however short
    bool marked = false;       // a start mark comes before the first word of every text
    uint32_t spelled_low = 1, spelled_high = 0;  // how long the runs of characters are that come beside the words, if any do

    static constexpr char start_mark = 2;  // U+0002, which no word has; among characters of a text, it is read as a space

    static constexpr char spelled_mark = 3;  // U+0003, which no word has either, comes before such a run

    // Adds a text to be tokenised. Returns false if it is not UTF-8 and that is an error.
    bool add(std::string_view text, const char* behind, Tokens& tokens) const;
    // Tokenises the texts.
    void cut(const Translation* translation, Tokens& tokens) const;
    // Makes of words what is counted, if that is something else.
    void translate(const Translation* translation, Tokens& tokens) const;

private:
    bool is_long(const char* word, uint32_t length) const;
    void find_words(Tokens& tokens) const;
    void find_words_and_punctuation(Tokens& tokens) const;
    void find_characters(Tokens& tokens) const;
    void mark_characters(Tokens& tokens) const;
    void spell(size_t from, Tokens& tokens) const;
};

}  // namespace tallybayes
