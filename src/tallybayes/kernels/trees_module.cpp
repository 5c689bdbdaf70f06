// Python bindings of trees: growing them, and scoring with the counts of their leaves.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "arrays.hpp"
#include "forest.hpp"
#include "grow.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

CodeRows rows_of(const Forest& forest, Table<uint8_t> codes) {
    expect(int64_t(codes.shape(1)) == forest.columns(), "codes are not of as many columns as trees ask about");
    return {codes.data(), int64_t(codes.shape(0)), int64_t(codes.shape(1))};
}

void check_trees(const Forest& forest, int64_t first, int64_t last) {
    expect(0 <= first && first <= last && last <= forest.trees(), "there are no such trees");
}

void check_classes(In<int32_t> labels, size_t classes) {
    const int32_t* known = labels.data();
    expect(std::all_of(known, known + labels.size(), [&](int32_t c) { return c >= 0 && size_t(c) < classes; }),
           "there is no such class");
}

nb::object find(const Forest& forest, Table<uint8_t> codes, int64_t tree) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, tree, tree + 1);
    int32_t* leaves;
    nb::object result = give<int32_t>({codes.shape(0)}, &leaves);
    Free free;
    forest.find(given, tree, leaves);
    return result;
}

nb::object find_all(const Forest& forest, Table<uint8_t> codes) {
    const CodeRows given = rows_of(forest, codes);
    int32_t* leaves;
    nb::object result = give<int32_t>({codes.shape(0), size_t(forest.trees())}, &leaves);
    Free free;
    forest.find_all(given, leaves);
    return result;
}

nb::tuple believe(const Forest& forest, Table<double> counts, double m) {
    expect(int64_t(counts.shape(0)) == forest.leaves(), "a leaf has no counts");
    double *chances, *logs;
    const std::vector<size_t> shape{counts.shape(0), counts.shape(1)};
    nb::object one = give<double>(shape, &chances), other = give<double>(shape, &logs);
    {
        Free free;
        forest.believe(counts.data(), int64_t(counts.shape(1)), m, chances, logs);
    }
    return nb::make_tuple(one, other);
}

nb::tuple sums(const Forest& forest, Table<uint8_t> codes, Table<double> chances, Table<double> logs, int64_t first,
               int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    const size_t classes = chances.shape(1);
    expect(int64_t(chances.shape(0)) == forest.leaves() && logs.shape(0) == chances.shape(0) && logs.shape(1) == classes,
           "a leaf has no probabilities");
    double *total, *log_total;
    nb::object one = give<double>({codes.shape(0), classes}, &total), other = give<double>({codes.shape(0), classes}, &log_total);
    {
        Free free;
        std::fill_n(total, codes.shape(0) * classes, 0.0);
        std::fill_n(log_total, codes.shape(0) * classes, 0.0);
        forest.add(given, chances.data(), logs.data(), int64_t(classes), first, last, total, log_total);
    }
    return nb::make_tuple(one, other);
}

nb::object node_counts(const Forest& forest, Table<double> counts) {
    expect(int64_t(counts.shape(0)) == forest.leaves(), "a leaf has no counts");
    double* found;
    nb::object result = give<double>({size_t(forest.nodes()), counts.shape(1)}, &found);
    Free free;
    forest.count(counts.data(), int64_t(counts.shape(1)), found);
    return result;
}

nb::tuple few_sums(const Forest& forest, Table<uint8_t> codes, Table<double> counted, double m, int64_t first, int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    expect(int64_t(counted.shape(0)) == forest.nodes(), "a node has no counts");
    const size_t rows = codes.shape(0), classes = counted.shape(1);
    double *total, *log_total;
    nb::object one = give<double>({rows, classes}, &total), other = give<double>({rows, classes}, &log_total);
    {
        Free free;
        std::fill_n(total, rows * classes, 0.0);
        std::fill_n(log_total, rows * classes, 0.0);
        forest.add_few(given, counted.data(), int64_t(classes), m, first, last, total, log_total);
    }
    return nb::make_tuple(one, other);
}

nb::tuple left_out_sums(const Forest& forest, Table<uint8_t> codes, In<int32_t> labels, std::optional<In<double>> weights,
                        std::optional<In<uint64_t>> marks, Table<double> counts, double m, int64_t first, int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    const size_t rows = codes.shape(0), classes = counts.shape(1);
    expect(labels.size() == rows && (!marks || marks->size() == rows) && (!weights || weights->size() == rows),
           "rows differ in length");
    expect(int64_t(counts.shape(0)) == forest.leaves(), "a leaf has no counts");
    check_classes(labels, classes);
    double *total, *log_total;
    int64_t* used;
    nb::object one = give<double>({rows, classes}, &total), other = give<double>({rows, classes}, &log_total);
    nb::object times = give<int64_t>({rows}, &used);
    {
        Free free;
        std::fill_n(total, rows * classes, 0.0);
        std::fill_n(log_total, rows * classes, 0.0);
        std::fill_n(used, rows, 0);
        const CountedRows own{labels.data(), weights ? weights->data() : nullptr, marks ? marks->data() : nullptr};
        forest.add_left_out(given, own, counts.data(), int64_t(classes), m, first, last, total, log_total, used);
    }
    return nb::make_tuple(one, other, times);
}

nb::object changes(const Forest& forest, Table<uint8_t> codes, Table<double> counts, double m) {
    const CodeRows given = rows_of(forest, codes);
    expect(int64_t(counts.shape(0)) == forest.leaves(), "a leaf has no counts");
    double* found;
    nb::object result = give<double>({codes.shape(0), codes.shape(1), counts.shape(1)}, &found);
    Free free;
    std::fill_n(found, codes.shape(0) * codes.shape(1) * counts.shape(1), 0.0);
    forest.add_changes(given, counts.data(), int64_t(counts.shape(1)), m, found);
    return result;
}

nb::object mark(Table<uint8_t> codes) {
    uint64_t* marks;
    nb::object result = give<uint64_t>({codes.shape(0)}, &marks);
    Free free;
    mark_codes(codes.data(), int64_t(codes.shape(0)), int64_t(codes.shape(1)), marks);
    return result;
}

// Codes are column-major.
nb::object grow(Table<uint8_t> codes, In<int32_t> labels, std::optional<In<double>> weights, In<uint64_t> marks,
                In<uint8_t> nominal, int64_t classes, int questions, int64_t tried, uint64_t seed, uint64_t tree,
                int64_t least) {
    const size_t columns = codes.shape(0), rows = codes.shape(1);
    expect(labels.size() == rows && marks.size() == rows && (!weights || weights->size() == rows), "rows differ in length");
    expect(nominal.size() == columns && columns <= 65536 && rows < (1u << 31), "there are too many columns or rows");
    expect(questions >= 0 && questions <= int(Questions::random), "there is no such kind of questions");
    check_classes(labels, size_t(classes));
    const GrownRows given{codes.data(),   labels.data(), weights ? weights->data() : nullptr, marks.data(),
                          nominal.data(), int64_t(rows), int64_t(columns),                    classes,
                          least};
    std::vector<int64_t> nodes;
    {
        Free free;
        nodes = grow_tree(given, Questions(questions), tried, seed, tree);
    }
    return give(std::move(nodes));
}

Forest* made(In<int64_t> nodes, In<int32_t> roots, int64_t columns) {
    static_assert(sizeof(int64_t) == sizeof(uint64_t));
    return new Forest(reinterpret_cast<const uint64_t*>(nodes.data()), int64_t(nodes.size()), roots.data(),
                      int64_t(roots.size()), columns);
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::new_(&made), "nodes"_a.noconvert(), "roots"_a.noconvert(), "columns"_a)
        .def_prop_ro("leaves", &Forest::leaves)
        .def("first_leaf", [](const Forest& forest, int64_t tree) {
            check_trees(forest, tree, tree + 1);
            return forest.first_leaf(tree);
        }, "tree"_a)
        .def("find", &find, "codes"_a.noconvert(), "tree"_a)
        .def("find_all", &find_all, "codes"_a.noconvert())
        .def("believe", &believe, "counts"_a.noconvert(), "m"_a)
        .def("sums", &sums, "codes"_a.noconvert(), "chances"_a.noconvert(), "logs"_a.noconvert(), "first"_a, "last"_a)
        .def("node_counts", &node_counts, "counts"_a.noconvert())
        .def("few_sums", &few_sums, "codes"_a.noconvert(), "node_counts"_a.noconvert(), "m"_a, "first"_a, "last"_a)
        .def("changes", &changes, "codes"_a.noconvert(), "counts"_a.noconvert(), "m"_a)
        .def("left_out_sums", &left_out_sums, "codes"_a.noconvert(), "classes"_a.noconvert(), "weights"_a.none(),
             "marks"_a.none(), "counts"_a.noconvert(), "m"_a, "first"_a, "last"_a);
    m.def("mark_codes", &mark, "codes"_a.noconvert());
    m.def("grow_tree", &grow, "codes"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.none(), "marks"_a.noconvert(),
          "nominal"_a.noconvert(), "classes"_a, "questions"_a, "tried"_a, "seed"_a, "tree"_a,
          "least"_a = 2);
}

}  // namespace tallybayes
