// Python bindings of the kernels that count rows with shares in several classes.
#include "shares.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "sharing.hpp"

using namespace nanobind::literals;

namespace tallybayes {
namespace {

bool is_rising(In<int64_t> starts, size_t last) {
    const int64_t* at = starts.data();
    return starts.size() > 0 && at[0] == 0 && std::is_sorted(at, at + starts.size()) && size_t(at[starts.size() - 1]) == last;
}

bool are_below(In<int32_t> numbers, int64_t limit) {
    const int32_t* at = numbers.data();
    return std::all_of(at, at + numbers.size(), [&](int32_t number) { return number >= 0 && number < limit; });
}

Shares checked(In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width, size_t rows) {
    expect(is_rising(starts, classes.size()) && starts.size() == rows + 1 && classes.size() == units.size() &&
               are_below(classes, width) && std::all_of(units.data(), units.data() + units.size(), [](int64_t u) { return u >= 0; }),
           "the shares do not fit the rows");
    return {starts.data(), classes.data(), units.data(), width};
}

nb::tuple count_in_shares(In<int64_t> starts, In<int32_t> words, In<int32_t> counts, int64_t size, In<int64_t> share_starts,
                          In<int32_t> classes, In<int64_t> units, int width) {
    expect(is_rising(starts, words.size()) && words.size() == counts.size() && are_below(words, size) &&
               std::all_of(counts.data(), counts.data() + counts.size(), [](int32_t times) { return times > 0; }),
           "the words of documents are not in order");
    const Shares shares = checked(share_starts, classes, units, width, starts.size() - 1);
    SharedWords found;
    {
        Free free;
        found = count_shared({starts.data(), words.data(), counts.data(), int64_t(starts.size()) - 1, size},
                             shares);
    }
    return nb::make_tuple(give(std::move(found.words)), give(std::move(found.classes)), give(std::move(found.n)),
                          give(std::move(found.documents)), give(std::move(found.shares)));
}

nb::object count_levels(In<int32_t> levels, int64_t size, In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width) {
    const Shares shares = checked(starts, classes, units, width, levels.size());
    const int32_t* at = levels.data();
    expect(std::all_of(at, at + levels.size(), [&](int32_t level) { return level < size; }), "there is no such level");
    int64_t* table;
    nb::object result = give<int64_t>({size_t(size), size_t(width)}, &table);
    {
        Free free;
        count_units(at, int64_t(levels.size()), shares, table);
    }
    return result;
}

constexpr int64_t spare = 5;  // limbs above the lowest bit of a number that a product may touch

nb::tuple sum_numbers(Table<double> values, In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width, int low,
                      int high, bool squares) {
    const Shares shares = checked(starts, classes, units, width, values.shape(0));
    for (size_t i = 0; i < units.size(); ++i) expect(units.data()[i] <= int64_t(1) << 33, "a share is too large");
    const size_t columns = values.shape(1);
    const auto limbs_of = [](int from, int to) { return (to >> 5) - (from >> 5) + spare; };
    int64_t *n, *x, *xx = nullptr;
    nb::object counts = give<int64_t>({columns, size_t(width)}, &n);
    Window one{(low - 32) >> 5, limbs_of(low - 32, high), nullptr}, two{(2 * low - 32) >> 5, limbs_of(2 * low - 32, 2 * high), nullptr};
    nb::object sums = give<int64_t>({columns, size_t(width), size_t(one.size)}, &x);
    nb::object more = squares ? give<int64_t>({columns, size_t(width), size_t(two.size)}, &xx) : nb::none();
    one.limbs = x;
    two.limbs = xx;
    {
        Free free;
        sum_units(values.data(), int64_t(values.shape(0)), int64_t(columns), shares, n, one, two);
    }
    return nb::make_tuple(counts, sums, one.low, more, two.low);
}

nb::tuple share_rows(Out<double> scores, In<double> weights) {
    expect(scores.shape(0) > 0 && scores.shape(1) == weights.size(), "the scores do not fit the weights");
    SharedOut found;
    {
        Free free;
        found = share_out({scores.data(), int64_t(scores.shape(1)), int64_t(scores.shape(0)), weights.data()});
    }
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.classes)), give(std::move(found.units)),
                          give(std::move(found.logs)));
}

}  // namespace

void bind_shares(nb::module_& m) {
    m.def("count_shared", &count_in_shares, "starts"_a.noconvert(), "words"_a.noconvert(), "counts"_a.noconvert(), "size"_a,
          "share_starts"_a.noconvert(), "classes"_a.noconvert(), "units"_a.noconvert(), "width"_a);
    m.def("share_out", &share_rows, "scores"_a.noconvert(), "weights"_a.noconvert());
    m.def("count_units", &count_levels, "levels"_a.noconvert(), "size"_a, "starts"_a.noconvert(), "classes"_a.noconvert(),
          "units"_a.noconvert(), "width"_a);
    m.def("sum_units", &sum_numbers, "values"_a.noconvert(), "starts"_a.noconvert(), "classes"_a.noconvert(),
          "units"_a.noconvert(), "width"_a, "low"_a, "high"_a, "squares"_a);
}

}  // namespace tallybayes
