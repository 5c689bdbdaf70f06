// Growing trees: questions that split the classes of some rows, or random ones.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// Rows to grow trees with: codes column by column, [column, row].
struct GrownRows {
    const uint8_t* codes;
    const int32_t* labels;   // of each row its class
    const double* weights;   // nothing given: one each
    const uint64_t* marks;   // of each row
    const uint8_t* nominal;  // of each column, whether its codes have no order that matters
    int64_t rows, columns, classes;
};

enum class Questions {
    best,    // of some columns, the question that parts the classes best
    drawn,   // of some columns a question each, drawn at random, and of these the best
    random,  // one column and one question, whatever the classes
};

// The nodes of one tree, packed, counted from its root; `tree` says which rows it takes, and `tried` how many columns a node
// looks at.
std::vector<int64_t> grow_tree(const GrownRows& given, Questions questions, int64_t tried, uint64_t seed, uint64_t tree);

}  // namespace tallybayes
