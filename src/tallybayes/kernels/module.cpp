// The Python names of the kernels.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "carry.hpp"
#include "groups.hpp"
#include "limbs.hpp"
#include "logarithm.hpp"
#include "products.hpp"
#include "scores.hpp"
#include "shrinkage.hpp"
#include "sums.hpp"
#include "tables.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tallybayes;

namespace {

// Numbers of `size` limbs from `low`, as an array of this shape without the limbs that are zero in all of them at the two
// ends; and the lowest that is left.
nb::tuple give_sums(std::vector<size_t> shape, const Pages<int64_t>& limbs, int64_t size, int64_t low) {
    const int64_t count = int64_t(limbs.size()) / size;
    int64_t first = size, last = 0;
    for (const int64_t* number = limbs.data(); number < limbs.data() + limbs.size(); number += size) {
        for (int64_t i = 0; i < first; ++i)
            if (number[i]) first = i;
        for (int64_t i = size; i > last; --i)
            if (number[i - 1]) last = i;
    }
    if (!last) first = -low, last = first + 1;  // nothing but zeros: one limb at 0
    shape.push_back(size_t(last - first));
    int64_t* out;
    nb::object result = give<int64_t>(shape, &out);
    for (int64_t i = 0; i < count; ++i)
        out = std::copy(limbs.data() + i * size + first, limbs.data() + i * size + last, out);
    return nb::make_tuple(result, low + first);
}

// What every column of a matrix adds up to, by column and class: how many values there are, their total and that of their
// squares, if these are wanted; and the first row that holds an infinity, or −1.
nb::tuple sum_columns(Table<double> values, const Groups& groups, bool squares) {
    expect(int64_t(values.shape(0)) == groups.rows(), "values and groups differ in length");
    const size_t columns = values.shape(1), classes = size_t(groups.classes()), cells = columns * classes;
    int64_t *n, infinite;
    nb::object counts = give<int64_t>({columns, classes, 1}, &n);
    Pages<int64_t> x(cells * full_size(1)), xx(squares ? cells * full_size(2) : 0);
    {
        Free free;
        infinite = sum_matrix({values.data(), int64_t(columns)}, groups, n, x.data(), squares ? xx.data() : nullptr);
    }
    nb::object squared = nb::none();
    if (squares) squared = give_sums({columns, classes}, xx, full_size(2), full_low(2));
    return nb::make_tuple(counts, give_sums({columns, classes}, x, full_size(1), full_low(1)), squared, infinite);
}

void sum_factors(In<double> a, std::optional<In<double>> b, std::optional<In<double>> c, In<int32_t> codes,
                 Out<int64_t> limbs, int low) {
    expect(a.size() == codes.size() && (!b || b->size() == a.size()) && (!c || c->size() == a.size()),
           "factors and codes differ in length");
    Free free;
    sum_products(a.data(), b ? b->data() : nullptr, c ? c->data() : nullptr, codes.data(), int64_t(a.size()),
                 limbs.data(), low, int64_t(limbs.shape(1)));
}

nb::object count(In<int32_t> codes, In<int32_t> classes, int64_t levels, int64_t width) {
    expect(codes.size() == classes.size(), "codes and classes differ in length");
    int64_t* counts;
    nb::object result = give<int64_t>({size_t(levels), size_t(width)}, &counts);
    {
        Free free;
        count_codes(codes.data(), classes.data(), int64_t(codes.size()), levels, width, counts);
    }
    return result;
}

// What is said of logarithms, as said of the numbers themselves: less by the logarithm, which is the change of scale.
// Returns how many numbers are not above 0, or infinite.
template <class Work>
int64_t with_logarithms(const Columns& columns, Work work) {
    const int64_t rows = columns.rows, count = int64_t(columns.x.size());
    std::vector<double> logs(size_t(count * rows));
    std::vector<const double*> x;
    int64_t outside = 0;
    for (int64_t i = 0; i < count; ++i) {
        double* out = logs.data() + i * rows;
        for (int64_t row = 0; row < rows; ++row) out[row] = columns.x[i][row * columns.step];
        logarithm(out, rows, out);
        for (int64_t row = 0; row < rows; ++row) {
            const double number = columns.x[i][row * columns.step];
            outside += number == number && !std::isfinite(out[row]) ? 1 : 0;
        }
        x.push_back(out);
    }
    outside += work(Columns{x, 1, rows, columns.classes, columns.scores, columns.stride});
    for (const double* log : x)
        for (int64_t c = 0; c < columns.classes; ++c)
            for (int64_t row = 0; row < rows; ++row)
                columns.scores[c * columns.stride + row] -= log[row] == log[row] ? log[row] : 0.0;
    return outside;
}

// Columns of equal length or a matrix, and their scores, for the kernels that take several at once: as they are, or their
// logarithms.
template <class Work>
int64_t with_columns(nb::object given, std::initializer_list<Table<double>> settings, Out<double> scores, bool logs,
                     Work work) {
    std::vector<In<double>> arrays;
    std::vector<const double*> x;
    int64_t rows = 0, step = 1;
    if (nb::isinstance<nb::list>(given)) {
        for (nb::handle item : nb::borrow<nb::list>(given)) {
            arrays.push_back(nb::cast<In<double>>(item, false));
            x.push_back(arrays.back().data());
            expect(arrays.back().size() == arrays.front().size(), "the columns differ in length");
        }
        rows = arrays.empty() ? 0 : int64_t(arrays.front().size());
    } else {
        const auto matrix = nb::cast<Table<double>>(given, false);
        rows = int64_t(matrix.shape(0));
        step = int64_t(matrix.shape(1));
        for (int64_t column = 0; column < step; ++column) x.push_back(matrix.data() + column);
    }
    for (const Table<double>& each : settings)
        expect(each.shape(0) == x.size() && each.shape(1) == scores.shape(0), "the settings do not fit");
    expect(int64_t(scores.shape(1)) >= rows, "the scores do not fit");
    const Columns columns{x, step, rows, int64_t(scores.shape(0)), scores.data(), int64_t(scores.shape(1))};
    Free free;
    return logs ? with_logarithms(columns, work) : work(columns);
}

// The same for columns whose cells are looked up, each in its own table.
template <class Code, class Work>
int64_t with_tables(nb::list list, nb::list tables, Out<double> scores, Work work) {
    expect(list.size() == tables.size(), "there is not one table a column");
    std::vector<std::pair<In<Code>, Table<double>>> columns;
    for (size_t i = 0; i < list.size(); ++i) {
        columns.emplace_back(nb::cast<In<Code>>(list[i], false), nb::cast<Table<double>>(tables[i], false));
        const auto& [codes, table] = columns.back();
        expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.size(), "the scores do not fit");
    }
    Free free;
    int64_t others = 0;
    for (const auto& [codes, table] : columns)
        others += work(codes.data(), int64_t(codes.size()), table.data(), int64_t(table.shape(0)), int64_t(table.shape(1)),
                       scores.data(), int64_t(scores.shape(1)));
    return others;
}

// Numbers by interval, each column with its own edges, spread and table.
void add_all_intervals(nb::list list, nb::list bounds, In<double> halves, nb::list tables, Out<double> scores) {
    struct Column {
        In<double> x, edges;
        Table<double> table;
    };
    expect(list.size() == tables.size() && list.size() == bounds.size() && list.size() == halves.size(),
           "there is not one table a column");
    std::vector<Column> columns;
    for (size_t i = 0; i < list.size(); ++i) {
        columns.push_back({nb::cast<In<double>>(list[i], false), nb::cast<In<double>>(bounds[i], false),
                           nb::cast<Table<double>>(tables[i], false)});
        const auto& [x, edges, table] = columns.back();
        expect(edges.size() > 0 && table.shape(0) == edges.size() + 1, "the table does not fit the edges");
        expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= x.size(), "the scores do not fit");
    }
    Free free;
    for (size_t i = 0; i < columns.size(); ++i) {
        const auto& [x, edges, table] = columns[i];
        add_intervals(x.data(), int64_t(x.size()), edges.data(), int64_t(edges.size()), halves.data()[i], table.data(),
                      int64_t(table.shape(1)), scores.data(), int64_t(scores.shape(1)));
    }
}

}  // namespace

NB_MODULE(compiled, m) {
    nb::set_leak_warnings(false);  // an exception that outlives the interpreter is not a leak of ours
    nb::class_<Groups>(m, "Groups")
        .def("__init__",
             [](Groups* self, In<int32_t> codes, int classes) { new (self) Groups(codes.data(), int64_t(codes.size()), classes); },
             "codes"_a.noconvert(), "classes"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("classes", &Groups::classes)
        .def("counts", [](const Groups& groups) {
            int64_t* counts;
            nb::object result = give<int64_t>({groups.counts().size()}, &counts);
            std::copy(groups.counts().begin(), groups.counts().end(), counts);
            return result;
        });
    bind_blocks(m);
    bind_strings(m);
    bind_trees(m);
    bind_words(m);
    bind_sequence(m);
    bind_bags(m);
    bind_bumps(m);
    bind_cells(m);
    bind_pieces(m);
    bind_quotients(m);
    bind_rows(m);
    bind_tallies(m);
    bind_values(m);
    bind_weighing(m);
    m.def("sum_columns", &sum_columns, "values"_a.noconvert(), "groups"_a, "squares"_a);
    m.def("sum_products", &sum_factors, "a"_a.noconvert(), "b"_a.none().noconvert(), "c"_a.none().noconvert(),
          "codes"_a.noconvert(), "limbs"_a.noconvert(), "low"_a);
    m.def("exact_products", [](Table<double> values, In<int32_t> firsts, In<int32_t> seconds) {
        expect(firsts.size() == seconds.size(), "pairs have two columns each");
        const size_t rows = values.shape(0), columns = values.shape(1), pairs = firsts.size();
        for (size_t i = 0; i < pairs; ++i)
            expect(size_t(firsts.data()[i]) < columns && size_t(seconds.data()[i]) < columns, "there is no such column");
        double* out;
        nb::object result = give<double>({rows, 2 * pairs}, &out);
        bool exact;
        {
            Free free;
            exact = exact_products(values.data(), int64_t(rows), int64_t(columns),
                                   {firsts.data(), seconds.data(), int64_t(pairs)}, out);
        }
        return nb::make_tuple(result, exact);
    }, "values"_a.noconvert(), "firsts"_a.noconvert(), "seconds"_a.noconvert());
    m.def("carry", [](Table<int64_t> limbs) {
        const auto count = int64_t(limbs.shape(0)), size = int64_t(limbs.shape(1));
        Used used;
        {
            Free free;
            used = find_used(limbs.data(), count, size);
        }
        int64_t* out;
        nb::object result = give<int64_t>({size_t(count), size_t(used.last - used.first)}, &out);
        {
            Free free;
            carry(limbs.data(), count, size, used, out);
        }
        return nb::make_tuple(result, used.first);
    }, "limbs"_a.noconvert());
    m.def("count_codes", &count, "codes"_a.noconvert(), "classes"_a.noconvert(), "levels"_a, "width"_a);
    m.def("fit_pseudocounts", [](Table<double> counts) {
        double* pseudo;
        nb::object result = give<double>({counts.shape(0)}, &pseudo);
        {
            Free free;
            fit_pseudocounts(counts.data(), int64_t(counts.shape(0)), int64_t(counts.shape(1)), pseudo);
        }
        return result;
    }, "counts"_a.noconvert());
    m.def("add_rows", [](Out<int64_t> target, In<int64_t> rows, Table<int64_t> values, int64_t sign) {
        expect(values.shape(0) == rows.size() && values.shape(1) == target.shape(1), "the values do not fit");
        for (size_t i = 0; i < rows.size(); ++i)
            expect(rows.data()[i] >= 0 && size_t(rows.data()[i]) < target.shape(0), "there is no such row");
        Free free;
        return add_rows(target.data(), rows.data(), int64_t(rows.size()), int64_t(values.shape(1)), values.data(), sign);
    }, "target"_a.noconvert(), "rows"_a.noconvert(), "values"_a.noconvert(), "sign"_a);
    m.def("add_intervals", &add_all_intervals, "x"_a, "edges"_a, "halves"_a.noconvert(), "tables"_a,
          "scores"_a.noconvert());
    m.def("add_tables", [](nb::list codes, nb::list tables, Out<double> scores) {
        with_tables<int32_t>(codes, tables, scores, [](const auto&... all) { return add_table(all...), 0; });
    }, "codes"_a, "tables"_a, "scores"_a.noconvert());
    m.def("add_whole", [](nb::list x, nb::list tables, Out<double> scores) {
        return with_tables<double>(x, tables, scores, [](const auto&... all) { return add_table(all...); });
    }, "x"_a, "tables"_a, "scores"_a.noconvert());
    m.def("add_linear", [](nb::object x, Table<double> weight, Out<double> scores) {
        with_columns(x, {weight}, scores, false, [&](const Columns& columns) {
            add_linear(columns, weight.data());
            return int64_t(0);
        });
    }, "x"_a, "weight"_a.noconvert(), "scores"_a.noconvert());
    m.def("add_normal", [](nb::object x, Table<double> mean, Table<double> precision, Table<double> constant,
                           Out<double> scores, bool logs) {
        return with_columns(x, {mean, precision, constant}, scores, logs, [&](const Columns& columns) {
            return add_normal(columns, mean.data(), precision.data(), constant.data());
        });
    }, "x"_a, "mean"_a.noconvert(), "precision"_a.noconvert(), "constant"_a.noconvert(), "scores"_a.noconvert(),
       "logs"_a = false);
    m.def("add_student", [](nb::object x, Table<double> mean, Table<double> precision, Table<double> power,
                            Table<double> constant, Out<double> scores, bool logs) {
        return with_columns(x, {mean, precision, power, constant}, scores, logs, [&](const Columns& columns) {
            return add_student(columns, mean.data(), precision.data(), power.data(), constant.data());
        });
    }, "x"_a, "mean"_a.noconvert(), "precision"_a.noconvert(), "power"_a.noconvert(), "constant"_a.noconvert(),
       "scores"_a.noconvert(), "logs"_a = false);
    m.def("normalise", [](Out<double> scores, Out<double> out) {
        expect(scores.shape(0) == out.shape(1) && scores.shape(1) >= out.shape(0), "the scores do not fit");
        Free free;
        return normalise(scores.data(), int64_t(scores.shape(1)), int64_t(out.shape(0)), int64_t(out.shape(1)), out.data());
    }, "scores"_a.noconvert(), "out"_a.noconvert());
    m.def("most_probable", [](Out<double> scores, nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
        expect(scores.shape(0) > 0 && scores.shape(1) >= out.size(), "the scores do not fit");
        Free free;
        return most_probable(scores.data(), int64_t(scores.shape(1)), int64_t(out.size()), int64_t(scores.shape(0)), out.data());
    }, "scores"_a.noconvert(), "out"_a.noconvert());
    const auto one_by_one = [&](const char* name, void (*function)(const double*, int64_t, double*)) {
        m.def(name, [function](nb::ndarray<const double, nb::c_contig, nb::device::cpu> x) {
            double* out;
            nb::object result = give<double>(std::vector<size_t>(x.shape_ptr(), x.shape_ptr() + x.ndim()), &out);
            {
                Free free;
                function(x.data(), int64_t(x.size()), out);
            }
            return result;
        }, "x"_a.noconvert());
    };
    one_by_one("logarithm", logarithm);
    one_by_one("log_gamma", static_cast<void (*)(const double*, int64_t, double*)>(log_gamma));
    m.def("log_rising", [](In<double> a, In<double> x) {
        expect(a.size() == x.size(), "the numbers differ in length");
        double* out;
        nb::object result = give<double>({a.size()}, &out);
        {
            Free free;
            log_rising(a.data(), x.data(), int64_t(a.size()), out);
        }
        return result;
    }, "a"_a.noconvert(), "x"_a.noconvert());
}
