// Python bindings of the kernels that count several columns together.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "codes.hpp"
#include "networks.hpp"
#include "networks_left_out.hpp"
#include "pair_counts.hpp"

namespace tallybayes {
namespace {

void numbers(In<double> x, In<double> edges, Out<uint8_t> codes, int64_t column) {
    expect(codes.shape(0) == x.size() && column >= 0 && column < codes.shape(1), "numbers and codes differ in length");
    expect(edges.size() <= 254, "there are more edges than codes");
    Free free;
    code_numbers(x.data(), x.size(), edges.data(), edges.size(), codes.data() + column, codes.shape(1));
}

// Sizes, and the positions of columns, pairs and triples: see pair_counts.hpp. Codes must be below the sizes.
PairLayout layout_of(const In<int64_t>& sizes, const In<int64_t>& singles, const Table<int64_t>& pairs,
                     const std::optional<Cube<int64_t>>& triples, int64_t positions) {
    const int64_t columns = sizes.size();
    expect(singles.size() == columns && pairs.shape(0) == columns && pairs.shape(1) == columns, "the layout does not fit");
    for (int64_t side = 0; triples && side < 3; ++side) expect(triples->shape(side) == columns, "the layout does not fit");
    const PairLayout layout{columns, sizes.data(), singles.data(), pairs.data(),
                            triples ? triples->data() : nullptr, positions};
    for (int64_t j = 0; j < columns; ++j) {
        const int64_t size = sizes.data()[j];
        expect(size > 0 && size <= 256 && singles.data()[j] >= 0 && singles.data()[j] <= positions - size,
               "a column lies outside");
        for (int64_t i = 0; i < j; ++i) {
            const int64_t start = layout.pair(i, j);
            expect(start < 0 || start <= positions - sizes.data()[i] * size, "a pair of columns lies outside");
            for (int64_t h = 0; triples && h < i; ++h) {
                const int64_t first = layout.triple(h, i, j);
                const int64_t length = sizes.data()[h] * sizes.data()[i] * size;
                expect(first < 0 ? start < 0 || layout.pair(h, i) < 0 : first <= positions - length,
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
    for (int64_t row = 0; row < codes.shape(0); ++row)
        for (int64_t j = 0; j < sizes.size(); ++j) inside &= *code++ < sizes.data()[j];
    expect(inside, "a code is not among those that are counted");
}

nb::object count(Table<uint8_t> codes, In<int32_t> classes, int64_t width, In<int64_t> sizes, In<int64_t> singles,
                 Table<int64_t> pairs, std::optional<Cube<int64_t>> triples, int64_t positions) {
    expect(codes.shape(0) == classes.size(), "rows and classes differ in length");
    const PairLayout layout = layout_of(sizes, singles, pairs, triples, positions);
    expect_codes(codes, sizes);
    return filled<int64_t>({positions, width, 1}, [&](int64_t* counts) {
        count_pairs(layout, codes.data(), codes.shape(0), classes.data(), width, counts);
    });
}

// `lookups` has a row of seven numbers for each: its start, three strides and three columns.
std::vector<Lookup> lookups_of(const Table<int64_t>& lookups, const In<int64_t>& sizes, const Table<double>& table) {
    expect(lookups.shape(1) == 7, "a lookup has seven numbers");
    std::vector<Lookup> all;
    for (int64_t k = 0; k < lookups.shape(0); ++k) {
        const int64_t* row = lookups.data() + 7 * k;
        all.push_back({row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6]}});
        int64_t last = row[0];
        for (int i = 0; i < 3; ++i) {
            expect(row[4 + i] >= 0 && row[4 + i] < sizes.size() && row[1 + i] >= 0, "there is no such column");
            last += row[1 + i] * (sizes.data()[row[4 + i]] - 1);
        }
        expect(row[0] >= 0 && last < table.shape(0), "a lookup lies outside");
    }
    return all;
}

void look_up(Table<uint8_t> codes, In<int64_t> sizes, Table<int64_t> lookups, Table<double> table, Out<double> scores) {
    expect_codes(codes, sizes);
    expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    const std::vector<Lookup> all = lookups_of(lookups, sizes, table);
    Free free;
    add_network(codes.data(), codes.shape(0), sizes.size(), all.data(), int64_t(all.size()), table.data(),
                table.shape(1), scores.data(), scores.shape(1));
}

void expect_starts(const In<int64_t>& starts, const In<int64_t>& sizes, int64_t levels) {
    expect(starts.size() == sizes.size(), "the scores do not fit");
    for (int64_t j = 0; j < starts.size(); ++j)
        expect(starts.data()[j] >= 0 && starts.data()[j] <= levels - sizes.data()[j], "a column lies outside");
}

// The same number of lookups for each group, which is a row of `parents`, and for no group.
void mix(Table<uint8_t> codes, In<int64_t> sizes, In<int64_t> starts, In<uint8_t> met, Table<int64_t> parents,
         Table<int64_t> lookups, Table<double> table, Out<double> scores) {
    expect_codes(codes, sizes);
    expect_starts(starts, sizes, met.size());
    const int64_t groups = parents.shape(0), count = lookups.shape(0) / (groups + 1);
    expect(parents.shape(1) == 2 && count * (groups + 1) == lookups.shape(0), "the groups do not fit");
    for (int64_t k = 0; k < 2 * groups; ++k)
        expect(parents.data()[k] >= 0 && parents.data()[k] < sizes.size(), "there is no such column");
    expect(scores.shape(0) == table.shape(1) && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    const std::vector<Lookup> all = lookups_of(lookups, sizes, table);
    Free free;
    add_mixture(codes.data(), codes.shape(0), sizes.size(), starts.data(), met.data(), parents.data(),
                all.data(), groups, count, table.data(), table.shape(1), scores.data(),
                scores.shape(1));
}

void average(Table<uint8_t> codes, In<int64_t> sizes, In<int64_t> starts, Cube<double> table, In<uint8_t> met,
             Table<double> alone, Out<double> scores) {
    expect_codes(codes, sizes);
    const int64_t levels = table.shape(0), width = table.shape(2);
    expect(table.shape(1) == levels && met.size() == levels && alone.shape(0) == levels && alone.shape(1) == width,
           "the table does not fit");
    expect(scores.shape(0) == width && scores.shape(1) >= codes.shape(0), "the scores do not fit");
    expect_starts(starts, sizes, levels);
    Free free;
    add_averaged(codes.data(), codes.shape(0), sizes.size(), starts.data(), levels, table.data(),
                 met.data(), alone.data(), width, scores.data(), scores.shape(1));
}

// A row of up to two parents for each column; negative: none.
void expect_parents(const Table<int64_t>& parents, const PairLayout& layout) {
    expect(parents.shape(0) == layout.columns && parents.shape(1) == 2, "the parents do not fit");
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
                     std::optional<Cube<int64_t>> triples, std::optional<Table<int64_t>> parents,
                     In<double> each, double shared, double m, bool ignored) {
    const int64_t columns = sizes.size(), width = counts.shape(1);
    const PairLayout layout = layout_of(sizes, singles, pairs, triples, counts.shape(0));
    expect_codes(codes, sizes);
    expect(codes.shape(0) == classes.size() && (!weights || weights->size() == classes.size()),
           "rows and classes differ in length");
    expect(wholes.shape(0) == columns && wholes.shape(1) == width && levels.size() == columns && each.size() == columns, "the counts do not fit");
    expect(are_below(classes, width), "there is no such class");
    if (parents) expect_parents(*parents, layout);
    const PairSums sums{layout, counts.data(), wholes.data(), levels.data(), width, {each.data(), shared, m, ignored}};
    const double* weight = weights ? weights->data() : nullptr;
    return filled<double>({codes.shape(0), width}, [&](double* evidence) {
        if (parents)
            leave_out_network(sums, parents->data(), codes.data(), codes.shape(0), classes.data(), weight, evidence);
        else if (layout.triples)
            leave_out_averaged_by_two(sums, codes.data(), codes.shape(0), classes.data(), weight, evidence);
        else
            leave_out_averaged(sums, codes.data(), codes.shape(0), classes.data(), weight, evidence);
    });
}

}  // namespace

void bind_blocks(nb::module_& m) {
    m.def("code_numbers", numbers);
    m.def("count_pairs", count, "codes"_a, "classes"_a, "width"_a, "sizes"_a, "singles"_a, "pairs"_a, "triples"_a.none(),
          "positions"_a);
    m.def("add_network", look_up);
    m.def("add_averaged", average);
    m.def("add_mixture", mix);
    m.def("leave_out_pairs", leave_out, "codes"_a, "classes"_a, "weights"_a.none(), "counts"_a, "wholes"_a, "levels"_a,
          "sizes"_a, "singles"_a, "pairs"_a, "triples"_a.none(), "parents"_a.none(), "each"_a, "shared"_a, "m"_a,
          "ignored"_a);
}

}  // namespace tallybayes
