// Growing trees: questions that split the classes of some rows, or random ones.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Rows to grow trees with: codes column by column, [column, row].
struct GrownRows {
    const uint8_t* codes;
    const int32_t* labels;   // the class of each row
    const double* weights;   // of each row; null: one each
    const uint64_t* marks;   // of each row
    const uint8_t* nominal;  // for each column, whether its codes are unordered
    int64_t rows, columns, classes;
    int64_t least;  // rows of a node that is still split
};

enum class Questions {
    best,    // the best split over all questions of some random columns
    drawn,   // the best of one random question for each of some random columns
    random,  // a random question about a random column
};

// The packed nodes of one tree, relative to its root; `tree` decides which rows it is grown on, and `tried` is the number
// of columns that a node considers.
std::vector<int64_t> grow_tree(const GrownRows& given, Questions questions, int64_t tried, uint64_t seed, uint64_t tree);

}  // namespace tallybayes
