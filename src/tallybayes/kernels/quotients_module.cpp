// Python bindings of quotients of exact numbers, and of smoothing fitted without a row.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "quotients.hpp"
#include "shrinkage.hpp"

namespace tallybayes {
namespace {

Limbs limbs(const Table<int64_t>& numbers, int64_t count) {
    expect(numbers.shape(0) == count, "the numbers differ in length");
    return {numbers.data(), numbers.shape(1)};
}

LeftCells left_cells(const Table<double>& counts, const In<int32_t>& levels, const In<int32_t>& classes,
                     const In<double>& left, const In<double>& totals) {
    const int64_t count = levels.size();
    expect(classes.size() == count && left.size() == count && totals.size() == count, "the cells differ in length");
    expect(are_below(levels, counts.shape(0)) && are_below(classes, counts.shape(1)), "there is no such cell");
    return {levels.data(), classes.data(), left.data(), totals.data(), count};
}

}  // namespace

void bind_quotients(nb::module_& m) {
    m.def("quotients", [](Table<int64_t> above, Table<int64_t> below, int64_t exponent) {
        const int64_t count = above.shape(0);
        const Limbs a = limbs(above, count), b = limbs(below, count);
        return filled<double>({count}, [&](double* out) { quotients(a, b, count, exponent, out); });
    });
    m.def("scatters", [](Table<int64_t> n, Table<int64_t> x, Table<int64_t> y, Table<int64_t> xy, int64_t up,
                         int64_t upper, int64_t exponent, std::optional<In<int64_t>> places) {
        const int64_t count = n.shape(0);
        expect(up >= 0 && upper >= 0, "limbs move up");
        expect(!places || places->size() == count, "the numbers differ in length");
        const Scatter of{limbs(n, count), limbs(x, count), limbs(y, count), limbs(xy, count), up, upper, exponent,
                         places ? places->data() : nullptr};
        return filled<double>({count}, [&](double* out) { scatters(of, count, out); });
    }, "n"_a, "x"_a, "y"_a, "xy"_a, "up"_a, "upper"_a, "exponent"_a, "places"_a.none());
    m.def("fit_left_out", [](Table<double> counts, In<int32_t> levels, In<int32_t> classes, In<double> left,
                             In<double> totals) {
        const LeftCells cells = left_cells(counts, levels, classes, left, totals);
        return both_filled<double>({cells.size}, [&](double* worth, double* share) {
            fit_left_out(counts.data(), counts.shape(0), counts.shape(1), cells, worth, share);
        });
    });
    m.def("strengths_left_out", [](Table<double> counts, In<int32_t> levels, In<int32_t> classes, In<double> left,
                                   In<double> totals) {
        const LeftCells cells = left_cells(counts, levels, classes, left, totals);
        return filled<double>({cells.size}, [&](double* strengths) {
            strengths_left_out(counts.data(), counts.shape(0), counts.shape(1), cells, strengths);
        });
    });
}

}  // namespace tallybayes
