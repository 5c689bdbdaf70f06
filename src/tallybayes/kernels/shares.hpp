// Rows with shares in several classes: counting their words, levels and numbers.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Which classes each row belongs to, and how much, in units of 2^-32: all of them together less than 2^62.
struct Shares {
    const int64_t* starts;
    const int32_t* classes;
    const int64_t* units;
    int width;
};

// The words of documents, as `list_words` gives them.
struct ListedWords {
    const int64_t* starts;
    const int32_t *words, *counts;
    int64_t rows, size;  // how many documents, and how many words there are
};

// Of all cells the word and the class, and the sums as limbs of 32 bits, as many for each as the largest needs: the lowest first,
// which is 2^-32 of n and documents and 2^-96 of shares.
struct SharedWords {
    std::vector<int32_t> words, classes;
    std::vector<int64_t> n, documents, shares;
};

SharedWords count_shared(const ListedWords& listed, const Shares& shares);

// How often each level occurs in each class, in units: table[level][class]; a level below zero is missing.
void count_units(const int32_t* levels, int64_t rows, const Shares& shares, int64_t* table);

// Limbs of a sum, of which the lowest weighs 2^(32·low).
struct Window {
    int low;
    int64_t size;
    int64_t* limbs;  // [column][class][limb], or null where the sum is not wanted
};

// Σ units, Σ units·x and Σ units·x² of every column of a matrix, by class: NaN is missing, no value is infinite, and no
// share is more than 2^33 units.
void sum_units(const double* values, int64_t rows, int64_t columns, const Shares& shares, int64_t* n, const Window& x,
               const Window& xx);

}  // namespace tallybayes
