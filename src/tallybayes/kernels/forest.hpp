// Trees of yes/no questions about a row's codes: finding its leaf, and P(class) from the counts along the path.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tallybayes {

// A question: does the code of this column lie from `low` to `low + span`? Yes leads to node `yes`, no to the next one.
// The question of a leaf is always answered yes, and leads to itself. All in one number, loaded at once.
class Node {
public:
    explicit Node(uint64_t bits) : bits_(bits) {}
    Node(uint32_t yes, uint16_t column, uint8_t low, uint8_t span)
        : bits_(yes | uint64_t(column) << 32 | uint64_t(low) << 48 | uint64_t(span) << 56) {}

    uint64_t pack() const { return bits_; }
    uint32_t yes() const { return uint32_t(bits_); }
    uint16_t column() const { return uint16_t(bits_ >> 32); }
    uint8_t low() const { return uint8_t(bits_ >> 48); }
    uint8_t span() const { return uint8_t(bits_ >> 56); }
    uint32_t next(const uint8_t* codes) const { return yes() + (uint8_t(codes[column()] - low()) > span()); }

private:
    uint64_t bits_;
};

// A hash of a number that spreads all bits.
inline uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// A hash for every row of codes, equal for equal rows.
void mark_codes(const uint8_t* codes, int64_t rows, int64_t columns, uint64_t* marks);
// The mark of rows so frequent that no single one matters to a tree.
constexpr uint64_t common_mark = 0;
// Whether a tree is grown on the rows with this mark: about 63 % of them are.
bool grown_with(uint64_t mark, uint64_t tree);

// Rows of codes, row-major.
struct CodeRows {
    const uint8_t* codes;
    int64_t rows, columns;
};

// Rows that were counted, each to be left out: its class, its weight (null: 1), and its mark, if that decides which
// trees score it.
struct CountedRows {
    const int32_t* classes;
    const double* weights;
    const uint64_t* marks;
};

class Forest {
public:
    // Consecutive trees, each from its root on; throws std::invalid_argument if they are not trees.
    Forest(const uint64_t* nodes, int64_t count, const int32_t* roots, int64_t trees, int64_t columns);

    int64_t trees() const { return int64_t(roots_.size()) - 1; }
    int64_t leaves() const { return leaves_; }
    int64_t columns() const { return columns_; }
    int64_t first_leaf(int64_t tree) const { return first_leaf_[size_t(tree)]; }

    // Each row's leaf in a tree, counted from that tree's first.
    void find(const CodeRows& given, int64_t tree, int32_t* leaves) const;

    // Each row's leaves in all trees, [row, tree].
    void find_all(const CodeRows& given, int32_t* leaves) const;

    // P(class) in every leaf: on the way down, the counts of a node are smoothed by m rows distributed like its parent.
    void believe(const double* counts, int64_t classes, double m, double* chances, double* logs) const;

    // Adds the probabilities of some of the trees, and their logarithms, to each row's sums: [row, class].
    void add(const CodeRows& given, const double* chances, const double* logs, int64_t classes, int64_t first, int64_t last,
             double* sums, double* log_sums) const;

    // The counts of every node of every tree, [node, class].
    int64_t nodes() const { return int64_t(nodes_.size()); }
    void count(const double* counts, int64_t classes, double* sums) const;

    // The same as `add` from the counts of nodes: for few rows, without computing the probabilities of all leaves.
    void add_few(const CodeRows& given, const double* counted, int64_t classes, double m, int64_t first, int64_t last,
                 double* sums, double* log_sums) const;

    // The same by the counts without the row itself, over the trees that were grown without it; also adds their number.
    void add_left_out(const CodeRows& given, const CountedRows& own, const double* counts, int64_t classes, double m,
                      int64_t first, int64_t last, double* sums, double* log_sums, int64_t* used) const;

    // Adds to [row, column, class] the change of log P(class) wherever a tree asks about a column.
    void add_changes(const CodeRows& given, const double* counts, int64_t classes, double m, double* changes) const;

private:
    // Calls each(row, leaf's node) for the rows for which wanted(row), in order.
    template <class Wanted, class Each>
    void walk(const CodeRows& given, int64_t tree, Wanted wanted, Each each) const;
    // The nodes from one up to its root.
    void climb(uint32_t node, uint32_t root, std::vector<uint32_t>& path) const;
    // The counts of every node of a tree: sums over its leaves.
    void count_nodes(const double* counts, int64_t classes, int64_t tree, double* sums) const;
    void count_nodes(const double* counts, int64_t classes, int64_t tree, std::vector<double>& sums) const;

    std::vector<Node> nodes_;
    std::vector<uint32_t> roots_;    // and the end of the last tree
    std::vector<int32_t> leaf_;      // of each node that is one, its number
    std::vector<int32_t> first_leaf_;
    std::vector<uint32_t> above_;
    int64_t columns_, leaves_ = 0;
};

}  // namespace tallybayes
