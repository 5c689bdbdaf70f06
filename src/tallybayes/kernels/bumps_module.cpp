// Python bindings of sums of Gaussian bumps.
#include <algorithm>

#include "arrays.hpp"
#include "bumps.hpp"

namespace tallybayes {

void bind_bumps(nb::module_& m) {
    nb::class_<Bumps>(m, "Bumps")
        .def("__init__",
             [](Bumps* self, In<double> centres, In<double> weights, double width) {
                 expect(centres.size() == weights.size(), "centres and weights differ in length");
                 expect(std::is_sorted(centres.data(), centres.data() + centres.size()), "the centres are not in order");
                 expect(width > 0.0, "the width is not above 0");
                 Free free;
                 new (self) Bumps(centres.data(), weights.data(), centres.size(), width);
             })
        .def("sum", [](const Bumps& bumps, In<double> x) {
            return filled<double>({x.size()}, [&](double* out) { bumps.sum(x.data(), x.size(), out); });
        });
}

}  // namespace tallybayes
