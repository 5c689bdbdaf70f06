// Python bindings of the kernels that find rows.
#include <limits>

#include "arrays.hpp"
#include "rows.hpp"

using namespace nanobind::literals;

namespace tallybayes {

void bind_rows(nb::module_& m) {
    m.def("find_rows_end", [](In<uint8_t> bytes, int delimiter) {
        RowsEnd found;
        {
            Free free;
            found = find_rows_end(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()), delimiter);
        }
        return nb::make_tuple(found.end, found.lines, found.open);
    }, "bytes"_a.noconvert(), "delimiter"_a);
    m.def("split_rows", [](In<uint8_t> bytes, int delimiter, bool quotes, int64_t limit) {
        SplitRows rows;
        {
            Free free;
            rows = split_rows(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()), delimiter, quotes, limit);
        }
        return nb::make_tuple(give(std::move(rows.starts)), give(std::move(rows.ends)), give(std::move(rows.lines)),
                              give(std::move(rows.cells)), rows.open);
    }, "bytes"_a.noconvert(), "delimiter"_a, "quotes"_a = true, "limit"_a = std::numeric_limits<int64_t>::max());
    m.def("trim_cells", [](In<uint8_t> bytes, char delimiter, bool quotes) -> nb::object {
        std::optional<std::vector<uint8_t>> trimmed;
        {
            Free free;
            trimmed = trim_cells(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()), delimiter, quotes);
        }
        if (!trimmed) return nb::none();
        return give(std::move(*trimmed));
    }, "bytes"_a.noconvert(), "delimiter"_a, "quotes"_a);
    m.def("find_stray", [](In<uint8_t> bytes, char delimiter) {
        std::vector<int64_t> found;
        {
            Free free;
            found = find_stray(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()), delimiter);
        }
        return give(std::move(found));
    }, "bytes"_a.noconvert(), "delimiter"_a);
    m.def("count_objects", [](In<uint8_t> bytes) {
        Free free;
        return count_objects(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()));
    }, "bytes"_a.noconvert());
    m.def("find_depth", [](In<uint8_t> bytes) {
        Free free;
        return find_depth(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()));
    }, "bytes"_a.noconvert());
}

}  // namespace tallybayes
