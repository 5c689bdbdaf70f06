// Python bindings of trees: growing them, and scoring with the counts of their leaves.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "arrays.hpp"
#include "forest.hpp"
#include "grow.hpp"

namespace tallybayes {
namespace {

CodeRows rows_of(const Forest& forest, Table<uint8_t> codes) {
    expect(codes.shape(1) == forest.columns(), "codes are not of as many columns as trees ask about");
    return {codes.data(), codes.shape(0), codes.shape(1)};
}

void check_trees(const Forest& forest, int64_t first, int64_t last) {
    expect(0 <= first && first <= last && last <= forest.trees(), "there are no such trees");
}

nb::object find(const Forest& forest, Table<uint8_t> codes, int64_t tree) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, tree, tree + 1);
    return filled<int32_t>({codes.shape(0)}, [&](int32_t* leaves) { forest.find(given, tree, leaves); });
}

nb::object find_all(const Forest& forest, Table<uint8_t> codes) {
    const CodeRows given = rows_of(forest, codes);
    const Shape shape{codes.shape(0), forest.trees()};
    return filled<int32_t>(shape, [&](int32_t* leaves) { forest.find_all(given, leaves); });
}

nb::tuple believe(const Forest& forest, Table<double> counts, double m) {
    expect(counts.shape(0) == forest.leaves(), "a leaf has no counts");
    return both_filled<double>({counts.shape(0), counts.shape(1)}, [&](double* chances, double* logs) {
        forest.believe(counts.data(), counts.shape(1), m, chances, logs);
    });
}

nb::tuple sums(const Forest& forest, Table<uint8_t> codes, Table<double> chances, Table<double> logs, int64_t first,
               int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    const int64_t classes = chances.shape(1);
    expect(chances.shape(0) == forest.leaves() && logs.shape(0) == chances.shape(0) && logs.shape(1) == classes,
           "a leaf has no probabilities");
    return both_filled<double>({codes.shape(0), classes}, [&](double* total, double* log_total) {
        forest.add(given, chances.data(), logs.data(), classes, first, last, total, log_total);
    });
}

nb::object node_counts(const Forest& forest, Table<double> counts) {
    expect(counts.shape(0) == forest.leaves(), "a leaf has no counts");
    return filled<double>({forest.nodes(), counts.shape(1)}, [&](double* found) {
        forest.count(counts.data(), counts.shape(1), found);
    });
}

nb::tuple few_sums(const Forest& forest, Table<uint8_t> codes, Table<double> counted, double m, int64_t first, int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    expect(counted.shape(0) == forest.nodes(), "a node has no counts");
    return both_filled<double>({codes.shape(0), counted.shape(1)}, [&](double* total, double* log_total) {
        forest.add_few(given, counted.data(), counted.shape(1), m, first, last, total, log_total);
    });
}

nb::tuple left_out_sums(const Forest& forest, Table<uint8_t> codes, In<int32_t> labels, std::optional<In<double>> weights,
                        std::optional<In<uint64_t>> marks, Table<double> counts, double m, int64_t first, int64_t last) {
    const CodeRows given = rows_of(forest, codes);
    check_trees(forest, first, last);
    const int64_t rows = codes.shape(0), classes = counts.shape(1);
    expect(labels.size() == rows && (!marks || marks->size() == rows) && (!weights || weights->size() == rows),
           "rows differ in length");
    expect(counts.shape(0) == forest.leaves(), "a leaf has no counts");
    expect(are_below(labels, classes), "there is no such class");
    double *total, *log_total;
    int64_t* used;
    nb::object one = give<double>({rows, classes}, &total), other = give<double>({rows, classes}, &log_total);
    nb::object times = give<int64_t>({rows}, &used);
    {
        Free free;
        const CountedRows own{labels.data(), weights ? weights->data() : nullptr, marks ? marks->data() : nullptr};
        forest.add_left_out(given, own, counts.data(), classes, m, first, last, total, log_total, used);
    }
    return nb::make_tuple(one, other, times);
}

nb::object changes(const Forest& forest, Table<uint8_t> codes, Table<double> counts, double m) {
    const CodeRows given = rows_of(forest, codes);
    expect(counts.shape(0) == forest.leaves(), "a leaf has no counts");
    return filled<double>({codes.shape(0), codes.shape(1), counts.shape(1)}, [&](double* found) {
        forest.add_changes(given, counts.data(), counts.shape(1), m, found);
    });
}

nb::object mark(Table<uint8_t> codes) {
    return filled<uint64_t>({codes.shape(0)}, [&](uint64_t* marks) {
        mark_codes(codes.data(), codes.shape(0), codes.shape(1), marks);
    });
}

// Codes are column-major.
nb::object grow(Table<uint8_t> codes, In<int32_t> labels, std::optional<In<double>> weights, In<uint64_t> marks,
                In<uint8_t> nominal, int64_t classes, int questions, int64_t tried, uint64_t seed, uint64_t tree,
                int64_t least) {
    const int64_t columns = codes.shape(0), rows = codes.shape(1);
    expect(labels.size() == rows && marks.size() == rows && (!weights || weights->size() == rows), "rows differ in length");
    expect(nominal.size() == columns && columns <= 65536 && rows < (1u << 31), "there are too many columns or rows");
    expect(questions >= 0 && questions <= int(Questions::random), "there is no such kind of questions");
    expect(are_below(labels, classes), "there is no such class");
    const GrownRows given{codes.data(),   labels.data(), weights ? weights->data() : nullptr, marks.data(),
                          nominal.data(), rows, columns,                    classes,
                          least};
    return give(freely([&] { return grow_tree(given, Questions(questions), tried, seed, tree); }));
}

Forest* made(In<int64_t> nodes, In<int32_t> roots, int64_t columns) {
    static_assert(sizeof(int64_t) == sizeof(uint64_t));
    return new Forest(reinterpret_cast<const uint64_t*>(nodes.data()), nodes.size(), roots.data(),
                      roots.size(), columns);
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::new_(&made))
        .def_prop_ro("leaves", &Forest::leaves)
        .def("first_leaf", [](const Forest& forest, int64_t tree) {
            check_trees(forest, tree, tree + 1);
            return forest.first_leaf(tree);
        })
        .def("find", &find)
        .def("find_all", &find_all)
        .def("believe", &believe)
        .def("sums", &sums)
        .def("node_counts", &node_counts)
        .def("few_sums", &few_sums)
        .def("changes", &changes)
        .def("left_out_sums", &left_out_sums, "codes"_a, "classes"_a, "weights"_a.none(), "marks"_a.none(), "counts"_a,
             "m"_a, "first"_a, "last"_a);
    m.def("mark_codes", &mark);
    m.def("grow_tree", &grow, "codes"_a, "labels"_a, "weights"_a.none(), "marks"_a, "nominal"_a, "classes"_a,
          "questions"_a, "tried"_a, "seed"_a, "tree"_a, "least"_a = 2);
}

}  // namespace tallybayes
