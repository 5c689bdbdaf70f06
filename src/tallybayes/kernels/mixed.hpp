// What the different words of a document say where several readings of them are mixed: a word says more each time it comes,
// in proportion to log2(1 + times), and all of it is divided by a power of how many different words there are.
#pragma once
#include <cstdint>

#include "words.hpp"

namespace tallybayes {

// Two numbers for every word and class: what the word says by coming once, and how much that grows when times + 1 is doubled. As
// a table, or only where a class has met the word; elsewhere a word says nothing.
struct Mixed {
    const double* table;    // [word][2][class], or null
    const int64_t* starts;  // of each word's cells, and the end
    const int32_t* classes;
    const double* cells;    // [cell][2]
    int64_t width;          // classes
    double gamma;           // what is said is divided by (different words / length) to this power
    double length;
};

// Adds up what the words say to scores[class][row], and counts the different words that the index knows.
void add_mixed(const Documents& documents, const Reading& reading, const StringIndex& index, const Mixed& said, double* scores,
               int64_t stride, int64_t* lengths);

}  // namespace tallybayes
