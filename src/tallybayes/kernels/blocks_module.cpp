// Python bindings of the kernels that count several columns together.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "codes.hpp"
#include "networks.hpp"
#include "networks_left_out.hpp"
#include "pair_counts.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

using Bytes = nb::ndarray<uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void numbers(In<double> x, In<double> edges, Bytes codes, size_t column) {
    expect(codes.shape(0) == x.size() && column < codes.shape(1), "numbers and codes differ in length");
    expect(edges.size() <= 254, "there are more edges than codes");
    Free free;
    code_numbers(x.data(), int64_t(x.size()), edges.data(), int64_t(edges.size()), codes.data() + column,
                 int64_t(codes.shape(1)));
}

using Starts = nb::ndarray<const int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Sizes, and the positions of columns, pairs and triples: see pair_counts.hpp. Codes must be below the sizes.
PairLayout layout_of(const In<int64_t>& sizes, const In<int64_t>& singles, const Table<int64_t>& pairs,
                     const std::optional<Starts>& triples, int64_t positions) {
    const size_t columns = sizes.size();
    expect(singles.size() == columns && pairs.shape(0) == columns && pairs.shape(1) == columns, "the layout does not fit");
    for (size_t side = 0; triples && side < 3; ++side) expect(triples->shape(side) == columns, "the layout does not fit");
    const PairLayout layout{int64_t(columns), sizes.data(), singles.data(), pairs.data(),
                            triples ? triples->data() : nullptr, positions};
    for (size_t j = 0; j < columns; ++j) {
        const int64_t size = sizes.data()[j];
        expect(size > 0 && singles.data()[j] >= 0 && singles.data()[j] + size <= positions, "a column lies outside");
        for (size_t i = 0; i < j; ++i) {
            const int64_t start = layout.pair(int64_t(i), int64_t(j));
            expect(start < 0 || start + sizes.data()[i] * size <= positions, "a pair of columns lies outside");
            for (size_t h = 0; triples && h < i; ++h) {
                const int64_t first = layout.triple(int64_t(h), int64_t(i), int64_t(j));
                const int64_t length = sizes.data()[h] * sizes.data()[i] * size;
                expect(first < 0 ? start < 0 || layout.pair(int64_t(h), int64_t(i)) < 0 : first + length <= positions,
                       "three columns lie outside");
            }
        }
    }
    return layout;
}

void expect_codes(const Table<uint8_t>& codes, const In<int64_t>& sizes) {
    expect(codes.shape(1) == sizes.size(), "codes and sizes differ in length");
    const uint8_t* code = codes.data();
    bool inside = true;
    for (size_t row = 0; row < codes.shape(0); ++row)
        for (size_t j = 0; j < sizes.size(); ++j) inside &= *code++ < sizes.data()[j];
    expect(inside, "a code is not among those that are counted");
}

nb::object count(Table<uint8_t> codes, In<int32_t> classes, int64_t width, In<int64_t> sizes, In<int64_t> singles,
                 Table<int64_t> pairs, std::optional<Starts> triples, int64_t positions) {
    expect(codes.shape(0) == classes.size(), "rows and classes differ in length");
    const PairLayout layout = layout_of(sizes, singles, pairs, triples, positions);
    expect_codes(codes, sizes);
    int64_t* counts;
    nb::object result = give<int64_t>({size_t(positions), size_t(width), 1}, &counts);
    {
        Free free;
        count_pairs(layout, codes.data(), int64_t(codes.shape(0)), classes.data(), width, counts);
    }
    return result;
}

// `lookups` has a row of seven numbers for each: its start, three strides and three columns.
std::vector<Lookup> lookups_of(const Table<int64_t>& lookups, const In<int64_t>& sizes, const Table<double>& table) {
    expect(lookups.shape(1) == 7, "a lookup has seven numbers");
    std::vector<Lookup> all;
    for (size_t k = 0; k < lookups.shape(0); ++k) {
        const int64_t* row = lookups.data() + 7 * k;
        all.push_back({row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6]}});
        int64_t last = row[0];
        for (int i = 0; i < 3; ++i) {
            expect(row[4 + i] >= 0 && row[4 + i] < int64_t(sizes.size()) && row[1 + i] >= 0, "there is no such column");
            last += row[1 + i] * (sizes.data()[row[4 + i]] - 1);
        }
        expect(row[0] >= 0 && last < int64_t(table.shape(0)), "a lookup lies outside");
    }
    return all;
}

void look_up(Table<uint8_t> codes, In<int64_t> sizes, Table<int64_t> lookups, Table<double> table, Out<double> scores) {
    expect_codes(codes, sizes);
    expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    const std::vector<Lookup> all = lookups_of(lookups, sizes, table);
    Free free;
    add_network(codes.data(), int64_t(codes.shape(0)), int64_t(sizes.size()), all.data(), int64_t(all.size()), table.data(),
                int64_t(table.shape(1)), scores.data(), int64_t(scores.shape(1)));
}

void expect_starts(const In<int64_t>& starts, const In<int64_t>& sizes, size_t levels) {
    expect(starts.size() == sizes.size(), "the scores do not fit");
    for (size_t j = 0; j < starts.size(); ++j)
        expect(starts.data()[j] >= 0 && starts.data()[j] + sizes.data()[j] <= int64_t(levels), "a column lies outside");
}

// The same number of lookups for each group, which is a row of `parents`, and for no group.
void mix(Table<uint8_t> codes, In<int64_t> sizes, In<int64_t> starts, In<uint8_t> met, Table<int64_t> parents,
         Table<int64_t> lookups, Table<double> table, Out<double> scores) {
    expect_codes(codes, sizes);
    expect_starts(starts, sizes, met.size());
    const size_t groups = parents.shape(0), count = lookups.shape(0) / (groups + 1);
    expect(parents.shape(1) == 2 && count * (groups + 1) == lookups.shape(0), "the groups do not fit");
    for (size_t k = 0; k < 2 * groups; ++k)
        expect(parents.data()[k] >= 0 && parents.data()[k] < int64_t(sizes.size()), "there is no such column");
    expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    const std::vector<Lookup> all = lookups_of(lookups, sizes, table);
    Free free;
    add_mixture(codes.data(), int64_t(codes.shape(0)), int64_t(sizes.size()), starts.data(), met.data(), parents.data(),
                all.data(), int64_t(groups), int64_t(count), table.data(), int64_t(table.shape(1)), scores.data(),
                int64_t(scores.shape(1)));
}

void average(Table<uint8_t> codes, In<int64_t> sizes, In<int64_t> starts, Cube table, In<uint8_t> met, Table<double> alone, Out<double> scores) {
    expect_codes(codes, sizes);
    const size_t levels = table.shape(0), width = table.shape(2);
    expect(table.shape(1) == levels && met.size() == levels && alone.shape(0) == levels && alone.shape(1) == width,
           "the table does not fit");
    expect(scores.shape(0) == width && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    expect_starts(starts, sizes, levels);
    Free free;
    add_averaged(codes.data(), int64_t(codes.shape(0)), int64_t(sizes.size()), starts.data(), int64_t(levels), table.data(),
                 met.data(), alone.data(), int64_t(width), scores.data(), int64_t(scores.shape(1)));
}

// A row of up to two parents for each column; negative: none.
void expect_parents(const Table<int64_t>& parents, const PairLayout& layout) {
    expect(parents.shape(0) == size_t(layout.columns) && parents.shape(1) == 2, "the parents do not fit");
    for (int64_t j = 0; j < layout.columns; ++j) {
        const int64_t p = parents.data()[2 * j], q = parents.data()[2 * j + 1];
        for (const int64_t one : {p, q})
            expect(one < 0 || (one < layout.columns && one != j && layout.pair(j, one) >= 0),
                   "a column is not counted with its parent");
        expect(p < 0 || q < 0 || (p != q && layout.triples && layout.pair(p, q) >= 0), "three columns are not counted");
    }
}

// With `parents`, each column has up to two; without, each column (or with triples, each pair) in turn is the parent of
// all others.
nb::object leave_out(Table<uint8_t> codes, In<int32_t> classes, std::optional<In<double>> weights, Table<double> counts,
                     Table<double> wholes, In<int64_t> levels, In<int64_t> sizes, In<int64_t> singles, Table<int64_t> pairs,
                     std::optional<Starts> triples, std::optional<Table<int64_t>> parents,
                     In<double> each, double shared, double m, bool ignored) {
    const size_t columns = sizes.size(), width = counts.shape(1);
    const PairLayout layout = layout_of(sizes, singles, pairs, triples, int64_t(counts.shape(0)));
    expect_codes(codes, sizes);
    expect(codes.shape(0) == classes.size() && (!weights || weights->size() == classes.size()),
           "rows and classes differ in length");
    expect(wholes.shape(0) == columns && wholes.shape(1) == width && levels.size() == columns && each.size() == columns, "the counts do not fit");
    for (size_t row = 0; row < classes.size(); ++row)
        expect(classes.data()[row] >= 0 && classes.data()[row] < int64_t(width), "there is no such class");
    if (parents) expect_parents(*parents, layout);
    const PairSums sums{layout, counts.data(), wholes.data(), levels.data(), int64_t(width), {each.data(), shared, m, ignored}};
    double* said;
    nb::object result = give<double>({codes.shape(0), width}, &said);
    const double* weight = weights ? weights->data() : nullptr;
    {
        Free free;
        if (parents)
            leave_out_network(sums, parents->data(), codes.data(), int64_t(codes.shape(0)), classes.data(), weight, said);
        else if (layout.triples)
            leave_out_averaged_by_two(sums, codes.data(), int64_t(codes.shape(0)), classes.data(), weight, said);
        else
            leave_out_averaged(sums, codes.data(), int64_t(codes.shape(0)), classes.data(), weight, said);
    }
    return result;
}

}  // namespace

void bind_blocks(nb::module_& m) {
    m.def("code_numbers", numbers, "x"_a.noconvert(), "edges"_a.noconvert(), "codes"_a.noconvert(), "column"_a);
    m.def("count_pairs", count, "codes"_a.noconvert(), "classes"_a.noconvert(), "width"_a, "sizes"_a.noconvert(),
          "singles"_a.noconvert(), "pairs"_a.noconvert(), "triples"_a.noconvert().none(), "positions"_a);
    m.def("add_network", look_up, "codes"_a.noconvert(), "sizes"_a.noconvert(), "lookups"_a.noconvert(),
          "table"_a.noconvert(), "scores"_a.noconvert());
    m.def("add_averaged", average, "codes"_a.noconvert(), "sizes"_a.noconvert(), "starts"_a.noconvert(),
          "table"_a.noconvert(), "met"_a.noconvert(), "alone"_a.noconvert(), "scores"_a.noconvert());
    m.def("add_mixture", mix, "codes"_a.noconvert(), "sizes"_a.noconvert(), "starts"_a.noconvert(), "met"_a.noconvert(),
          "parents"_a.noconvert(), "lookups"_a.noconvert(), "table"_a.noconvert(), "scores"_a.noconvert());
    m.def("leave_out_pairs", leave_out, "codes"_a.noconvert(), "classes"_a.noconvert(), "weights"_a.noconvert().none(),
          "counts"_a.noconvert(), "wholes"_a.noconvert(), "levels"_a.noconvert(), "sizes"_a.noconvert(),
          "singles"_a.noconvert(), "pairs"_a.noconvert(), "triples"_a.noconvert().none(), "parents"_a.noconvert().none(),
          "each"_a.noconvert(), "shared"_a, "m"_a,
          "ignored"_a);
}

}  // namespace tallybayes
