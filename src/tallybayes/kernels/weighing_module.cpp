// Python bindings for weighing evidence: fingerprints to sample rows, and the loss.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "arrays.hpp"
#include "columns.hpp"
#include "fingerprints.hpp"
#include "weighing.hpp"

namespace tallybayes {
namespace {

using Marks = Array<uint64_t, 1>;

template <class Code>
using Coded = std::tuple<In<Code>, In<double>>;
using AnyColumn = std::variant<In<double>, Coded<int8_t>, Coded<int32_t>>;

MarkedColumn marked(const AnyColumn& given, int64_t rows) {
    MarkedColumn column;
    const auto checked = [&](const auto& cells) {
        expect(cells.size() == rows, "a column and the marks differ in length");
        return cells.data();
    };
    if (const auto* x = std::get_if<In<double>>(&given)) {
        column.numbers = checked(*x);
        return column;
    }
    const auto take = [&](const In<double>& x) { column.dictionary.assign(x.data(), x.data() + x.size()); };
    if (const auto* coded = std::get_if<Coded<int8_t>>(&given)) {
        column.bytes = checked(std::get<0>(*coded));
        take(std::get<1>(*coded));
    } else {
        const auto& [codes, x] = std::get<Coded<int32_t>>(given);
        column.codes = checked(codes);
        take(x);
    }
    return column;
}

void columns(const std::vector<AnyColumn>& given, Marks marks) {
    std::vector<MarkedColumn> columns;
    for (const AnyColumn& each : given) columns.push_back(marked(each, marks.size()));
    const bool known = freely([&] { return mix_columns(columns, marks.size(), marks.data()); });
    expect(known, "there is no such number");
}

void strings(In<uint8_t> offsets, bool wide, In<uint8_t> bytes, std::optional<In<uint8_t>> validity, int64_t first,
             int64_t rows, Marks marks) {
    const StringColumn column = string_column(offsets, wide, bytes, validity, first, rows);
    expect(rows == marks.size(), "strings and marks differ in length");
    Free free;
    mix_strings(column, marks.data());
}

nb::tuple loss(Cube<double> evidence, Table<double> base, In<int32_t> labels, In<double> weights, Table<double> thetas,
               In<double> offsets) {
    const int64_t pieces = evidence.shape(0), classes = base.shape(0), rows = evidence.shape(2), first = classes - evidence.shape(1);
    expect((first == 0 || first == 1) && base.shape(1) == rows && labels.size() == rows && weights.size() == rows,
           "the rows differ in length");
    expect(thetas.shape(0) == classes && thetas.shape(1) == pieces && offsets.size() == classes, "a weight is missing");
    expect(are_below(labels, classes), "there is no such class");
    double* slope;
    nb::object result = give<double>({classes * (pieces + 1)}, &slope);
    const Weighed given{evidence.data(), base.data(), weights.data(), labels.data(), rows, classes, pieces, first};
    const double found = freely([&] { return weighed_loss(given, thetas.data(), offsets.data(), slope); });
    return nb::make_tuple(found, result);
}

}  // namespace

void bind_weighing(nb::module_& m) {
    m.def("mix_columns", columns);
    m.def("mix_strings", strings, "offsets"_a, "wide"_a, "bytes"_a, "validity"_a.none(), "first"_a, "rows"_a,
          "marks"_a);
    m.def("weighed_loss", loss);
}

}  // namespace tallybayes
