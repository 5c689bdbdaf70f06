// Python bindings of the kernels that score columns of numbers, and turn scores into probabilities.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "logarithm.hpp"
#include "scores.hpp"
#include "tables.hpp"

namespace tallybayes {
namespace {

using Thetas = std::optional<Table<double>>;  // [column][class], if evidence is weighed

// Turns densities of logarithms into densities of the numbers, by subtracting the logarithm (change of variable); weighed
// evidence is relative to the mean over the classes, so it stays. Returns how many numbers are infinite or not above 0.
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
    outside += work(Columns{x, 1, rows, columns.classes, columns.scores, columns.stride, columns.weighing});
    if (columns.weighing.thetas) return outside;
    for (const double* log : x)
        for (int64_t c = 0; c < columns.classes; ++c)
            for (int64_t row = 0; row < rows; ++row)
                columns.scores[c * columns.stride + row] -= log[row] == log[row] ? log[row] : 0.0;
    return outside;
}

// Columns of equal length or a matrix, unchanged or as logarithms, and their scores, for kernels that take several columns.
template <class Work>
int64_t with_columns(nb::object given, std::initializer_list<Table<double>> settings, Out<double> scores, bool logs,
                     const Thetas& thetas, double bound, Work work) {
    std::vector<In<double>> arrays;
    std::vector<const double*> x;
    int64_t rows = 0, step = 1;
    if (nb::isinstance<nb::list>(given)) {
        for (nb::handle item : nb::borrow<nb::list>(given)) {
            arrays.push_back(nb::cast<In<double>>(item));
            x.push_back(arrays.back().data());
            expect(arrays.back().size() == arrays.front().size(), "the columns differ in length");
        }
        rows = arrays.empty() ? 0 : arrays.front().size();
    } else {
        const auto matrix = nb::cast<Table<double>>(given);
        rows = matrix.shape(0);
        step = matrix.shape(1);
        for (int64_t column = 0; column < step; ++column) x.push_back(matrix.data() + column);
    }
    const auto count = int64_t(x.size());
    for (const Table<double>& each : settings)
        expect(each.shape(0) == count && each.shape(1) == scores.shape(0), "the settings do not fit");
    expect(!thetas || (thetas->shape(0) == count && thetas->shape(1) == scores.shape(0)), "the weights do not fit");
    expect(scores.shape(1) >= rows, "the scores do not fit");
    const Columns columns{x, step, rows, scores.shape(0), scores.data(), scores.shape(1),
                          {thetas ? thetas->data() : nullptr, bound}};
    Free free;
    return logs ? with_logarithms(columns, work) : work(columns);
}

// The same for cells that are looked up, each column in its own table.
template <class Code, class Work>
int64_t with_tables(nb::list list, nb::list tables, Out<double> scores, Work work) {
    expect(list.size() == tables.size(), "there is not one table a column");
    std::vector<std::pair<In<Code>, Table<double>>> columns;
    for (size_t i = 0; i < list.size(); ++i) {
        columns.emplace_back(nb::cast<In<Code>>(list[i]), nb::cast<Table<double>>(tables[i]));
        const auto& [codes, table] = columns.back();
        expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.size(), "the scores do not fit");
    }
    Free free;
    int64_t others = 0;
    for (const auto& [codes, table] : columns)
        others += work(codes.data(), codes.size(), table.data(), table.shape(0), table.shape(1),
                       scores.data(), scores.shape(1));
    return others;
}

// Numbers by interval, each column with its own edges, spread and table.
void add_all_intervals(nb::list list, nb::list bounds, In<double> halves, nb::list tables, Out<double> scores) {
    struct Column {
        In<double> x, edges;
        Table<double> table;
    };
    expect(list.size() == tables.size() && list.size() == bounds.size() && int64_t(list.size()) == halves.size(),
           "there is not one table a column");
    std::vector<Column> columns;
    for (size_t i = 0; i < list.size(); ++i) {
        columns.push_back({nb::cast<In<double>>(list[i]), nb::cast<In<double>>(bounds[i]),
                           nb::cast<Table<double>>(tables[i])});
        const auto& [x, edges, table] = columns.back();
        expect(edges.size() > 0 && table.shape(0) == edges.size() + 1, "the table does not fit the edges");
        expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= x.size(), "the scores do not fit");
    }
    Free free;
    for (size_t i = 0; i < columns.size(); ++i) {
        const auto& [x, edges, table] = columns[i];
        add_intervals(x.data(), x.size(), edges.data(), edges.size(), halves.data()[i], table.data(),
                      table.shape(1), scores.data(), scores.shape(1));
    }
}

}  // namespace

void bind_scores(nb::module_& m) {
    m.def("add_intervals", &add_all_intervals);
    m.def("find_intervals", [](In<double> x, In<int32_t> lists, In<double> edges, In<int64_t> ends) {
        const int64_t count = ends.size();
        expect(x.size() == lists.size(), "there is not one list of edges per number");
        expect(are_below(lists, ends.size()), "there is no such list");
        const int64_t *const first = ends.data(), *const last = first + count;
        expect(std::is_sorted(first, last) && (!count || (*first >= 0 && last[-1] <= edges.size())),
               "the lists do not end in order");
        int32_t* codes;
        nb::object result = give_unset<int32_t>(x.size(), &codes);
        Free free;
        find_intervals(x.data(), lists.data(), x.size(), edges.data(), ends.data(), count, codes);
        return result;
    });
    m.def("add_tables", [](nb::list codes, nb::list tables, Out<double> scores) {
        with_tables<int32_t>(codes, tables, scores, [](const auto&... all) { return add_table(all...), 0; });
    });
    m.def("add_whole", [](nb::list x, nb::list tables, Out<double> scores) {
        return with_tables<double>(x, tables, scores, [](const auto&... all) { return add_table(all...); });
    });
    m.def("add_linear", [](nb::object x, Table<double> weight, Out<double> scores) {
        with_columns(x, {weight}, scores, false, {}, 0.0, [&](const Columns& columns) {
            add_linear(columns, weight.data());
            return int64_t(0);
        });
    });
    m.def("add_normal", [](nb::object x, Table<double> mean, Table<double> precision, Table<double> constant,
                           Out<double> scores, bool logs, Thetas thetas, double bound) {
        return with_columns(x, {mean, precision, constant}, scores, logs, thetas, bound, [&](const Columns& columns) {
            return add_normal(columns, mean.data(), precision.data(), constant.data());
        });
    }, "x"_a, "mean"_a, "precision"_a, "constant"_a, "scores"_a, "logs"_a = false, "thetas"_a = nb::none(),
       "bound"_a = INFINITY);
    m.def("add_student", [](nb::object x, Table<double> mean, Table<double> precision, Table<double> power,
                            Table<double> constant, Out<double> scores, bool logs, Thetas thetas, double bound) {
        return with_columns(x, {mean, precision, power, constant}, scores, logs, thetas, bound, [&](const Columns& columns) {
            return add_student(columns, mean.data(), precision.data(), power.data(), constant.data());
        });
    }, "x"_a, "mean"_a, "precision"_a, "power"_a, "constant"_a, "scores"_a, "logs"_a = false, "thetas"_a = nb::none(),
       "bound"_a = INFINITY);
    m.def("add_weighed", [](Out<double> evidence, In<double> thetas, double bound, Out<double> scores) {
        expect(thetas.size() == scores.shape(0), "the weights do not fit");
        expect(evidence.shape(0) == scores.shape(0) && evidence.shape(1) <= scores.shape(1), "the scores do not fit");
        const int64_t rows = evidence.shape(1);
        Free free(int64_t(evidence.nbytes()));
        add_weighed(evidence.data(), rows, rows, evidence.shape(0), {thetas.data(), bound}, scores.data(),
                    scores.shape(1));
    });
    m.def("add_where", [](nb::list marked, Table<double> changes, Out<double> scores) {
        expect(int64_t(marked.size()) == changes.shape(0) && scores.shape(0) == changes.shape(1), "there is not one change a column");
        std::vector<In<bool>> columns;
        for (nb::handle item : marked) {
            columns.push_back(nb::cast<In<bool>>(item));
            expect(columns.back().size() <= scores.shape(1), "the scores do not fit");
        }
        Free free(int64_t(scores.nbytes()));
        for (int64_t i = 0; i < changes.shape(0); ++i)
            add_where(columns[i].data(), columns[i].size(), scores.shape(0),
                      changes.data() + i * changes.shape(1), scores.data(), scores.shape(1));
    });
    m.def("normalise", [](Out<double> scores, Out<double> out) {
        expect(scores.shape(0) == out.shape(1) && scores.shape(1) >= out.shape(0), "the scores do not fit");
        Free free;
        return normalise(scores.data(), scores.shape(1), out.shape(0), out.shape(1), out.data());
    });
    m.def("most_probable", [](Out<double> scores, Array<int64_t, 1> out) {
        expect(scores.shape(0) > 0 && scores.shape(1) >= out.size(), "the scores do not fit");
        Free free;
        return most_probable(scores.data(), scores.shape(1), out.size(), scores.shape(0), out.data());
    });
}

}  // namespace tallybayes
