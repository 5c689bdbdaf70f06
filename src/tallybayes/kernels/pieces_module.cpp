// Python bindings of the evidence of left-out documents.
#include <algorithm>

#include "arrays.hpp"
#include "pieces.hpp"

namespace tallybayes {
namespace {

nb::tuple pieces(In<int64_t> starts, In<int32_t> classes, In<int32_t> blocks, Table<double> counts, Table<double> overall,
                 Cube<double> totals, Table<double> scale, In<int64_t> documents, In<int32_t> words, In<double> times,
                 In<double> share, Table<double> own, double a, bool two, In<double> theta) {
    const int64_t cells = classes.size(), size = blocks.size(), width = totals.shape(2), count = totals.shape(1);
    expect(are_starts(starts, cells) && starts.size() == size + 1 && are_below(classes, width) && are_below(blocks, count),
           "the cells of words are not in order");
    expect(counts.shape(0) == cells && counts.shape(1) == word_bases && overall.shape(0) == size &&
               overall.shape(1) == word_bases && totals.shape(0) == word_bases && scale.shape(0) == word_bases &&
               scale.shape(1) == count,
           "counts are missing");
    expect(are_starts(documents, words.size()) && are_below(words, size) && times.size() == words.size() &&
               share.size() == words.size() && own.shape(0) + 1 == documents.size() && own.shape(1) == width,
           "the words of documents are not in order");
    expect(a > 0.0, "there is no smoothing");
    const int64_t left = own.shape(0), kinds = count * word_bases * word_powers;
    expect(!theta.size() || theta.size() == kinds, "weights are missing");
    double *values, *lengths;
    nb::object found = give<double>({left, width, theta.size() ? 1 : kinds}, &values);
    nb::object met = give<double>({left}, &lengths);
    const CountedWords known{starts.data(), classes.data(), blocks.data(), counts.data(), overall.data(),
                             totals.data(), scale.data(),   width,         count,         a, two};
    const LeftDocuments asked{documents.data(), words.data(), times.data(), share.data(), own.data(), left};
    {
        Free free;
        left_pieces(known, asked, theta.size() ? theta.data() : nullptr, values, lengths);
    }
    return nb::make_tuple(found, met);
}

}  // namespace

void bind_pieces(nb::module_& m) {
    m.def("left_pieces", pieces);
}

}  // namespace tallybayes
