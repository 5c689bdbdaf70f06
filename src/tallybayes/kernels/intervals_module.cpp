// Python bindings of the kernels that make intervals of columns: cut, or smoothed.
#include <algorithm>
#include <numeric>
#include <string>

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "grid.hpp"
#include "smoothing.hpp"

namespace tallybayes {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;

// Columns one after another: the values of each are sorted, and end where `ends` says.
struct Columns {
    In<double> values;
    Table<double> counts;
    In<int64_t> ends;

    Columns(In<double> values, Table<double> counts, In<int64_t> ends) : values(values), counts(counts), ends(ends) {
        const int64_t *const at = ends.data(), *const last = at + ends.size();
        expect(values.size() == counts.shape(0), "values and counts differ in length");
        expect(std::is_sorted(at, last) && (at == last ? !values.size() : at[0] >= 0 && last[-1] == values.size()),
               "the columns do not end in order");
    }

    int64_t size() const { return ends.size(); }
    int64_t classes() const { return counts.shape(1); }
    Counted operator[](int64_t i) const {
        const int64_t first = i ? ends.data()[i - 1] : 0;
        return {values.data() + first, counts.data() + first * classes(), ends.data()[i] - first, classes()};
    }
};

Method method_named(const std::string& name) {
    if (name == "equal length") return Method::equal_length;
    if (name == "equal count") return Method::equal_count;
    if (name == "mdl") return Method::mdl;
    expect(name == "fitted", "there is no such method");
    return Method::fitted;
}

nb::object give_table(const Doubles& values, int64_t width) {
    double* out;
    nb::object result = give<double>({int64_t(values.size()) / std::max(width, int64_t(1)), width}, &out);
    std::copy(values.begin(), values.end(), out);
    return result;
}

// Intervals of columns, one after another.
struct Made {
    Integers sizes;
    Doubles cuts, edges, counts, pseudo;

    void add(const Ranges& ranges) {
        sizes.push_back(ranges.size());
        cuts.insert(cuts.end(), ranges.cuts.begin(), ranges.cuts.end());
        edges.insert(edges.end(), ranges.edges.begin(), ranges.edges.end());
    }

    void add(const Intervals& intervals) {
        add(intervals.ranges);
        counts.insert(counts.end(), intervals.counts.begin(), intervals.counts.end());
        pseudo.insert(pseudo.end(), intervals.pseudo.begin(), intervals.pseudo.end());
    }
};

nb::tuple cut_columns(In<double> values, Table<double> counts, In<int64_t> ends, const std::string& method, int64_t intervals,
                      int bits) {
    const Columns columns(values, counts, ends);
    const Method how = method_named(method);
    expect(intervals > 0 && bits >= 1 && bits <= 52, "there are no such intervals");
    Made made;
    Doubles halves, nats;
    {
        Free free;
        for (int64_t i = 0; i < columns.size(); ++i) {
            const Cuts found = cut(columns[i], how, intervals);
            const Ranges ranges = whole_cells(columns[i], found.at, bits);
            made.add(ranges);
            add_between(columns[i], ranges.cuts, made.counts);
            halves.push_back(ranges.half);
            nats.push_back(found.nats);
        }
    }
    nb::object table = give_table(made.counts, columns.classes());
    return nb::make_tuple(give(std::move(made.sizes)), give(std::move(made.cuts)), give(std::move(made.edges)), table,
                          give(std::move(halves)), give(std::move(nats)));
}

// For each column its density, or −1 if it keeps the intervals that are given; and the intervals, one column after another.
nb::tuple smooth_columns(In<double> values, Table<double> counts, In<int64_t> ends, In<int64_t> sizes, In<double> cuts,
                         In<double> edges, Table<double> plain, In<double> pseudo, In<double> nats, int bits) {
    const Columns columns(values, counts, ends);
    const int64_t many = columns.size();
    const int64_t intervals = std::accumulate(sizes.data(), sizes.data() + sizes.size(), int64_t(0));
    expect(sizes.size() == many && nats.size() == many, "there are other columns");
    expect(std::all_of(sizes.data(), sizes.data() + many, [](int64_t size) { return size > 0; }), "a column has no intervals");
    expect(cuts.size() + many == intervals && edges.size() == intervals + many && plain.shape(0) == intervals &&
               pseudo.size() == intervals && plain.shape(1) == columns.classes(),
           "the intervals differ in number");
    Made made;
    Integers densities;
    {
        Free free;
        const double *cut = cuts.data(), *edge = edges.data(), *n = plain.data(), *more = pseudo.data();
        for (int64_t i = 0; i < many; ++i) {
            const int64_t size = sizes.data()[i], cells = size * columns.classes();
            const Intervals given{{{cut, cut + size - 1}, {edge, edge + size + 1}, 0.0}, {n, n + cells}, {more, more + size}};
            const auto better = smooth_if_better(columns[i], given, nats.data()[i], bits);
            made.add(better ? better->intervals : given);
            densities.push_back(better ? better->density : -1);
            cut += size - 1, edge += size + 1, n += cells, more += size;
        }
    }
    nb::object table = give_table(made.counts, columns.classes());
    return nb::make_tuple(give(std::move(densities)), give(std::move(made.sizes)), give(std::move(made.cuts)),
                          give(std::move(made.edges)), table, give(std::move(made.pseudo)));
}

}  // namespace

void bind_intervals(nb::module_& m) {
    m.def("cut_columns", &cut_columns);
    m.def("smooth_columns", &smooth_columns);
    m.def("leave_out_smoothed", [](In<double> values, Table<double> counts, int64_t density, double weight, In<double> cuts,
                                   In<double> edges, Table<double> intervals) {
        expect(values.size() == counts.shape(0), "values and counts differ in length");
        expect(density >= 0 && density < densities_of_grid, "there is no such density");
        expect(edges.size() == intervals.shape(0) + 1 && cuts.size() + 1 == intervals.shape(0) &&
                   intervals.shape(1) == counts.shape(1), "the intervals differ in number");
        const Counted column{values.data(), counts.data(), values.size(), counts.shape(1)};
        return filled<double>({intervals.shape(0), intervals.shape(1)}, [&](double* rest) {
            const Ranges ranges{{cuts.data(), cuts.data() + cuts.size()}, {edges.data(), edges.data() + edges.size()}, 0.0};
            if (const auto grid = Grid::of(column)) leave_out_smoothed(*grid, density, weight, ranges, intervals.data(), rest);
        });
    });
}

}  // namespace tallybayes
