// Python bindings of the kernels that count and score runs of words.
#include "documents.hpp"
#include "sequence.hpp"

namespace tallybayes {
namespace {

nb::tuple count(const HeldDocuments& documents, const HeldReading& reading, StringIndex& index, In<int32_t> classes,
                int width) {
    expect(classes.size() == documents.view.rows, "documents and classes differ in length");
    CountedRuns found = freely([&] { return count_runs(documents.view, reading.view, index, classes.data(), width); });
    return nb::make_tuple(give(std::move(found.runs)), give(std::move(found.classes)), give(std::move(found.n)),
                          give(std::move(found.sizes)));
}

void make_chain(Chain* self, const StringIndex& index, bool characters, In<int32_t> runs, In<int32_t> classes,
                In<double> n, int width, int order, double discount, bool counts) {
    expect(runs.size() == classes.size() && runs.size() == n.size(), "the cells do not fit");
    expect(width > 0 && 1 <= order && order <= Chain::longest, "there are no such runs");
    expect(are_below(runs, index.size()) && are_below(classes, width), "there is no such cell");
    Free free;
    const RunCells cells{runs.data(), classes.data(), n.data(), runs.size()};
    new (self) Chain(index, characters, cells, width, order, discount, counts);
}

nb::object add(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, Out<double> scores) {
    expect(scores.shape(0) == chain.width() && scores.shape(1) >= documents.view.rows, "the scores do not fit");
    return filled<int64_t>({documents.view.rows}, [&](int64_t* words) {
        chain.add(documents.view, reading.view, scores.data(), scores.shape(1), words);
    });
}

nb::tuple take_apart(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, StringIndex& names) {
    Chain::Apart found = freely([&] { return chain.take_apart(documents.view, reading.view, names); });
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.words)), give(std::move(found.evidence)));
}

nb::tuple cells(const Chain& chain) {
    Chain::Cells found = chain.cells();
    return nb::make_tuple(give(std::move(found.runs)), give(std::move(found.classes)), give(std::move(found.kept)),
                          give(std::move(found.rest)), give(std::move(found.before)), give(std::move(found.last)),
                          give(std::move(found.base)));
}

nb::object probabilities(const Chain& chain) {
    const Shape shape{chain.size(), chain.width()};
    return filled<double>(shape, [&](double* table) { chain.probabilities(table); });
}

void left_out(const Chain& chain, const HeldDocuments& documents, const HeldReading& reading, In<int32_t> own,
              In<double> times, Out<double> evidence) {
    const int64_t rows = documents.view.rows;
    expect(own.size() == rows && times.size() == rows && evidence.shape(0) == rows && evidence.shape(1) == chain.width(),
           "the rows do not fit");
    expect(are_below(own, chain.width()), "there is no such class");
    Free free;
    chain.left_out(documents.view, reading.view, own.data(), times.data(), evidence.data());
}

}  // namespace

void bind_sequence(nb::module_& m) {
    m.def("count_runs", &count);
    nb::class_<Chain>(m, "Chain")
        .def("__init__", &make_chain, nb::keep_alive<1, 2>())
        .def("__len__", &Chain::size)
        .def("add", &add)
        .def("take_apart", &take_apart)
        .def("cells", &cells)
        .def("probabilities", &probabilities)
        .def("left_out", &left_out);
}

}  // namespace tallybayes
