// Python bindings of the kernels for repeated values.
#include <algorithm>

#include "arrays.hpp"
#include "cuts.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace tallybayes {

void bind_values(nb::module_& m) {
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
    m.def("equal_count", [](In<double> values, Table<double> counts, int64_t intervals) {
        expect(values.size() == counts.shape(0), "values and counts differ in length");
        return give(equal_count(values.data(), counts.data(), int64_t(values.size()), int64_t(counts.shape(1)), intervals));
    }, "values"_a.noconvert(), "counts"_a.noconvert(), "intervals"_a);
    m.def("least_description", [](Table<double> counts) {
        std::vector<int64_t> cuts;
        {
            Free free;
            cuts = least_description(counts.data(), int64_t(counts.shape(0)), int64_t(counts.shape(1)));
        }
        return give(std::move(cuts));
    }, "counts"_a.noconvert());
    m.def("log_likelihood_of_cuts", [](Table<double> counts, In<int64_t> starts, double worth) {
        const int64_t size = int64_t(counts.shape(0)), cuts = int64_t(starts.size());
        const int64_t* at = starts.data();
        expect(std::is_sorted(at, at + cuts) && (!cuts || (at[0] >= 0 && at[cuts - 1] <= size)), "the cuts are not in order");
        Free free;
        return log_likelihood_of_cuts(counts.data(), size, int64_t(counts.shape(1)), at, cuts, worth);
    }, "counts"_a.noconvert(), "starts"_a.noconvert(), "worth"_a);
}

}  // namespace tallybayes
