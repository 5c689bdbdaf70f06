// The evidence of a document's different words when several readings are mixed: it grows with log2(1 + times), and the
// sum is divided by a power of the number of different words.
#pragma once
#include <cstdint>

#include "words.hpp"

namespace tallybayes {

// Two numbers for every word and class: the evidence of one occurrence, and its growth when times + 1 doubles. As a
// table, or only for classes that have the word; for others it is 0.
struct Mixed {
    const double* table;    // [word][2][class], or null
    const int64_t* starts;  // of each word's cells, and the end
    const int32_t* classes;
    const double* cells;    // [cell][2]
    int64_t width;          // classes
    double gamma;           // the evidence is divided by (different words / length) to this power
    double length;
};

// Adds the evidence of words to scores[class][row], and counts the different words that the index knows.
void add_mixed(const Documents& documents, const Reading& reading, const StringIndex& index, const Mixed& evidence,
               double* scores, int64_t stride, int64_t* lengths);

}  // namespace tallybayes
