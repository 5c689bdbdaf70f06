// Python bindings of the kernels that count and score runs of words.
#include "documents.hpp"
#include "sequence.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

nb::tuple count(const HeldDocuments& documents, const HeldReading& reading, StringIndex& index, In<int32_t> classes,
                int width) {
    expect(int64_t(classes.size()) == documents.view.rows, "documents and classes differ in length");
    CountedRuns found;
    {
        Free free;
        found = count_runs(documents.view, reading.view, index, classes.data(), width);
    }
    return nb::make_tuple(give(std::move(found.runs)), give(std::move(found.classes)), give(std::move(found.n)),
                          give(std::move(found.sizes)));
}

void make_chain(Chain* self, const StringIndex& index, bool characters, In<int32_t> runs, In<int32_t> classes,
                In<double> n, int width, int order, double discount, bool counts) {
    expect(runs.size() == classes.size() && runs.size() == n.size(), "the cells do not fit");
    expect(width > 0 && 1 <= order && order <= Chain::longest, "there are no such runs");
    for (size_t i = 0; i < runs.size(); ++i)
        expect(runs.data()[i] >= 0 && runs.data()[i] < index.size() && classes.data()[i] >= 0 && classes.data()[i] < width,
               "there is no such cell");
    Free free;
    const RunCells cells{runs.data(), classes.data(), n.data(), int64_t(runs.size())};
    new (self) Chain(index, characters, cells, width, order, discount, counts);
}

nb::object add(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, Out<double> scores) {
    expect(int64_t(scores.shape(0)) == chain.width() && int64_t(scores.shape(1)) >= documents.view.rows,
           "the scores do not fit");
    int64_t* words;
    nb::object result = give<int64_t>({size_t(documents.view.rows)}, &words);
    {
        Free free;
        chain.add(documents.view, reading.view, scores.data(), int64_t(scores.shape(1)), words);
    }
    return result;
}

nb::tuple take_apart(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, StringIndex& names) {
    Chain::Apart found;
    {
        Free free;
        found = chain.take_apart(documents.view, reading.view, names);
    }
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.words)), give(std::move(found.said)));
}

nb::tuple cells(const Chain& chain) {
    Chain::Cells found = chain.cells();
    return nb::make_tuple(give(std::move(found.runs)), give(std::move(found.classes)), give(std::move(found.kept)),
                          give(std::move(found.rest)), give(std::move(found.before)), give(std::move(found.last)),
                          give(std::move(found.base)));
}

nb::object probabilities(const Chain& chain) {
    double* table;
    nb::object result = give<double>({size_t(chain.size()), size_t(chain.width())}, &table);
    {
        Free free;
        chain.probabilities(table);
    }
    return result;
}

void left_out(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, In<int32_t> own,
              In<double> times, Out<double> said) {
    const auto rows = size_t(documents.view.rows);
    expect(own.size() == rows && times.size() == rows && said.shape(0) == rows && int64_t(said.shape(1)) == chain.width(),
           "the rows do not fit");
    for (size_t i = 0; i < rows; ++i) expect(own.data()[i] >= 0 && own.data()[i] < chain.width(), "there is no such class");
    Free free;
    chain.left_out(documents.view, reading.view, own.data(), times.data(), said.data());
}

}  // namespace

void bind_sequence(nb::module_& m) {
    m.def("count_runs", &count, "documents"_a, "reading"_a, "index"_a, "classes"_a.noconvert(), "width"_a);
    nb::class_<Chain>(m, "Chain")
        .def("__init__", &make_chain, "index"_a, "characters"_a, "runs"_a.noconvert(), "classes"_a.noconvert(),
             "n"_a.noconvert(), "width"_a, "order"_a, "discount"_a, "counts"_a, nb::keep_alive<1, 2>())
        .def("__len__", &Chain::size)
        .def("add", &add, "documents"_a, "reading"_a, "scores"_a.noconvert())
        .def("take_apart", &take_apart, "documents"_a, "reading"_a, "names"_a)
        .def("cells", &cells)
        .def("probabilities", &probabilities)
        .def("left_out", &left_out, "documents"_a, "reading"_a, "own"_a.noconvert(), "times"_a.noconvert(),
             "said"_a.noconvert());
}

}  // namespace tallybayes
