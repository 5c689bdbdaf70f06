// Python bindings of quotients of exact numbers, and of smoothing fitted without a row.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "quotients.hpp"
#include "shrinkage.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

Limbs limbs(const Table<int64_t>& numbers, size_t count) {
    expect(numbers.shape(0) == count, "the numbers differ in length");
    return {numbers.data(), int64_t(numbers.shape(1))};
}

}  // namespace

void bind_quotients(nb::module_& m) {
    m.def("quotients", [](Table<int64_t> above, Table<int64_t> below, int64_t exponent) {
        const size_t count = above.shape(0);
        const Limbs a = limbs(above, count), b = limbs(below, count);
        double* out;
        nb::object result = give<double>({count}, &out);
        {
            Free free;
            quotients(a, b, int64_t(count), exponent, out);
        }
        return result;
    }, "above"_a.noconvert(), "below"_a.noconvert(), "exponent"_a);
    m.def("scatters", [](Table<int64_t> n, Table<int64_t> x, Table<int64_t> y, Table<int64_t> xy, int64_t up,
                         int64_t upper, int64_t exponent, std::optional<In<int64_t>> places) {
        const size_t count = n.shape(0);
        expect(up >= 0 && upper >= 0, "limbs move up");
        expect(!places || places->size() == count, "the numbers differ in length");
        const Scatter of{limbs(n, count), limbs(x, count), limbs(y, count), limbs(xy, count), up, upper, exponent,
                         places ? places->data() : nullptr};
        double* out;
        nb::object result = give<double>({count}, &out);
        {
            Free free;
            scatters(of, int64_t(count), out);
        }
        return result;
    }, "n"_a.noconvert(), "x"_a.noconvert(), "y"_a.noconvert(), "xy"_a.noconvert(), "up"_a, "upper"_a, "exponent"_a,
       "places"_a.noconvert().none());
    m.def("fit_left_out", [](Table<double> counts, In<int32_t> levels, In<int32_t> classes, In<double> left,
                             In<double> totals) {
        const size_t count = levels.size();
        expect(classes.size() == count && left.size() == count && totals.size() == count, "the cells differ in length");
        for (size_t i = 0; i < count; ++i)
            expect(size_t(levels.data()[i]) < counts.shape(0) && size_t(classes.data()[i]) < counts.shape(1),
                   "there is no such cell");
        double *worth, *share;
        nb::object worths = give<double>({count}, &worth), shares = give<double>({count}, &share);
        {
            Free free;
            fit_left_out(counts.data(), int64_t(counts.shape(0)), int64_t(counts.shape(1)),
                         {levels.data(), classes.data(), left.data(), totals.data(), int64_t(count)}, worth, share);
        }
        return nb::make_tuple(worths, shares);
    }, "counts"_a.noconvert(), "levels"_a.noconvert(), "classes"_a.noconvert(), "left"_a.noconvert(),
       "totals"_a.noconvert());
}

}  // namespace tallybayes
