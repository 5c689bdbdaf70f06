// The Python names of what is counted of several columns together.
#include "arrays.hpp"
#include "codes.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

using Bytes = nb::ndarray<uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void numbers(In<double> x, In<double> edges, Bytes codes, size_t column) {
    expect(codes.shape(0) == x.size() && column < codes.shape(1), "numbers and codes differ in length");
    expect(edges.size() <= 254, "there are more edges than codes");
    Free free;
    code_numbers(x.data(), int64_t(x.size()), edges.data(), int64_t(edges.size()), codes.data() + column,
                 int64_t(codes.shape(1)));
}

}  // namespace

void bind_blocks(nb::module_& m) {
    m.def("code_numbers", numbers, "x"_a.noconvert(), "edges"_a.noconvert(), "codes"_a.noconvert(), "column"_a);
}

}  // namespace tallybayes
