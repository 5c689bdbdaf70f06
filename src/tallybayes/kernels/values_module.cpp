// Python bindings of the kernels for the values of a column.
#include <algorithm>

#include "arrays.hpp"
#include "inside.hpp"
#include "tables.hpp"
#include "values.hpp"

namespace tallybayes {

void bind_values(nb::module_& m) {
    m.def("all_inside", [](In<double> x, double lowest, bool open, bool whole) {
        Free free(int64_t(x.size() * sizeof(double)));
        return all_inside(x.data(), x.size(), lowest, open, whole);
    });
    m.def("number_values", [](In<double> x, int bits) {
        expect(bits >= 0 && bits <= 52, "a double has 52 binary digits after its first");
        int32_t* codes;
        nb::object result = give_unset<int32_t>(x.size(), &codes);
        nb::object keys = give(freely([&] { return number_values(x.data(), x.size(), bits, codes); }));
        return nb::make_tuple(keys, result);
    });
    m.def("find_values", [](In<double> x, In<int64_t> keys, int bits) {
        expect(bits >= 0 && bits <= 52, "a double has 52 binary digits after its first");
        int32_t* codes;
        nb::object result = give_unset<int32_t>(x.size(), &codes);
        Free free;
        find_values(x.data(), x.size(), keys.data(), keys.size(), bits, codes);
        return result;
    });
    m.def("find_keys", [](In<int64_t> wanted, In<int64_t> keys, In<int64_t> places) {
        expect(keys.size() == places.size(), "keys and places differ in number");
        int64_t* found;
        nb::object result = give_unset<int64_t>(wanted.size(), &found);
        Free free(wanted.size() * int64_t(sizeof(int64_t)));
        find_keys(wanted.data(), wanted.size(), keys.data(), places.data(), keys.size(), found);
        return result;
    });
    m.def("gather_counts", [](In<int64_t> keys, In<int64_t> places, Table<double> table, In<int32_t> columns, int bits,
                              int64_t start, Array<double, 1> values, Out<double> counts) {
        const int64_t size = keys.size(), height = table.shape(0), width = table.shape(1);
        expect(bits >= 0 && bits <= 52, "a double has 52 binary digits after its first");
        expect(places.size() == size && columns.size() == counts.shape(1), "places or columns differ in number");
        expect(start >= 0 && start <= std::min(values.size(), counts.shape(0)) - size, "there is no room");
        const auto inside = [](auto given, int64_t low, int64_t high) {
            return std::all_of(given.data(), given.data() + given.size(), [&](int64_t at) { return at >= low && at < high; });
        };
        expect(inside(places, 0, height) && inside(columns, -1, width), "a place or a column is not in the table");
        Free free(size * int64_t(sizeof(double)));
        const CountsTable from{table.data(), width, columns.data(), columns.size()};
        return gather_counts(keys.data(), places.data(), size, from, bits, start, values.data(), counts.data());
    });
}

}  // namespace tallybayes
