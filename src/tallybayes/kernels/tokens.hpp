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
    std::vector<int32_t> becomes;  // for every word of `from` one of `to`; negative: it is dropped
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
    uint32_t shortest = 2;     // characters of a word
    bool characters = false;   // n-grams of characters instead of words
    uint32_t low = 1, high = 1;  // lengths of n-grams
    bool strict = true;        // whether invalid UTF-8 is an error
    bool punctuation = false;  // whether each punctuation character, as marked in `letters`, is a token
    bool marked = false;       // whether every text begins with a start mark
    uint32_t spelled_low = 1, spelled_high = 0;  // lengths of character n-grams in addition to words, if any

    static constexpr char start_mark = 2;  // U+0002, which no word contains; in a text of characters, it is read as a space

    static constexpr char spelled_mark = 3;  // U+0003, which no word contains either: the prefix of such an n-gram

    // Adds a text to be tokenised. Returns false if it is not UTF-8 and that is an error.
    bool add(std::string_view text, const char* behind, Tokens& tokens) const;
    // Tokenises the texts.
    void cut(const Translation* translation, Tokens& tokens) const;
    // Turns words into the tokens to count, if those differ.
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
