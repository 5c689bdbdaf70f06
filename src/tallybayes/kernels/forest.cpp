#include "forest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int lanes = 8;    // rows that descend side by side, to overlap memory accesses
constexpr int block = 512;  // rows of which those that have arrived are sorted out from time to time
constexpr int again = 5;    // steps between two times
// Rows on their way down a tree. Depths differ: were a row to wait for the deepest of its neighbours, it would take two
// thirds more steps. So those that have arrived make room for others: after about as many steps as a balanced tree needs,
// then again and again.
struct Descent {
    uint32_t row[block + lanes], at[block + lanes];  // those that have not arrived
    uint32_t reached[block];                         // by row
    int left = 0;

    void begin(const uint32_t* rows, int count, uint32_t root) {
        std::copy_n(rows, count, row);
        std::fill_n(at, count, root);
        left = count;
    }
    void go(const Node* nodes, const uint8_t* codes, int64_t columns, int steps) {
        const int count = std::exchange(left, 0);
        std::fill_n(row + count, lanes, row[0]);
        std::fill_n(at + count, lanes, at[0]);
        for (int first = 0; first < count; first += lanes) {
            uint32_t here[lanes];
            const uint8_t* mine[lanes];
            for (int i = 0; i < lanes; ++i) here[i] = at[first + i], mine[i] = codes + row[first + i] * columns;
            for (int step = 1; step < steps; ++step)
                for (int i = 0; i < lanes; ++i) here[i] = nodes[here[i]].next(mine[i]);
            for (int i = 0; i < std::min(lanes, count - first); ++i) {
                const uint32_t next = nodes[here[i]].next(mine[i]), whose = row[first + i];
                reached[whose] = at[left] = next, row[left] = whose;
                left += next != here[i];
            }
        }
    }
};

constexpr auto any_row = [](int64_t) { return true; };
constexpr uint64_t grown_share = uint64_t(0.632 * 18446744073709551616.0);

}  // namespace

void mark_codes(const uint8_t* codes, int64_t rows, int64_t columns, uint64_t* marks) {
    Patience patience;
    for (int64_t row = 0; row < rows; ++row) {
        patience.spend(columns);
        uint64_t mark = 0;
        for (int64_t j = 0; j < columns; ++j) mark = mixed(mark + codes[row * columns + j] + 0x9e3779b97f4a7c15u);
        marks[row] = mark;
    }
}

bool grown_with(uint64_t mark, uint64_t tree) { return mixed(mark ^ mixed(tree + 0x9e3779b97f4a7c15u)) < grown_share; }

Forest::Forest(const uint64_t* nodes, int64_t count, const int32_t* roots, int64_t trees, int64_t columns)
    : roots_(roots, roots + trees), leaf_(size_t(count), -1), above_(size_t(count)), columns_(columns) {
    const auto fail = [](bool wrong) {
        if (wrong) throw std::invalid_argument("these are no trees");
    };
    fail(count >= INT32_MAX || trees < 1 || roots[0] != 0);
    roots_.push_back(uint32_t(count));
    nodes_.reserve(size_t(count));
    for (int64_t i = 0; i < count; ++i) nodes_.emplace_back(nodes[i]);
    std::vector<uint8_t> met(size_t(count), 0);
    for (size_t tree = 0; tree + 1 < roots_.size(); ++tree) {
        const uint32_t root = roots_[tree], end = roots_[tree + 1];
        fail(root >= end || end > uint32_t(count));
        first_leaf_.push_back(int32_t(leaves_));
        met[root] = 1;
        for (uint32_t i = root; i < end; ++i) {
            const Node& node = nodes_[i];
            fail(!met[i] || node.column() >= columns);
            if (node.yes() == i) {
                fail(node.low() != 0 || node.span() != 255 || node.column() != 0);
                leaf_[i] = int32_t(leaves_++);
                continue;
            }
            fail(node.yes() <= i || node.yes() >= end - 1 || met[node.yes()] || met[node.yes() + 1]);
            for (uint32_t child : {node.yes(), node.yes() + 1}) met[child] = 1, above_[child] = i;
        }
    }
}

template <class Wanted, class Each>
void Forest::walk(const CodeRows& given, int64_t tree, Wanted wanted, Each each) const {
    const uint32_t root = roots_[size_t(tree)];
    const int balanced = std::bit_width(roots_[size_t(tree) + 1] - root) + 2;
    Descent descent;
    uint32_t asked[block];
    Patience patience;
    for (int64_t start = 0; start < given.rows; start += block) {
        const int end = int(std::min<int64_t>(block, given.rows - start));
        int count = 0;
        for (int i = 0; i < end; ++i) asked[count] = uint32_t(i), count += wanted(start + i);
        patience.spend(end + int64_t(count) * 16);
        descent.begin(asked, count, root);
        for (int steps = balanced; descent.left; steps = again)
            descent.go(nodes_.data(), given.codes + start * given.columns, given.columns, steps);
        for (int i = 0; i < count; ++i) each(start + asked[i], descent.reached[asked[i]]);
    }
}

void Forest::find(const CodeRows& given, int64_t tree, int32_t* leaves) const {
    const int32_t first = first_leaf_[size_t(tree)];
    walk(given, tree, any_row, [&](int64_t row, uint32_t node) { leaves[row] = leaf_[node] - first; });
}

void Forest::find_all(const CodeRows& given, int32_t* leaves) const {
    for (int64_t tree = 0; tree < trees(); ++tree)
        walk(given, tree, any_row, [&](int64_t row, uint32_t node) { leaves[row * trees() + tree] = leaf_[node]; });
}

void Forest::count_nodes(const double* counts, int64_t classes, int64_t tree, double* sums) const {
    const uint32_t root = roots_[size_t(tree)], end = roots_[size_t(tree) + 1];
    std::fill_n(sums, size_t(end - root) * size_t(classes), 0.0);
    for (uint32_t i = end; i-- > root;) {
        double* mine = sums + size_t(i - root) * size_t(classes);
        if (leaf_[i] >= 0) std::copy_n(counts + int64_t(leaf_[i]) * classes, classes, mine);
        if (i == root) break;
        double* above = sums + size_t(above_[i] - root) * size_t(classes);
        for (int64_t c = 0; c < classes; ++c) above[c] += mine[c];
    }
}

void Forest::count_nodes(const double* counts, int64_t classes, int64_t tree, std::vector<double>& sums) const {
    sums.resize(size_t(roots_[size_t(tree) + 1] - roots_[size_t(tree)]) * size_t(classes));
    count_nodes(counts, classes, tree, sums.data());
}

void Forest::count(const double* counts, int64_t classes, double* sums) const {
    for (int64_t tree = 0; tree < trees(); ++tree) {
        heed_signals();
        count_nodes(counts, classes, tree, sums + int64_t(roots_[size_t(tree)]) * classes);
    }
}

void Forest::add_few(const CodeRows& given, const double* counted, int64_t classes, double m, int64_t first, int64_t last,
                     double* sums, double* log_sums) const {
    std::vector<double> p(size_t(classes), 0.0);
    Patience patience;
    for (int64_t tree = first; tree < last; ++tree)
        for (int64_t row = 0; row < given.rows; ++row) {
            std::fill(p.begin(), p.end(), 1.0 / double(classes));
            for (uint32_t at = roots_[size_t(tree)], next;; at = next) {
                const double* n = counted + int64_t(at) * classes;
                patience.spend(classes);
                double total = m;
                for (int64_t c = 0; c < classes; ++c) total += n[c];
                for (int64_t c = 0; c < classes; ++c) p[size_t(c)] = (n[c] + m * p[size_t(c)]) / total;
                next = nodes_[at].next(given.codes + row * given.columns);
                if (next == at) break;
            }
            for (int64_t c = 0; c < classes; ++c) {
                sums[row * classes + c] += p[size_t(c)];
                log_sums[row * classes + c] += std::log(p[size_t(c)]);
            }
        }
}

void Forest::climb(uint32_t node, uint32_t root, std::vector<uint32_t>& path) const {
    path.clear();
    for (; node != root; node = above_[node]) path.push_back(node);
    path.push_back(root);
}

void Forest::believe(const double* counts, int64_t classes, double m, double* chances, double* logs) const {
    std::vector<double> sums, known;
    const std::vector<double> equal(size_t(classes), 1.0 / double(classes));
    for (int64_t tree = 0; tree < trees(); ++tree) {
        const uint32_t root = roots_[size_t(tree)], end = roots_[size_t(tree) + 1];
        heed_signals();
        count_nodes(counts, classes, tree, sums);
        known.resize(sums.size());
        for (uint32_t i = root; i < end; ++i) {
            const double* n = &sums[size_t(i - root) * size_t(classes)];
            const double* above = i == root ? equal.data() : &known[size_t(above_[i] - root) * size_t(classes)];
            double* p = &known[size_t(i - root) * size_t(classes)];
            double total = m;
            for (int64_t c = 0; c < classes; ++c) total += n[c];
            for (int64_t c = 0; c < classes; ++c) p[c] = (n[c] + m * above[c]) / total;
            if (leaf_[i] < 0) continue;
            for (int64_t c = 0; c < classes; ++c) {
                chances[leaf_[i] * classes + c] = p[c];
                logs[leaf_[i] * classes + c] = std::log(p[c]);
            }
        }
    }
}

void Forest::add(const CodeRows& given, const double* chances, const double* logs, int64_t classes, int64_t first,
                 int64_t last, double* sums, double* log_sums) const {
    for (int64_t tree = first; tree < last; ++tree)
        walk(given, tree, any_row, [&](int64_t row, uint32_t node) {
            const int64_t from = leaf_[node] * classes, to = row * classes;
            for (int64_t c = 0; c < classes; ++c) {
                sums[to + c] += chances[from + c];
                log_sums[to + c] += logs[from + c];
            }
        });
}

void Forest::add_left_out(const CodeRows& given, const CountedRows& own, const double* counts, int64_t classes, double m,
                          int64_t first, int64_t last, double* sums, double* log_sums, int64_t* used) const {
    std::vector<double> known, p(size_t(classes), 0.0);
    std::vector<uint32_t> path;
    Patience patience;
    for (int64_t tree = first; tree < last; ++tree) {
        const uint32_t root = roots_[size_t(tree)];
        count_nodes(counts, classes, tree, known);
        const auto wanted = [&](int64_t row) {
            return !own.marks || own.marks[row] == common_mark || !grown_with(own.marks[row], uint64_t(tree));
        };
        walk(given, tree, wanted, [&](int64_t row, uint32_t node) {
            climb(node, root, path);
            patience.spend(int64_t(path.size()) * classes);
            const double weight = own.weights ? own.weights[row] : 1.0;
            std::fill(p.begin(), p.end(), 1.0 / double(classes));
            for (size_t step = path.size(); step-- > 0;) {
                const double* n = &known[size_t(path[step] - root) * size_t(classes)];
                double total = m - weight;
                for (int64_t c = 0; c < classes; ++c) total += n[c];
                for (int64_t c = 0; c < classes; ++c) {
                    const double left = std::max(n[c] - (c == own.classes[row] ? weight : 0.0), 0.0);
                    p[size_t(c)] = (left + m * p[size_t(c)]) / std::max(total, m);
                }
            }
            used[row] += 1;
            for (int64_t c = 0; c < classes; ++c) {
                sums[row * classes + c] += p[size_t(c)];
                log_sums[row * classes + c] += std::log(p[size_t(c)]);
            }
        });
    }
}

void Forest::add_changes(const CodeRows& given, const double* counts, int64_t classes, double m, double* changes) const {
    std::vector<double> known, before(size_t(classes), 0.0), after(size_t(classes), 0.0);
    std::vector<uint32_t> path;
    for (int64_t tree = 0; tree < trees(); ++tree) {
        const uint32_t root = roots_[size_t(tree)];
        heed_signals();
        count_nodes(counts, classes, tree, known);
        walk(given, tree, any_row, [&](int64_t row, uint32_t node) {
            climb(node, root, path);
            std::fill(before.begin(), before.end(), 1.0 / double(classes));
            for (size_t step = path.size(); step-- > 0;) {
                const double* n = &known[size_t(path[step] - root) * size_t(classes)];
                double total = m;
                for (int64_t c = 0; c < classes; ++c) total += n[c];
                for (int64_t c = 0; c < classes; ++c) after[size_t(c)] = (n[c] + m * before[size_t(c)]) / total;
                if (path[step] != root) {
                    double* change = changes + (row * columns_ + nodes_[above_[path[step]]].column()) * classes;
                    for (int64_t c = 0; c < classes; ++c) change[c] += std::log(after[size_t(c)] / before[size_t(c)]);
                }
                before.swap(after);
            }
        });
    }
}

}  // namespace tallybayes
