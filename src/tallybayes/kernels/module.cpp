// Python bindings of the module and of the kernels that count; those of other kernels are in separate files.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "carry.hpp"
#include "groups.hpp"
#include "limbs.hpp"
#include "logarithm.hpp"
#include "products.hpp"
#include "shrinkage.hpp"
#include "sums.hpp"
#include "tables.hpp"

namespace nb = nanobind;
using namespace tallybayes;

namespace {

// Numbers of `size` limbs from `low` as an array of this shape, without leading and trailing limbs that are zero in all of
// them; and the lowest remaining limb.
nb::tuple give_sums(Shape shape, const Pages<int64_t>& limbs, int64_t size, int64_t low) {
    const int64_t count = limbs.size() / size;
    int64_t first = size, last = 0;
    for (const int64_t* number = limbs.data(); number < limbs.data() + limbs.size(); number += size) {
        for (int64_t i = 0; i < first; ++i)
            if (number[i]) first = i;
        for (int64_t i = size; i > last; --i)
            if (number[i - 1]) last = i;
    }
    if (!last) first = -low, last = first + 1;  // all zeros: one limb at 0
    shape.push_back(size_t(last - first));
    int64_t* out;
    nb::object result = give<int64_t>(shape, &out);
    for (int64_t i = 0; i < count; ++i)
        out = std::copy(limbs.data() + i * size + first, limbs.data() + i * size + last, out);
    return nb::make_tuple(result, low + first);
}

// The sums of every column of a matrix, by column and class: the number of values, their total and, if needed, that of
// their squares; and the first row with an infinity, or −1.
nb::tuple sum_columns(Table<double> values, const Groups& groups, bool squares) {
    expect(values.shape(0) == groups.rows(), "values and groups differ in length");
    const int64_t columns = values.shape(1), classes = groups.classes(), cells = columns * classes;
    int64_t* n;
    nb::object counts = give<int64_t>({columns, classes, 1}, &n);
    Pages<int64_t> x(cells * full_size(1)), xx(squares ? cells * full_size(2) : 0);
    const int64_t infinite = freely([&] {
        return sum_matrix({values.data(), columns}, groups, n, x.data(), squares ? xx.data() : nullptr);
    });
    nb::object squared = nb::none();
    if (squares) squared = give_sums({columns, classes}, xx, full_size(2), full_low(2));
    return nb::make_tuple(counts, give_sums({columns, classes}, x, full_size(1), full_low(1)), squared, infinite);
}

void sum_factors(In<double> a, std::optional<In<double>> b, std::optional<In<double>> c, In<int32_t> codes,
                 Out<int64_t> limbs, int low) {
    expect(a.size() == codes.size() && (!b || b->size() == a.size()) && (!c || c->size() == a.size()),
           "factors and codes differ in length");
    Free free;
    sum_products(a.data(), b ? b->data() : nullptr, c ? c->data() : nullptr, codes.data(), a.size(),
                 limbs.data(), low, limbs.shape(1));
}

template <class Code>
nb::object count(In<Code> codes, In<int32_t> classes, int64_t levels, int64_t width) {
    expect(codes.size() == classes.size(), "codes and classes differ in length");
    int64_t* counts;
    nb::object result = give<int64_t>({levels, width}, &counts);
    Free free(int64_t(codes.size() * sizeof(Code)));
    count_codes(codes.data(), classes.data(), codes.size(), levels, width, counts);
    return result;
}

}  // namespace

NB_MODULE(compiled, m) {
    nb::set_leak_warnings(false);  // an exception that outlives the interpreter is not our leak
    nb::class_<Groups>(m, "Groups")
        .def("__init__", [](Groups* self, In<int32_t> codes, int classes) {
            new (self) Groups(codes.data(), codes.size(), classes);
        }, nb::keep_alive<1, 2>())
        .def_prop_ro("classes", &Groups::classes)
        .def("counts", [](const Groups& groups) {
            return give(std::vector<int64_t>(groups.counts().begin(), groups.counts().end()));
        });
    bind_blocks(m);
    bind_strings(m);
    bind_trees(m);
    bind_words(m);
    bind_sequence(m);
    bind_bags(m);
    bind_bumps(m);
    bind_cells(m);
    bind_intervals(m);
    bind_pieces(m);
    bind_quotients(m);
    bind_rows(m);
    bind_scores(m);
    bind_shares(m);
    bind_tallies(m);
    bind_values(m);
    bind_weighing(m);
    bind_written(m);
    m.def("sum_columns", &sum_columns);
    m.def("sum_products", &sum_factors, "a"_a, "b"_a.none(), "c"_a.none(), "codes"_a, "limbs"_a, "low"_a);
    m.def("exact_products", [](Table<double> values, In<int32_t> firsts, In<int32_t> seconds) {
        expect(firsts.size() == seconds.size(), "pairs have two columns each");
        const int64_t rows = values.shape(0), columns = values.shape(1), pairs = firsts.size();
        expect(are_below(firsts, columns) && are_below(seconds, columns), "there is no such column");
        double* out;
        nb::object result = give<double>({rows, 2 * pairs}, &out);
        const bool exact = freely([&] {
            return exact_products(values.data(), rows, columns, {firsts.data(), seconds.data(), pairs}, out);
        });
        return nb::make_tuple(result, exact);
    });
    m.def("carry", [](Table<int64_t> limbs) {
        const auto count = limbs.shape(0), size = limbs.shape(1);
        const Used used = freely([&] { return find_used(limbs.data(), count, size); });
        const Shape shape{count, used.last - used.first};
        nb::object result = filled<int64_t>(shape, [&](int64_t* out) { carry(limbs.data(), count, size, used, out); });
        return nb::make_tuple(result, used.first);
    });
    m.def("round_limbs", [](Table<int64_t> limbs, int low) {
        const auto count = limbs.shape(0), size = limbs.shape(1);
        expect(low >= -30 && low + size <= 28, "the numbers may be beyond the range of doubles");
        double* out;
        nb::object result = give_unset<double>(count, &out);
        Free free;
        round_limbs(limbs.data(), count, size, low, out);
        return result;
    });
    m.def("count_codes", &count<int32_t>);
    m.def("count_codes", &count<int8_t>);
    m.def("fit_pseudocounts", [](Table<double> counts, In<int64_t> sizes) {
        const int64_t classes = counts.shape(1);
        int64_t rest = counts.shape(0);
        for (int64_t i = 0; i < sizes.size(); rest -= sizes.data()[i++])
            expect(sizes.data()[i] >= 0 && sizes.data()[i] <= rest, "the columns do not fit");
        expect(!rest, "the columns do not fit");
        return filled<double>({counts.shape(0)}, [&](double* pseudo) {
            for (int64_t i = 0, at = 0; i < sizes.size(); at += sizes.data()[i++])
                fit_pseudocounts(counts.data() + at * classes, sizes.data()[i], classes, pseudo + at);
        });
    });
    m.def("fit_strength", [](Table<double> counts) {
        return fit_strength(counts.data(), counts.shape(0), counts.shape(1));
    });
    m.def("add_rows", [](Out<int64_t> target, In<int64_t> rows, Table<int64_t> values, int64_t sign) {
        expect(values.shape(0) == rows.size() && values.shape(1) == target.shape(1), "the values do not fit");
        expect(are_below(rows, target.shape(0)), "there is no such row");
        Free free;
        return add_rows(target.data(), rows.data(), rows.size(), values.shape(1), values.data(), sign);
    });
    const auto one_by_one = [&](const char* name, void (*function)(const double*, int64_t, double*)) {
        m.def(name, [function](nb::ndarray<const double, nb::c_contig, nb::device::cpu> x) {
            const Shape shape(x.shape_ptr(), x.shape_ptr() + x.ndim());
            return filled<double>(shape, [&](double* out) { function(x.data(), x.size(), out); });
        }, "x"_a.noconvert());
    };
    one_by_one("logarithm", logarithm);
    one_by_one("log_gamma", static_cast<void (*)(const double*, int64_t, double*)>(log_gamma));
    m.def("log_rising", [](In<double> a, In<double> x) {
        expect(a.size() == x.size(), "the numbers differ in length");
        return filled<double>({a.size()}, [&](double* out) { log_rising(a.data(), x.data(), a.size(), out); });
    });
}
