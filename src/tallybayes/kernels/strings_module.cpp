// Python bindings of the indexes of strings and of pairs.
#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>

#include "arrays.hpp"
#include "columns.hpp"
#include "pairs.hpp"
#include "signals.hpp"
#include "strings.hpp"

namespace tallybayes {
namespace {

nb::object encode(StringIndex& index, In<uint8_t> offsets, bool wide, In<uint8_t> bytes,
                  std::optional<In<uint8_t>> validity, int64_t first, int64_t rows, bool grow) {
    const StringColumn column = string_column(offsets, wide, bytes, validity, first, rows);
    int32_t* codes;
    nb::object result = give_unset<int32_t>(rows, &codes);
    Free free;
    index.encode(column, grow, codes);
    return result;
}

nb::object encode_bytes(StringIndex& index, In<uint8_t> offsets, bool wide, In<uint8_t> bytes,
                        std::optional<In<uint8_t>> validity, int64_t first, int64_t rows) {
    const StringColumn column = string_column(offsets, wide, bytes, validity, first, rows);
    int8_t* codes;
    nb::object result = give_unset<int8_t>(rows, &codes);
    const bool few = freely([&] { return index.encode(column, codes); });
    return few ? result : nb::none();
}

// A few Python strings, for which an Arrow column is not worthwhile.
nb::object encode_few(StringIndex& index, nb::list texts, bool grow) {
    int32_t* codes;
    nb::object result = give<int32_t>({int64_t(texts.size())}, &codes);
    for (nb::handle text : texts) {
        Py_ssize_t length = 0;
        const char* bytes = text.is_none() ? nullptr : PyUnicode_AsUTF8AndSize(text.ptr(), &length);
        if (!bytes && !text.is_none()) throw nb::python_error();
        *codes++ = bytes ? index.encode({bytes, size_t(length)}, grow) : -1;
    }
    return result;
}

nb::tuple strings(const StringIndex& index) {
    int64_t* ends;
    uint8_t* bytes;
    nb::object first = give<int64_t>({int64_t(index.ends().size())}, &ends);
    nb::object second = give<uint8_t>({int64_t(index.bytes().size())}, &bytes);
    std::memcpy(ends, index.ends().data(), index.ends().size() * sizeof *ends);
    if (!index.bytes().empty()) std::memcpy(bytes, index.bytes().data(), index.bytes().size());
    return nb::make_tuple(first, second);
}

}  // namespace

void bind_strings(nb::module_& m) {
    m.def("heed_signals", &heed_signals);
    m.def("heed_flag", [](std::optional<In<uint8_t>> flag) { heed_flag(flag ? flag->data() : nullptr); }, "flag"_a.none());
    nb::class_<StringIndex>(m, "StringIndex")
        .def(nb::init<>())
        .def("__len__", &StringIndex::size)
        .def("encode", &encode, "offsets"_a, "wide"_a, "bytes"_a, "validity"_a.none(), "first"_a, "rows"_a, "grow"_a)
        .def("encode_bytes", &encode_bytes, "offsets"_a, "wide"_a, "bytes"_a, "validity"_a.none(), "first"_a, "rows"_a)
        .def("encode_few", &encode_few)
        .def("strings", &strings)
        .def("copy", &StringIndex::copy, nb::call_guard<Free>())
        .def("merge", [](StringIndex& index, const StringIndex& other) {
            expect(&index != &other, "an index cannot be merged with itself");
            return filled<int32_t>({other.size()}, [&](int32_t* codes) { index.merge(other, codes); });
        })
        .def("find_all", [](const StringIndex& index, const StringIndex& other) {
            return filled<int32_t>({other.size()}, [&](int32_t* codes) { index.find_all(other, codes); });
        })
        .def("subset", [](const StringIndex& index, In<int32_t> codes) {
            return index.subset(codes.data(), codes.size());
        }, nb::call_guard<Free>())
        .def("sorted", [](const StringIndex& index) { return give(freely([&] { return index.sorted(); })); });
    nb::class_<PairIndex>(m, "PairIndex")
        .def(nb::init<>())
        .def("__len__", &PairIndex::size)
        .def("encode", [](PairIndex& index, In<int32_t> a, In<int32_t> b, bool grow) {
            expect(a.size() == b.size(), "the two halves of the pairs differ in length");
            return filled<int64_t>({a.size()}, [&](int64_t* numbers) {
                index.encode(a.data(), b.data(), a.size(), grow, numbers);
            });
        });
}

}  // namespace tallybayes
