// Rows with shares in several classes: counting their words, levels and numbers.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// The classes and shares of each row, in units of 2^-32; their total is below 2^62.
struct Shares {
    const int64_t* starts;
    const int32_t* classes;
    const int64_t* units;
    int width;
};

// The words of documents, from `list_words`.
struct ListedWords {
    const int64_t* starts;
    const int32_t *words, *counts;
    int64_t rows, size;  // the number of documents, and of words in the index
};

// The word and class of every cell, and the sums as 32-bit limbs, as many as the largest needs, lowest first: in units of
// 2^-32 for n and documents, and of 2^-96 for shares.
struct SharedWords {
    std::vector<int32_t> words, classes;
    std::vector<int64_t> n, documents, shares;
};

SharedWords count_shared(const ListedWords& listed, const Shares& shares);

// The count of each level in each class, in units: table[level][class]; a negative level is missing.
void count_units(const int32_t* levels, int64_t rows, const Shares& shares, int64_t* table);

// The limbs of a sum; the lowest weighs 2^(32·low).
struct Window {
    int low;
    int64_t size;
    int64_t* limbs;  // [column][class][limb]; null if the sum is not needed
};

// Σ units, Σ units·x and Σ units·x² of every column of a matrix, by class: NaN is missing, no value is infinite, and no
// share is more than 2^33 units.
void sum_units(const double* values, int64_t rows, int64_t columns, const Shares& shares, int64_t* n, const Window& x,
               const Window& xx);

}  // namespace tallybayes
