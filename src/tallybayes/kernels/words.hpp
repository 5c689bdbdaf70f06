// Documents: counting the words of each class, listing the words of each document, and summing their evidence.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "strings.hpp"
#include "tokens.hpp"

namespace tallybayes {

// Texts of any kind: Arrow strings, a single text, or (with `tokens`) lists of words that are already tokenised.
struct Documents {
    StringColumn column;          // the texts, or the words
    const int64_t* tokens;        // where each document's words start within the column; null if these are texts
    const uint8_t* missing;       // with `tokens`: a byte per document
    int64_t rows;

    bool is_missing(int64_t row) const { return tokens ? missing[row] != 0 : column.missing(row); }
};

// How texts become numbered words.
struct Reading {
    const Tokeniser* tokeniser;
    const Translation* translation;  // or null
    const StringIndex* vocabulary;   // the only words that are counted; null: all are
    bool once;                       // whether each word counts once per document
    int32_t unknown;                 // the number of all words not in the vocabulary; negative: they are skipped
};

// The counts, in two blocks, since every array passed to Python has a cost.
struct Counted {
    int64_t cells = 0;
    std::vector<int64_t> sums;   // n, documents, and share (three limbs each, the lowest of 2^-64) of all cells; then the
                                 // sorted distinct lengths of documents, to eight significant bits
    std::vector<int32_t> codes;  // the words, then the classes of all cells; then the index of each document's length,
                                 // negative if it was not counted
};

// Counts the documents' words by class; with `grow`, new words are added to the index. Throws `NotUtf8`.
Counted count_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow,
                    const int32_t* classes, int width);

struct Listed {
    std::vector<int64_t> starts;  // of each document's words, and the end
    std::vector<int32_t> words;
    std::vector<int32_t> counts;
};

// The words of each document, by number, and their counts.
Listed list_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow);

// The evidence of every word for every class, as a table, or only for classes that have the word.
struct Scores {
    const double* table;      // [word][class], or null
    const int64_t* starts;    // of each word's cells, and the end
    const int32_t* classes;
    const double* cells;      // the evidence minus `otherwise`; if that is −∞, the whole evidence
    const double* otherwise;  // the evidence of a word for a class that does not have it
    const double* each;       // evidence that all words share, by class
    int64_t width;            // classes
    bool urn = false;         // whether to score repetition by a Pólya urn: then the evidence is log α
};

// Adds the evidence of words to scores[class][row], and counts the words that the index knows.
void add_words(const Documents& documents, const Reading& reading, const StringIndex& index, const Scores& evidence,
               double* scores, int64_t stride, int64_t* lengths);

// The message is the row number.
struct NotUtf8 : std::runtime_error {
    explicit NotUtf8(int64_t row) : std::runtime_error(std::to_string(row)) {}
};

}  // namespace tallybayes
