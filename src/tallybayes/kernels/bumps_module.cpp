// Python bindings of sums of Gaussian bumps, and of smooth densities on a grid.
#include <algorithm>

#include "arrays.hpp"
#include "bumps.hpp"
#include "smoothing.hpp"

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
    m.def("smooth_densities", [](Table<double> counts, In<double> middles, double step, double weight) {
        const size_t cells = counts.shape(0), classes = counts.shape(1);
        expect(middles.size() == cells, "there is not one middle per cell");
        expect(cells > 0 && step > 0.0, "the grid has no cells");
        double *full, *left, *parameters;
        nb::object all = give<double>({densities_of_grid, cells, classes}, &full);
        nb::object rest = give<double>({densities_of_grid, cells, classes}, &left);
        nb::object free_ones = give<double>({densities_of_grid}, &parameters);
        {
            Free free;
            smooth_densities(counts.data(), int64_t(cells), int64_t(classes), middles.data(), step, weight, full, left,
                             parameters);
        }
        return nb::make_tuple(all, rest, free_ones);
    }, "counts"_a.noconvert(), "middles"_a.noconvert(), "step"_a, "weight"_a);
    m.def("left_out_losses", [](Cube<double> full, Cube<double> left, Table<double> pseudo, Table<double> counts, double worth) {
        const size_t densities = full.shape(0), cells = counts.shape(0), classes = counts.shape(1);
        for (const auto& each : {full, left})
            expect(each.shape(0) == densities && each.shape(1) == cells && each.shape(2) == classes, "the counts differ in shape");
        expect(pseudo.shape(0) == densities && pseudo.shape(1) == cells, "there is not one pseudo-count per cell");
        double* losses;
        nb::object result = give<double>({densities}, &losses);
        {
            Free free;
            left_out_losses(full.data(), left.data(), pseudo.data(), counts.data(), int64_t(densities), int64_t(cells),
                            int64_t(classes), worth, losses);
        }
        return result;
    }, "full"_a.noconvert(), "left"_a.noconvert(), "pseudo"_a.noconvert(), "counts"_a.noconvert(), "worth"_a);
}

}  // namespace tallybayes
