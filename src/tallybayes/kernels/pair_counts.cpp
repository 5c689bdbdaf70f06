#include "pair_counts.hpp"

#include <algorithm>
#include <vector>

#include "signals.hpp"

namespace tallybayes {

int64_t PairLayout::at(const uint8_t* codes, int64_t j, int64_t code, int64_t p, int64_t q) const {
    int64_t in_order[3] = {j, p, q};
    std::sort(in_order, in_order + 3);
    const auto [a, b, c] = in_order;
    const auto of = [&](int64_t column) { return column == j ? code : int64_t(codes[column]); };
    return triple(a, b, c) + (of(a) * sizes[b] + of(b)) * sizes[c] + of(c);
}

namespace {

constexpr int64_t block = 4096;  // rows whose codes are transposed, so that pairs are counted one after another

constexpr int several = 4;

// Some rows, column by column: the codes, and code · classes + class.
struct Columns {
    std::vector<uint8_t> codes;
    std::vector<int32_t> with_class;
    int64_t rows = 0;

    explicit Columns(int64_t columns) : codes(size_t(columns * block)), with_class(size_t(columns * block)) {}
};

void lay_out(const PairLayout& layout, const uint8_t* codes, int64_t rows, const int32_t* classes, int64_t width,
             Columns& into) {
    into.rows = 0;
    for (int64_t row = 0; row < rows; ++row, codes += layout.columns) {
        const int32_t c = classes[row];
        if (c < 0 || c >= width || std::all_of(codes, codes + layout.columns, [](uint8_t code) { return !code; })) continue;
        for (int64_t j = 0; j < layout.columns; ++j) {
            into.codes[size_t(j * block + into.rows)] = codes[j];
            into.with_class[size_t(j * block + into.rows)] = int32_t(codes[j] * width + c);
        }
        ++into.rows;
    }
}

// Counts several pairs at a time: increments of the same cell must wait for each other, those of different tables need not.
template <int pairs>
void count_several(const Columns& some, const int64_t* others, int64_t* const* tables, const int32_t* own, int64_t step) {
    const uint8_t* codes[pairs];
    int64_t* counts[pairs];
    for (int k = 0; k < pairs; ++k) codes[k] = some.codes.data() + others[k] * block, counts[k] = tables[k];
    for (int64_t row = 0; row < some.rows; ++row) {
        const int64_t at = own[row];
        for (int k = 0; k < pairs; ++k) ++counts[k][codes[k][row] * step + at];
    }
}

// Counts two columns with each of the columns before both.
void count_triples(const PairLayout& layout, const Columns& some, int64_t j, int64_t l, int64_t width, int32_t* both,
                   int64_t* counts) {
    const uint8_t* codes = some.codes.data() + j * block;
    const int32_t* own = some.with_class.data() + l * block;
    const int32_t step = int32_t(layout.sizes[l] * width);
    for (int64_t row = 0; row < some.rows; ++row) both[row] = codes[row] * step + own[row];
    for (int64_t i = 0; i < j; ++i) {
        if (layout.triple(i, j, l) < 0) continue;
        int64_t* table = counts + layout.triple(i, j, l) * width;
        count_several<1>(some, &i, &table, both, layout.sizes[j] * step);
    }
}

// Counts a column alone, and with each of the columns before it.
void count_with(const PairLayout& layout, const Columns& some, int64_t j, int64_t width, int64_t* counts) {
    const int32_t* own = some.with_class.data() + j * block;
    int64_t* single = counts + layout.singles[j] * width;
    for (int64_t row = 0; row < some.rows; ++row) ++single[own[row]];
    int64_t others[several], *tables[several], held = 0;
    for (int64_t i = 0; i < j; ++i) {
        if (layout.pair(i, j) < 0) continue;
        others[held] = i, tables[held++] = counts + layout.pair(i, j) * width;
        if (held < several) continue;
        count_several<several>(some, others, tables, own, layout.sizes[j] * width);
        held = 0;
    }
    for (int64_t k = 0; k < held; ++k) count_several<1>(some, others + k, tables + k, own, layout.sizes[j] * width);
}

}  // namespace

void count_pairs(const PairLayout& layout, const uint8_t* codes, int64_t rows, const int32_t* classes, int64_t width,
                 int64_t* counts) {
    Columns some(layout.columns);
    std::vector<int32_t> both(block);
    for (int64_t first = 0; first < rows; first += block) {
        heed_signals();
        lay_out(layout, codes + first * layout.columns, std::min(block, rows - first), classes + first, width, some);
        for (int64_t j = 0; j < layout.columns; ++j) count_with(layout, some, j, width, counts);
        for (int64_t l = 2; layout.triples && l < layout.columns; ++l)
            for (int64_t j = 1; j < l; ++j)
                if (layout.pair(j, l) >= 0) count_triples(layout, some, j, l, width, both.data(), counts);
    }
}

}  // namespace tallybayes
