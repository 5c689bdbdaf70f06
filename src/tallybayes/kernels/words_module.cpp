// Python bindings of the kernels that read documents.
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "columns.hpp"
#include "documents.hpp"
#include "mixed.hpp"

namespace tallybayes {
namespace {

// A few Python strings, for which an Arrow column is not worthwhile.
void make_few(HeldDocuments* self, nb::list texts) {
    HeldDocuments held{};
    held.texts = texts;
    held.edges.push_back(0);
    held.bits.resize(texts.size() / 8 + 1);
    const char* bytes = "";
    for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].is_none()) {
            held.edges.push_back(held.edges.back());
            continue;
        }
        Py_ssize_t size;
        bytes = PyUnicode_AsUTF8AndSize(nb::object(texts[i]).ptr(), &size);
        if (!bytes) throw nb::python_error();
        held.edges.push_back(held.edges.back() + int64_t(size));
        held.bits[i / 8] |= uint8_t(1 << (i % 8));
        if (texts.size() > 1) held.joined.insert(held.joined.end(), bytes, bytes + size);  // a single one is not copied
    }
    const auto rows = int64_t(texts.size());
    held.view = {{held.edges.data(), true, rows > 1 ? held.joined.data() : bytes, held.edges.back(), held.bits.data(), 0, rows},
                 nullptr, nullptr, rows};
    new (self) HeldDocuments(std::move(held));
}

void make_documents(HeldDocuments* self, In<uint8_t> offsets, bool wide, In<uint8_t> bytes,
                    std::optional<In<uint8_t>> validity, int64_t first, int64_t rows, std::optional<In<int64_t>> tokens,
                    std::optional<In<uint8_t>> missing) {
    const StringColumn column = string_column(offsets, wide, bytes, validity, first, rows);
    Documents view{column, nullptr, nullptr, rows};
    if (tokens) {
        expect(missing && tokens->size() == missing->size() + 1, "tokens and missing do not fit");
        expect(std::is_sorted(tokens->data(), tokens->data() + tokens->size()) && tokens->data()[0] >= 0 &&
                   tokens->data()[tokens->size() - 1] <= rows,
               "tokens do not fit the column");
        view = {column, tokens->data(), missing->data(), missing->size()};
    }
    new (self) HeldDocuments{offsets, bytes, validity, missing, tokens, view, {}, {}, {}, {}};
}

void make_tokeniser(Tokeniser* self, In<uint16_t> pages, In<uint32_t> entries, bool lower, uint32_t shortest, bool characters,
                    uint32_t low, uint32_t high, bool strict, bool punctuation, bool marked, std::pair<uint32_t, uint32_t> spelled) {
    expect(pages.size() == 0x1100 && entries.size() % 256 == 0, "the tables do not cover Unicode");
    for (int64_t i = 0; i < pages.size(); ++i) expect(pages.data()[i] < entries.size() / 256, "a page is missing");
    expect(1 <= low && low <= high && shortest >= 1 && spelled.first >= 1, "the tokens' lengths are not in order");
    Letters letters{{pages.data(), pages.data() + pages.size()}, {entries.data(), entries.data() + entries.size()}, lower};
    new (self) Tokeniser{std::move(letters), shortest, characters, low, high, strict, punctuation, marked, spelled.first,
                         spelled.second};
}

void make_translation(Translation* self, const StringIndex& from, const StringIndex& to, In<int32_t> becomes) {
    expect(becomes.size() == from.size(), "every word needs one that it becomes");
    for (int64_t i = 0; i < becomes.size(); ++i) expect(becomes.data()[i] < to.size(), "a word becomes one that is not there");
    new (self) Translation{from, to, {becomes.data(), becomes.data() + becomes.size()}};
}

template <class T>
const T* or_none(const nb::object& given) {
    return given.is_none() ? nullptr : &nb::cast<const T&>(given);
}

void make_reading(HeldReading* self, nb::object tokeniser, nb::object translation, nb::object vocabulary, bool once,
                  int32_t unknown) {
    const Reading view{&nb::cast<const Tokeniser&>(tokeniser), or_none<Translation>(translation),
                       or_none<StringIndex>(vocabulary), once, unknown};
    new (self) HeldReading{tokeniser, translation, vocabulary, view};
}

nb::tuple count(const HeldDocuments& documents, const HeldReading& reading, StringIndex& index, bool grow, In<int32_t> classes,
                int width) {
    expect(classes.size() == documents.view.rows, "documents and classes differ in length");
    expect(reading.view.unknown < index.size(), "the unknown word is not in the index");
    Counted found;
    {
        Free free(documents.view.column.size + documents.view.rows);  // the index is the caller's own
        found = count_words(documents.view, reading.view, index, grow, classes.data(), width);
    }
    return nb::make_tuple(found.cells, give(std::move(found.sums)), give(std::move(found.codes)));
}

nb::tuple list(const HeldDocuments& documents, const HeldReading& reading, StringIndex& index, bool grow) {
    // Another thread may add to the index, so its size is read only if needed.
    expect(reading.view.unknown < 0 || reading.view.unknown < index.size(), "the unknown word is not in the index");
    Listed found = freely([&] { return list_words(documents.view, reading.view, index, grow); });
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.words)), give(std::move(found.counts)));
}

// Adds the evidence of documents' words by one of the two scorers below; returns the number of words of each document.
template <class Add, class Evidence>
nb::object add_evidence(Add add, const HeldDocuments& documents, const HeldReading& reading, const StringIndex& index,
                    const Evidence& evidence, Out<double> scores) {
    expect(scores.shape(0) == evidence.width && scores.shape(1) >= documents.view.rows &&
               reading.view.unknown < index.size(),
           "the scores do not fit");
    return filled<int64_t>({documents.view.rows}, [&](int64_t* lengths) {
        add(documents.view, reading.view, index, evidence, scores.data(), scores.shape(1), lengths);
    });
}

// The evidence of words, validated once: an index of words, and a table or cells.
class WordScorer {
public:
    WordScorer(const StringIndex& index, Table<double> table, bool urn) : index_(&index), table_(table) {
        expect(table.shape(0) == index.size(), "the table does not fit the words");
        evidence_ = {table.data(), nullptr, nullptr, nullptr, nullptr, nullptr, table.shape(1), urn};
    }
    WordScorer(const StringIndex& index, In<int64_t> starts, In<int32_t> classes, In<double> cells, In<double> otherwise,
               In<double> each, bool urn)
        : index_(&index), starts_(starts), classes_(classes), cells_(cells), otherwise_(otherwise), each_(each) {
        expect(are_starts(starts, cells.size()) && starts.size() == index.size() + 1 &&
                   otherwise.size() + 1 == starts.size() && cells.size() == classes.size(),
               "the cells do not fit the words");
        expect(are_below(classes, each.size()), "there is no such class");
        evidence_ = {nullptr,          starts.data(), classes.data(),      cells.data(),
                 otherwise.data(), each.data(),   each.size(), urn};
    }

    nb::object add(const HeldDocuments& documents, const HeldReading& reading, Out<double> scores) const {
        return add_evidence(add_words, documents, reading, *index_, evidence_, scores);
    }

private:
    const StringIndex* index_;  // kept alive by Python
    Table<double> table_;
    In<int64_t> starts_;
    In<int32_t> classes_;
    In<double> cells_, otherwise_, each_;
    Scores evidence_;
};

// The same for a mix of several readings: twice as many numbers, and a power of the number of different words.
class MixedScorer {
public:
    MixedScorer(const StringIndex& index, Table<double> table, double gamma, double length) : index_(&index), table_(table) {
        expect(table.shape(0) == index.size() && table.shape(1) % 2 == 0, "the table does not fit the words");
        evidence_ = {table.data(), nullptr, nullptr, nullptr, table.shape(1) / 2, gamma, length};
    }
    MixedScorer(const StringIndex& index, In<int64_t> starts, In<int32_t> classes, Table<double> cells, int64_t width,
                double gamma, double length)
        : index_(&index), table_(cells), starts_(starts), classes_(classes) {
        expect(are_starts(starts, cells.shape(0)) && starts.size() == index.size() + 1 &&
                   cells.shape(0) == classes.size() && cells.shape(1) == 2,
               "the cells do not fit the words");
        expect(are_below(classes, width), "there is no such class");
        evidence_ = {nullptr, starts.data(), classes.data(), cells.data(), width, gamma, length};
    }

    nb::object add(const HeldDocuments& documents, const HeldReading& reading, Out<double> scores) const {
        return add_evidence(add_mixed, documents, reading, *index_, evidence_, scores);
    }

private:
    const StringIndex* index_;  // kept alive by Python
    Table<double> table_;
    In<int64_t> starts_;
    In<int32_t> classes_;
    Mixed evidence_;
};

}  // namespace

void bind_words(nb::module_& m) {
    nb::exception<NotUtf8>(m, "NotUtf8Error", PyExc_ValueError);
    nb::class_<Tokeniser>(m, "Tokeniser")
        .def("__init__", &make_tokeniser, "pages"_a, "entries"_a, "lower"_a, "shortest"_a, "characters"_a, "low"_a, "high"_a,
             "strict"_a, "punctuation"_a, "marked"_a = false, "spelled"_a = std::pair<uint32_t, uint32_t>(1, 0));
    nb::class_<Translation>(m, "Translation")
        .def("__init__", &make_translation);
    nb::class_<HeldReading>(m, "Reading")
        .def("__init__", &make_reading, "tokeniser"_a, "translation"_a.none(), "vocabulary"_a.none(), "once"_a,
             "unknown"_a);
    nb::class_<HeldDocuments>(m, "Documents")
        .def("__init__", &make_few)
        .def("__init__", &make_documents, "offsets"_a, "wide"_a, "bytes"_a, "validity"_a.none(), "first"_a, "rows"_a,
             "tokens"_a.none() = nb::none(), "missing"_a.none() = nb::none());
    m.def("count_words", &count);
    m.def("list_words", &list);
    nb::class_<WordScorer>(m, "WordScorer")
        .def(nb::init<const StringIndex&, Table<double>, bool>(), "index"_a, "table"_a, "urn"_a = false,
             nb::keep_alive<1, 2>())
        .def(nb::init<const StringIndex&, In<int64_t>, In<int32_t>, In<double>, In<double>, In<double>, bool>(), "index"_a,
             "starts"_a, "classes"_a, "cells"_a, "otherwise"_a, "each"_a, "urn"_a = false, nb::keep_alive<1, 2>())
        .def("add", &WordScorer::add);
    nb::class_<MixedScorer>(m, "MixedScorer")
        .def(nb::init<const StringIndex&, Table<double>, double, double>(), nb::keep_alive<1, 2>())
        .def(nb::init<const StringIndex&, In<int64_t>, In<int32_t>, Table<double>, int64_t, double, double>(),
             nb::keep_alive<1, 2>())
        .def("add", &MixedScorer::add);
}

}  // namespace tallybayes
