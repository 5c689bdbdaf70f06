// Python bindings of sums of Gaussian bumps.
#include <algorithm>

#include "arrays.hpp"
#include "bumps.hpp"

using namespace nanobind::literals;

namespace tallybayes {

void bind_bumps(nb::module_& m) {
    nb::class_<Bumps>(m, "Bumps")
        .def("__init__",
             [](Bumps* self, In<double> centres, In<double> weights, double width) {
                 expect(centres.size() == weights.size(), "centres and weights differ in length");
                 expect(std::is_sorted(centres.data(), centres.data() + centres.size()), "the centres are not in order");
                 expect(width > 0.0, "the width is not above 0");
                 Free free;
                 new (self) Bumps(centres.data(), weights.data(), int64_t(centres.size()), width);
             },
             "centres"_a.noconvert(), "weights"_a.noconvert(), "width"_a)
        .def("sum", [](const Bumps& bumps, In<double> x) {
            double* out;
            nb::object result = give<double>({x.size()}, &out);
            {
                Free free;
                bumps.sum(x.data(), int64_t(x.size()), out);
            }
            return result;
        }, "x"_a.noconvert());
    m.def("smooth_counts", [](Table<double> counts, In<double> widths) {
        const size_t cells = counts.shape(0), classes = counts.shape(1);
        expect(widths.size() == classes, "there is not one width per class");
        expect(std::all_of(widths.data(), widths.data() + classes, [](double w) { return w > 0.0 && w <= double(1 << 30); }),
               "a width is not above 0");
        double *sums, *own;
        nb::object spread = give<double>({cells, classes}, &sums), kept = give<double>({cells, classes}, &own);
        {
            Free free;
            smooth_counts(counts.data(), int64_t(cells), int64_t(classes), widths.data(), sums, own);
        }
        return nb::make_tuple(spread, kept);
    }, "counts"_a.noconvert(), "widths"_a.noconvert());
}

}  // namespace tallybayes
