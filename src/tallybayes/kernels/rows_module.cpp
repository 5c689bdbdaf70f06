// Python bindings of the kernels that find rows.
#include <limits>

#include "arrays.hpp"
#include "rows.hpp"

namespace tallybayes {
namespace {

// Text as the kernels take it.
struct Text {
    const char* data;
    int64_t size;

    explicit Text(const In<uint8_t>& bytes) : data(reinterpret_cast<const char*>(bytes.data())), size(bytes.size()) {}
};

}  // namespace

void bind_rows(nb::module_& m) {
    m.def("find_rows_end", [](In<uint8_t> bytes, int delimiter) {
        const Text text(bytes);
        const RowsEnd found = freely([&] { return find_rows_end(text.data, text.size, delimiter); });
        return nb::make_tuple(found.end, found.lines, found.open);
    });
    m.def("split_rows", [](In<uint8_t> bytes, int delimiter, bool quotes, int64_t limit) {
        const Text text(bytes);
        SplitRows rows = freely([&] { return split_rows(text.data, text.size, delimiter, quotes, limit); });
        return nb::make_tuple(give(std::move(rows.starts)), give(std::move(rows.ends)), give(std::move(rows.lines)),
                              give(std::move(rows.cells)), rows.open);
    }, "bytes"_a, "delimiter"_a, "quotes"_a = true, "limit"_a = std::numeric_limits<int64_t>::max());
    m.def("trim_cells", [](In<uint8_t> bytes, char delimiter, bool quotes) -> nb::object {
        const Text text(bytes);
        auto trimmed = freely([&] { return trim_cells(text.data, text.size, delimiter, quotes); });
        return trimmed ? give(std::move(*trimmed)) : nb::none();
    });
    m.def("find_stray", [](In<uint8_t> bytes, char delimiter) {
        const Text text(bytes);
        return give(freely([&] { return find_stray(text.data, text.size, delimiter); }));
    });
    m.def("count_objects", [](In<uint8_t> bytes) {
        const Text text(bytes);
        return freely([&] { return count_objects(text.data, text.size); });
    });
    m.def("find_shape", [](In<uint8_t> bytes) {
        const Text text(bytes);
        const JsonShape found = freely([&] { return find_shape(text.data, text.size); });
        return nb::make_tuple(found.depth, found.names, found.items);
    });
}

}  // namespace tallybayes
