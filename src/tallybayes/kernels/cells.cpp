#include "cells.hpp"

#include <algorithm>

namespace tallybayes {

WordCells WordCells::changed(std::vector<Cell> cells) const {
    WordCells result(*this);
    const auto page_of = [](const Cell& cell) { return size_t(cell.word) >> shift; };
    size_t pages = pages_.size();
    for (const Cell& cell : cells) pages = std::max(pages, page_of(cell) + 1);
    result.pages_.resize(pages);
    std::vector<int64_t> starts(pages + 1);
    for (const Cell& cell : cells) ++starts[page_of(cell) + 1];
    for (size_t page = 0; page < pages; ++page) starts[page + 1] += starts[page];
    std::vector<int64_t> next(starts.begin(), starts.end() - 1);
    std::vector<Cell> sorted(cells.size());
    for (const Cell& cell : cells) sorted[size_t(next[page_of(cell)]++)] = cell;
    for (size_t page = 0; page < pages; ++page) {
        Cell *first = sorted.data() + starts[page], *last = sorted.data() + starts[page + 1];
        if (first == last) continue;
        std::sort(first, last, [](const Cell& a, const Cell& b) { return a.key() < b.key(); });
        result.replace(page, first, last);
    }
    return result;
}

// Of a page those cells that change, and all others as they were.
void WordCells::replace(size_t page, const Cell* first, const Cell* last) {
    const auto before = pages_[page];
    const Cell* old = before ? before->cells.data() : nullptr;
    const Cell* const end = before ? old + before->cells.size() : nullptr;
    auto after = std::make_shared<Page>();
    after->cells.reserve(size_t(end - old) + size_t(last - first));
    while (old != end || first != last) {
        const bool keep = first == last || (old != end && old->key() < first->key());
        if (!keep && old != end && old->key() == first->key()) ++old;
        const Cell& cell = keep ? *old++ : *first++;
        if (!cell.empty()) after->cells.push_back(cell);
    }
    for (const Cell& cell : after->cells) ++after->starts[size_t(cell.word & (width - 1)) + 1];
    for (int word = 0; word < width; ++word) after->starts[word + 1] += after->starts[word];
    if (before) count(*before, -1);
    count(*after, 1);
    pages_[page] = std::move(after);
}

void WordCells::count(const Page& page, int64_t sign) {
    cells_ += sign * int64_t(page.cells.size());
    for (int word = 0; word < width; ++word) words_ += page.starts[word + 1] > page.starts[word] ? sign : 0;
    for (const Cell& cell : page.cells) {
        if (size_t(cell.class_) >= met_.size()) met_.resize(size_t(cell.class_) + 1);
        met_[size_t(cell.class_)] += cell.held[0] > 0.0 ? sign : 0;
    }
}

}  // namespace tallybayes
