#include "groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "both.hpp"

namespace tallybayes {
namespace {

// A block is sorted in several parts at once: a row need not wait until the place after the previous row is known.
constexpr int parts = 4;

template <class Step>
inline void each_row(int count, Step step) {
    const int share = count / parts;
    for (int i = 0; i < share; ++i)
        for (int part = 0; part < parts; ++part) step(part, part * share + i);
    for (int i = parts * share; i < count; ++i) step(parts - 1, i);
}

BOTH std::pair<int32_t, int32_t> last_and_signs(const int32_t* codes, int64_t rows) {
    int32_t last = -1, signs = 0;
    for (int64_t row = 0; row < rows; ++row) last = std::max(last, codes[row]), signs |= codes[row];
    return {last, signs};
}

}  // namespace

Groups::Groups(const int32_t* codes, int64_t rows, int classes)
    : codes_(codes), rows_(rows), classes_(classes), counts_(classes) {
    const auto [last, signs] = last_and_signs(codes, rows);
    if (last >= classes) throw std::out_of_range("a row's class is not among the classes");
    for (int64_t row = 0; !ordered() && row < rows; ++row)
        if (codes[row] >= 0) ++counts_[codes[row]];
    if (!ordered()) return;
    order_.reset(new uint16_t[rows]);
    starts_.resize(blocks() * (classes + 1));
    next_.resize(parts * (classes + 1));
    for (int64_t block = 0; block < blocks(); ++block) classes == 2 && signs >= 0 ? sort_two(block) : sort(block);
}

// Two classes: every row is written to both, and only one of them moves on.
void Groups::sort_two(int64_t block) {
    const int32_t* codes = codes_ + block * block_rows;
    const int count = int(std::min<int64_t>(block_rows, rows_ - block * block_rows));
    uint16_t *order = order_.get() + block * block_rows, second[block_rows];
    int firsts = 0, seconds = 0;
    for (int row = 0; row < count; ++row) {
        order[firsts] = second[seconds] = uint16_t(row);
        firsts += 1 - codes[row];
        seconds += codes[row];
    }
    std::copy_n(second, seconds, order + firsts);
    int32_t* start = starts_.data() + block * 3;
    start[0] = 0, start[1] = firsts, start[2] = count;
    counts_[0] += firsts;
    counts_[1] += seconds;
}

// Rows that are not counted come after all classes.
void Groups::sort(int64_t block) {
    const int32_t* codes = codes_ + block * block_rows;
    const int count = int(std::min<int64_t>(block_rows, rows_ - block * block_rows)), width = classes_ + 1;
    int32_t *start = starts_.data() + block * width, *next = next_.data();
    const auto place = [&](int part, int row) { return part * width + std::min(uint32_t(codes[row]), uint32_t(width - 1)); };
    std::fill(next_.begin(), next_.end(), 0);
    each_row(count, [&](int part, int row) { ++next[place(part, row)]; });
    for (int c = 0, sum = 0; c < width; ++c) {
        start[c] = sum;
        for (int part = 0; part < parts; ++part) sum += std::exchange(next[part * width + c], sum);
        if (c < classes_) counts_[c] += sum - start[c];
    }
    uint16_t* order = order_.get() + block * block_rows;
    each_row(count, [&](int part, int row) { order[next[place(part, row)]++] = uint16_t(row); });
}

}  // namespace tallybayes
