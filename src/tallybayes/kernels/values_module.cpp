// Python bindings of the kernels for the values of a column.
#include "arrays.hpp"
#include "inside.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace tallybayes {

void bind_values(nb::module_& m) {
    m.def("all_inside", [](In<double> x, double lowest, bool open, bool whole) {
        Free free(int64_t(x.size() * sizeof(double)));
        return all_inside(x.data(), int64_t(x.size()), lowest, open, whole);
    }, "x"_a.noconvert(), "lowest"_a, "open"_a, "whole"_a);
    m.def("number_values", [](In<double> x, int bits) {
        expect(bits >= 0 && bits <= 52, "a double has 52 binary digits after its first");
        int32_t* codes;
        nb::object result = give_unset<int32_t>(x.size(), &codes);
        std::vector<int64_t> keys;
        {
            Free free;
            keys = number_values(x.data(), int64_t(x.size()), bits, codes);
        }
        return nb::make_tuple(give(std::move(keys)), result);
    }, "x"_a.noconvert(), "bits"_a);
    m.def("find_values", [](In<double> x, In<int64_t> keys, int bits) {
        expect(bits >= 0 && bits <= 52, "a double has 52 binary digits after its first");
        int32_t* codes;
        nb::object result = give_unset<int32_t>(x.size(), &codes);
        Free free;
        find_values(x.data(), int64_t(x.size()), keys.data(), int64_t(keys.size()), bits, codes);
        return result;
    }, "x"_a.noconvert(), "keys"_a.noconvert(), "bits"_a);
}

}  // namespace tallybayes
