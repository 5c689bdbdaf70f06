#include "groups.hpp"

#include <algorithm>
#include <stdexcept>

namespace tallybayes {

Groups::Groups(const int32_t* codes, int64_t rows, int classes)
    : codes_(codes), rows_(rows), classes_(classes), counts_(classes) {
    for (int64_t row = 0; !ordered() && row < rows; ++row) {
        if (codes[row] >= classes) throw std::out_of_range("a row's class is not among the classes");
        if (codes[row] >= 0) ++counts_[codes[row]];
    }
    if (!ordered()) return;
    order_.reset(new uint16_t[rows]);
    starts_.resize(blocks() * (classes + 1));
    std::vector<int32_t> next(classes);
    for (int64_t block = 0; block < blocks(); ++block) {
        const int64_t first = block * block_rows;
        const int count = int(std::min<int64_t>(block_rows, rows - first));
        int32_t* start = starts_.data() + block * (classes + 1);
        std::fill(next.begin(), next.end(), 0);
        for (int i = 0; i < count; ++i) {
            if (codes[first + i] >= classes) throw std::out_of_range("a row's class is not among the classes");
            if (codes[first + i] >= 0) ++next[codes[first + i]];
        }
        start[0] = 0;
        for (int c = 0; c < classes; ++c) {
            start[c + 1] = start[c] + next[c];
            counts_[c] += next[c];
        }
        std::copy(start, start + classes, next.begin());
        uint16_t* order = order_.get() + first;
        for (int i = 0; i < count; ++i)
            if (codes[first + i] >= 0) order[next[codes[first + i]]++] = uint16_t(i);
    }
}

}  // namespace tallybayes
