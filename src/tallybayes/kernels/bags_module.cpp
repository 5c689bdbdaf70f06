// Python bindings of the kernels for vectors of counts.
#include "arrays.hpp"
#include "bags.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

Bags bags_of(const In<int64_t>& starts, const In<int32_t>& positions, const In<double>& values) {
    expect(starts.size() > 0 && positions.size() == values.size(), "positions and values differ in length");
    const int64_t rows = int64_t(starts.size()) - 1;
    for (int64_t row = 0; row < rows; ++row) expect(starts.data()[row] <= starts.data()[row + 1], "the starts go back");
    expect(starts.data()[0] >= 0 && starts.data()[rows] <= int64_t(values.size()), "the starts lie outside");
    return {starts.data(), positions.data(), values.data(), rows};
}

nb::object count(In<int64_t> starts, In<int32_t> positions, In<double> values, In<int32_t> classes, int64_t width,
                 int64_t size, int64_t limbs, int low) {
    const Bags bags = bags_of(starts, positions, values);
    expect(bags.rows == int64_t(classes.size()), "rows and classes differ in length");
    expect(width >= 0 && size >= 0 && limbs >= 1, "the counts have no shape");
    int64_t *n, *documents;
    nb::object sums = give<int64_t>({size_t(size), size_t(width), size_t(limbs)}, &n);
    nb::object met = give<int64_t>({size_t(size), size_t(width)}, &documents);
    {
        Free free;
        count_bags(bags, classes.data(), {n, documents, limbs, low, width, size});
    }
    return nb::make_tuple(sums, met);
}

nb::object count_dense(Table<double> values, In<int32_t> classes, int64_t width) {
    expect(values.shape(0) == classes.size(), "rows and classes differ in length");
    int64_t *n, *documents;
    nb::object sums = give<int64_t>({values.shape(1), size_t(width), 1}, &n);
    nb::object met = give<int64_t>({values.shape(1), size_t(width)}, &documents);
    bool whole;
    {
        Free free;
        whole = count_matrix(values.data(), int64_t(values.shape(0)), int64_t(values.shape(1)), classes.data(), width, n,
                             documents);
    }
    return whole ? nb::object(nb::make_tuple(sums, met)) : nb::none();
}

}  // namespace

void bind_bags(nb::module_& m) {
    m.def("kind_of", [](In<double> values) {
        Kind kind;
        {
            Free free;
            kind = kind_of(values.data(), int64_t(values.size()));
        }
        return nb::make_tuple(kind.bad, kind.whole, kind.least, kind.most);
    }, "values"_a.noconvert());
    m.def("count_bags", &count, "starts"_a.noconvert(), "positions"_a.noconvert(), "values"_a.noconvert(),
          "classes"_a.noconvert(), "width"_a, "size"_a, "limbs"_a, "low"_a);
    m.def("count_matrix", &count_dense, "values"_a.noconvert(), "classes"_a.noconvert(), "width"_a);
    m.def("add_bags", [](In<int64_t> starts, In<int32_t> positions, In<double> values, Table<double> table, bool once,
                         Out<double> scores) {
        const Bags bags = bags_of(starts, positions, values);
        expect(scores.shape(0) == table.shape(1) && int64_t(scores.shape(1)) >= bags.rows, "the scores do not fit");
        Free free;
        add_bags(bags, table.data(), int64_t(table.shape(0)), int64_t(table.shape(1)), once, scores.data(),
                 int64_t(scores.shape(1)));
    }, "starts"_a.noconvert(), "positions"_a.noconvert(), "values"_a.noconvert(), "table"_a.noconvert(), "once"_a,
       "scores"_a.noconvert());
}

}  // namespace tallybayes
