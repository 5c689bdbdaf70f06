// Python bindings of the kernels that count rows with shares in several classes.
#include "shares.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "sharing.hpp"

namespace tallybayes {
namespace {

Shares checked(In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width, int64_t rows) {
    expect(are_starts(starts, classes.size()) && starts.size() == rows + 1 && classes.size() == units.size() &&
               are_below(classes, width) && std::all_of(units.data(), units.data() + units.size(), [](int64_t u) { return u >= 0; }),
           "the shares do not fit the rows");
    return {starts.data(), classes.data(), units.data(), width};
}

nb::tuple count_in_shares(In<int64_t> starts, In<int32_t> words, In<int32_t> counts, int64_t size, In<int64_t> share_starts,
                          In<int32_t> classes, In<int64_t> units, int width) {
    expect(are_starts(starts, words.size()) && words.size() == counts.size() && are_below(words, size) &&
               std::all_of(counts.data(), counts.data() + counts.size(), [](int32_t times) { return times > 0; }),
           "the words of documents are not in order");
    const Shares shares = checked(share_starts, classes, units, width, starts.size() - 1);
    SharedWords found = freely([&] {
        return count_shared({starts.data(), words.data(), counts.data(), starts.size() - 1, size}, shares);
    });
    return nb::make_tuple(give(std::move(found.words)), give(std::move(found.classes)), give(std::move(found.n)),
                          give(std::move(found.documents)), give(std::move(found.shares)));
}

nb::object count_levels(In<int32_t> levels, int64_t size, In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width) {
    const Shares shares = checked(starts, classes, units, width, levels.size());
    const int32_t* at = levels.data();
    expect(std::all_of(at, at + levels.size(), [&](int32_t level) { return level < size; }), "there is no such level");
    return filled<int64_t>({size, width}, [&](int64_t* table) {
        count_units(at, levels.size(), shares, table);
    });
}

constexpr int64_t spare = 5;  // limbs above the lowest bit of a number that a product may touch

nb::tuple sum_numbers(Table<double> values, In<int64_t> starts, In<int32_t> classes, In<int64_t> units, int width, int low,
                      int high, bool squares) {
    const Shares shares = checked(starts, classes, units, width, values.shape(0));
    for (int64_t i = 0; i < units.size(); ++i) expect(units.data()[i] <= int64_t(1) << 33, "a share is too large");
    const int64_t columns = values.shape(1);
    const auto limbs_of = [](int from, int to) { return (to >> 5) - (from >> 5) + spare; };
    int64_t *n, *x, *xx = nullptr;
    nb::object counts = give<int64_t>({columns, width}, &n);
    Window one{(low - 32) >> 5, limbs_of(low - 32, high), nullptr}, two{(2 * low - 32) >> 5, limbs_of(2 * low - 32, 2 * high), nullptr};
    nb::object sums = give<int64_t>({columns, width, one.size}, &x);
    nb::object more = squares ? give<int64_t>({columns, width, two.size}, &xx) : nb::none();
    one.limbs = x;
    two.limbs = xx;
    {
        Free free;
        sum_units(values.data(), values.shape(0), columns, shares, n, one, two);
    }
    return nb::make_tuple(counts, sums, one.low, more, two.low);
}

nb::tuple share_rows(Out<double> scores, In<double> weights) {
    expect(scores.shape(0) > 0 && scores.shape(1) == weights.size(), "the scores do not fit the weights");
    SharedOut found = freely([&] {
        return share_out({scores.data(), scores.shape(1), scores.shape(0), weights.data()});
    });
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.classes)), give(std::move(found.units)),
                          give(std::move(found.logs)));
}

}  // namespace

void bind_shares(nb::module_& m) {
    m.def("count_shared", &count_in_shares);
    m.def("share_out", &share_rows);
    m.def("count_units", &count_levels);
    m.def("sum_units", &sum_numbers);
}

}  // namespace tallybayes
