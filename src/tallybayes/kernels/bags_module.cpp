// Python bindings of the kernels for vectors of counts.
#include "arrays.hpp"
#include "bags.hpp"

namespace tallybayes {
namespace {

Bags bags_of(const In<int64_t>& starts, const In<int32_t>& positions, const In<double>& values) {
    expect(starts.size() > 0 && positions.size() == values.size(), "positions and values differ in length");
    const int64_t rows = starts.size() - 1;
    expect(std::is_sorted(starts.data(), starts.data() + rows + 1), "the starts go back");
    expect(starts.data()[0] >= 0 && starts.data()[rows] <= values.size(), "the starts lie outside");
    return {starts.data(), positions.data(), values.data(), rows};
}

nb::object count(In<int64_t> starts, In<int32_t> positions, In<double> values, In<int32_t> classes, int64_t width,
                 int64_t size, int64_t limbs, int low) {
    const Bags bags = bags_of(starts, positions, values);
    expect(bags.rows == classes.size(), "rows and classes differ in length");
    expect(width >= 0 && size >= 0 && limbs >= 1, "the counts have no shape");
    int64_t *n, *documents;
    nb::object sums = give<int64_t>({size, width, limbs}, &n);
    nb::object met = give<int64_t>({size, width}, &documents);
    {
        Free free;
        count_bags(bags, classes.data(), {n, documents, limbs, low, width, size});
    }
    return nb::make_tuple(sums, met);
}

nb::object count_dense(Table<double> values, In<int32_t> classes, int64_t width) {
    expect(values.shape(0) == classes.size(), "rows and classes differ in length");
    int64_t *n, *documents;
    nb::object sums = give<int64_t>({values.shape(1), width, 1}, &n);
    nb::object met = give<int64_t>({values.shape(1), width}, &documents);
    const bool whole = freely([&] {
        return count_matrix(values.data(), values.shape(0), values.shape(1), classes.data(), width, n, documents);
    });
    return whole ? nb::object(nb::make_tuple(sums, met)) : nb::none();
}

}  // namespace

void bind_bags(nb::module_& m) {
    m.def("kind_of", [](In<double> values) {
        const Kind kind = freely([&] { return kind_of(values.data(), values.size()); });
        return nb::make_tuple(kind.bad, kind.whole, kind.least, kind.most);
    });
    m.def("count_bags", &count);
    m.def("count_matrix", &count_dense);
    m.def("add_bags", [](In<int64_t> starts, In<int32_t> positions, In<double> values, Table<double> table, bool once,
                         Out<double> scores) {
        const Bags bags = bags_of(starts, positions, values);
        expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= bags.rows, "the scores do not fit");
        Free free;
        add_bags(bags, table.data(), table.shape(0), table.shape(1), once, scores.data(), scores.shape(1));
    });
}

}  // namespace tallybayes
