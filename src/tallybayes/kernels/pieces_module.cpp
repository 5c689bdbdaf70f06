// Python bindings of the evidence of left-out documents.
#include <algorithm>

#include "arrays.hpp"
#include "pieces.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

bool rises(In<int64_t> starts, size_t last) {
    const int64_t* at = starts.data();
    return starts.size() > 0 && at[0] == 0 && std::is_sorted(at, at + starts.size()) && size_t(at[starts.size() - 1]) == last;
}

bool below(In<int32_t> numbers, size_t limit) {
    const int32_t* at = numbers.data();
    return std::all_of(at, at + numbers.size(), [&](int32_t number) { return number >= 0 && size_t(number) < limit; });
}

nb::tuple pieces(In<int64_t> starts, In<int32_t> classes, In<int32_t> blocks, Table<double> counts, Table<double> overall,
                 Cube totals, Table<double> scale, In<int64_t> documents, In<int32_t> words, In<double> times,
                 In<double> share, Table<double> own, double a, bool two) {
    const size_t cells = classes.size(), size = blocks.size(), width = totals.shape(2), count = totals.shape(1);
    expect(rises(starts, cells) && starts.size() == size + 1 && below(classes, width) && below(blocks, count),
           "the cells of words are not in order");
    expect(counts.shape(0) == word_bases && counts.shape(1) == cells && overall.shape(0) == word_bases &&
               overall.shape(1) == size && totals.shape(0) == word_bases && scale.shape(0) == word_bases &&
               scale.shape(1) == count,
           "counts are missing");
    expect(rises(documents, words.size()) && below(words, size) && times.size() == words.size() &&
               share.size() == words.size() && own.shape(0) + 1 == documents.size() && own.shape(1) == width,
           "the words of documents are not in order");
    expect(a > 0.0, "there is no smoothing");
    const size_t left = own.shape(0);
    double *said, *lengths;
    nb::object found = give<double>({left, width, count * size_t(word_bases * word_powers)}, &said);
    nb::object met = give<double>({left}, &lengths);
    const CountedWords known{starts.data(), classes.data(), blocks.data(), counts.data(), overall.data(),
                             totals.data(), scale.data(),   int64_t(size), int64_t(cells), int64_t(width),
                             int64_t(count), a, two};
    const LeftDocuments asked{documents.data(), words.data(), times.data(), share.data(), own.data(), int64_t(left)};
    {
        Free free;
        left_pieces(known, asked, said, lengths);
    }
    return nb::make_tuple(found, met);
}

}  // namespace

void bind_pieces(nb::module_& m) {
    m.def("left_pieces", pieces, "starts"_a.noconvert(), "classes"_a.noconvert(), "blocks"_a.noconvert(),
          "counts"_a.noconvert(), "overall"_a.noconvert(), "totals"_a.noconvert(), "scale"_a.noconvert(),
          "documents"_a.noconvert(), "words"_a.noconvert(), "times"_a.noconvert(), "share"_a.noconvert(),
          "own"_a.noconvert(), "a"_a, "two"_a);
}

}  // namespace tallybayes
