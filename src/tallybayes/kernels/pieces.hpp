// The evidence of words in left-out documents, for each of several counts and powers.
#pragma once
#include <cstdint>

namespace tallybayes {

constexpr int64_t word_bases = 3;   // documents, occurrences, shares
constexpr int64_t word_powers = 3;  // of a word's information: 0, ½, 1

// The counts of words. The cells of word w are starts[w] … starts[w + 1] − 1.
struct CountedWords {
    const int64_t* starts;
    const int32_t *classes, *blocks;        // of each cell; of each word
    const double *counts, *overall;         // [cell][base], [word][base]
    const double *totals, *scale;           // [base][block][class], [base][block]
    int64_t width, block_count;             // width: how many classes
    double a;                               // smoothing
    bool two;                               // whether at most two classes have texts
};

// Documents and their words. own[document][class] is the document's own count, which is left out.
struct LeftDocuments {
    const int64_t* starts;
    const int32_t* words;
    const double *times, *share, *own;
    int64_t documents;
};

// Writes pieces[document][class][block][base][power] or, given the weights theta[block][base][power], their weighted sum
// [document][class]; and how many words of each document occur in others, too.
void left_pieces(const CountedWords& known, const LeftDocuments& left, const double* theta, double* pieces, double* lengths);

}  // namespace tallybayes
