// Python bindings of the kernels that write the sums of a row.
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "arrays.hpp"
#include "strings.hpp"
#include "written.hpp"

namespace tallybayes {
namespace {

// Each is an array with a row of limbs for every cell, and the position of the lowest limb.
std::vector<Sums> sums_of(nb::list given, int64_t cells) {
    std::vector<Sums> sums;
    for (nb::handle pair : given) {
        const auto [limbs, low] = nb::cast<std::pair<Table<int64_t>, int64_t>>(pair);
        expect(limbs.shape(0) == cells && limbs.shape(1) > 0, "sums and labels differ in length");
        sums.push_back({limbs.data(), limbs.shape(1), low});
    }
    return sums;
}

nb::bytes as_bytes(const std::string& written) { return nb::bytes(written.data(), written.size()); }

nb::list sums_in(const WrittenCells& cells) {
    nb::list result;
    for (const WrittenSums& sums : cells.sums) {
        int64_t* out;
        nb::object limbs = give<int64_t>({cells.labels.size(), sums.size}, &out);
        std::copy(sums.limbs.begin(), sums.limbs.end(), out);
        result.append(nb::make_tuple(limbs, sums.low));
    }
    return result;
}

// The elements of a list of bytes, which the list keeps alive.
std::vector<std::string_view> views_of(nb::list given) {
    std::vector<std::string_view> views;
    for (nb::handle each : given) {
        const auto bytes = nb::cast<nb::bytes>(each);
        views.emplace_back(bytes.c_str(), bytes.size());
    }
    return views;
}

WrittenCells read(nb::list texts, size_t kinds) {
    try {
        return read_cells(views_of(texts), kinds);
    } catch (const NotWritten& error) {
        throw nb::value_error(error.what());
    }
}

}  // namespace

void bind_written(nb::module_& m) {
    m.def("write_labels", [](nb::list labels, nb::list sums) {
        const std::vector<std::string_view> views = views_of(labels);
        return as_bytes(write_cells(views, sums_of(sums, int64_t(views.size()))));
    });
    m.def("write_words", [](const StringIndex& index, In<int32_t> words, nb::list sums) {
        std::vector<std::string_view> views;
        for (int64_t i = 0; i < words.size(); ++i) {
            const int32_t word = words.data()[i];
            expect(word >= 0 && word < index.size(), "there is no such word");
            views.push_back(index[word]);
        }
        return as_bytes(write_cells(views, sums_of(sums, int64_t(views.size()))));
    });
    m.def("read_labels", [](nb::list texts, size_t kinds) {
        const WrittenCells cells = read(texts, kinds);
        nb::list labels;
        for (int32_t i = 0; i < cells.labels.size(); ++i) labels.append(nb::bytes(cells.labels[i].data(), cells.labels[i].size()));
        return nb::make_tuple(labels, sums_in(cells));
    });
    m.def("read_words", [](nb::list texts, size_t kinds) {
        WrittenCells cells = read(texts, kinds);
        nb::list sums = sums_in(cells);
        return nb::make_tuple(std::move(cells.labels), sums);
    });
}

}  // namespace tallybayes
