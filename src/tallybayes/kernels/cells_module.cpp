// Python bindings of snapshots of word counts.
#include <algorithm>

#include "arrays.hpp"
#include "cells.hpp"

namespace tallybayes {
namespace {

WordCells changed(const WordCells& cells, In<int32_t> words, In<int32_t> classes, Table<double> sums) {
    const int64_t count = words.size();
    expect(classes.size() == count && sums.shape(0) <= WordCells::sums && sums.shape(1) == count, "the cells do not fit");
    std::vector<WordCells::Cell> given(count);
    for (int64_t i = 0; i < count; ++i) {
        expect(words.data()[i] >= 0 && classes.data()[i] >= 0, "there is no such word or class");
        given[i] = {words.data()[i], classes.data()[i], {}};
        for (int64_t k = 0; k < sums.shape(0); ++k) given[i].held[k] = sums.data()[k * count + i];
    }
    Free free;
    return cells.changed(std::move(given));
}

// The cells of these words, concatenated: the start of each word's cells, their classes and their sums.
nb::tuple cells_of(const WordCells& cells, In<int32_t> words) {
    int64_t* starts;
    nb::object edges = give<int64_t>({words.size() + 1}, &starts);
    starts[0] = 0;
    for (int64_t i = 0; i < words.size(); ++i)
        starts[i + 1] = starts[i] + (cells.end(words.data()[i]) - cells.begin(words.data()[i]));
    const int64_t count = starts[words.size()];
    int32_t* classes;
    double* sums;
    nb::object columns = give<int32_t>({count}, &classes), held = give<double>({WordCells::sums, count}, &sums);
    {
        Free free;
        int64_t at = 0;
        for (int64_t i = 0; i < words.size(); ++i)
            for (const auto* cell = cells.begin(words.data()[i]); cell != cells.end(words.data()[i]); ++cell, ++at) {
                classes[at] = cell->class_;
                for (int64_t k = 0; k < WordCells::sums; ++k) sums[k * count + at] = cell->held[k];
            }
    }
    return nb::make_tuple(edges, columns, held);
}

}  // namespace

void bind_cells(nb::module_& m) {
    nb::class_<WordCells>(m, "WordCells")
        .def(nb::init<>())
        .def("__len__", &WordCells::size)
        .def("words", &WordCells::words)
        .def("met", [](const WordCells& cells) { return give(std::vector<int64_t>(cells.met())); })
        .def("changed", &changed)
        .def("of", &cells_of);
}

}  // namespace tallybayes
