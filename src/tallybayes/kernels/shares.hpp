// Documents that belong to several classes at once, with a share in each.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// The words of documents, as `list_words` gives them.
struct ListedWords {
    const int64_t* starts;
    const int32_t *words, *counts;
    int64_t rows, size;  // how many documents, and how many words there are
};

// Which classes each document belongs to, and how much, in units of 2^-32: all of them together less than 2^63.
struct Shares {
    const int64_t* starts;
    const int32_t* classes;
    const int64_t* units;
    int width;
};

// Of all cells the word and the class, and the sums as limbs of 32 bits, the lowest first.
struct SharedWords {
    static constexpr int n_limbs = 3, document_limbs = 2, share_limbs = 4;  // of which the lowest is 2^-32, 2^-32, 2^-96
    std::vector<int32_t> words, classes;
    std::vector<int64_t> n, documents, shares;
};

SharedWords count_shared(const ListedWords& listed, const Shares& shares);

}  // namespace tallybayes
