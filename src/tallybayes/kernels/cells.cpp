#include "cells.hpp"

#include <algorithm>
#include <iterator>

#include "signals.hpp"

namespace tallybayes {

namespace {

constexpr size_t many = 1 << 14;  // cells
constexpr size_t few = 512;  // changed pages, beyond which they are merged into the list of all …
constexpr size_t part = 16;  // … if they are at least a sixteenth of it

}  // namespace

WordCells WordCells::changed(std::vector<Cell> cells) const {
    WordCells result(*this);
    sort(cells);
    const auto page_of = [](const Cell& cell) { return size_t(cell.word) >> shift; };
    std::vector<Numbered> fresh;
    Patience patience;
    for (const Cell *first = cells.data(), *end = first + cells.size(), *last; first != end; first = last) {
        const size_t page = page_of(*first);
        patience.spend(16 * width);
        for (last = first; last != end && page_of(*last) == page;) ++last;
        fresh.emplace_back(page, result.replaced(find(page), first, last));
    }
    const auto by_page = [](const Numbered& a, const Numbered& b) { return a.first < b.first; };
    result.recent_.clear();
    std::set_union(fresh.begin(), fresh.end(), recent_.begin(), recent_.end(), std::back_inserter(result.recent_), by_page);
    if (result.recent_.size() > std::max(few, pages_->size() / part)) {
        auto all = std::make_shared<std::vector<Held>>(*pages_);
        all->resize(std::max(all->size(), result.recent_.back().first + 1));
        for (auto& [page, held] : result.recent_) (*all)[page] = std::move(held);
        result.pages_ = std::move(all);
        result.recent_.clear();
    }
    return result;
}

const WordCells::Held& WordCells::find(size_t page) const {
    static const Held none;
    const auto found = std::lower_bound(recent_.begin(), recent_.end(), page,
                                        [](const Numbered& held, size_t wanted) { return held.first < wanted; });
    if (found != recent_.end() && found->first == page) return found->second;
    return page < pages_->size() ? (*pages_)[page] : none;
}

// Sorts by word and class; many cells are first distributed by word, which leaves few comparisons.
void WordCells::sort(std::vector<Cell>& cells) {
    const auto before = [](const Cell& a, const Cell& b) { return a.key() < b.key(); };
    if (std::is_sorted(cells.begin(), cells.end(), before)) return;
    if (cells.size() < many) return std::sort(cells.begin(), cells.end(), before);
    int32_t words = 0;
    for (const Cell& cell : cells) words = std::max(words, cell.word + 1);
    std::vector<uint32_t> next(size_t(words) + 1);
    for (const Cell& cell : cells) ++next[size_t(cell.word) + 1];
    for (int32_t word = 0; word < words; ++word) next[size_t(word) + 1] += next[size_t(word)];
    const std::vector<uint32_t> starts = next;
    std::vector<Cell> sorted(cells.size());
    for (const Cell& cell : cells) sorted[next[size_t(cell.word)]++] = cell;
    for (int32_t word = 0; word < words; ++word)
        std::sort(sorted.begin() + starts[size_t(word)], sorted.begin() + starts[size_t(word) + 1], before);
    cells.swap(sorted);
}

// A page with some of its cells changed. Usually none is added or removed, and the page is copied with new numbers.
WordCells::Held WordCells::replaced(const Held& before, const Cell* first, const Cell* last) {
    if (before) {
        auto after = std::make_shared<Page>(*before);
        if (overwritten(*after, first, last)) return after;
    }
    return merged(before, first, last);
}

// Writes these cells over their old numbers; false, with nothing changed here, if one is new or becomes empty.
bool WordCells::overwritten(Page& page, const Cell* first, const Cell* last) {
    const auto held = [&page](const Cell& cell) -> Cell* {
        const size_t word = size_t(cell.word & (width - 1));
        Cell* const end = page.cells.data() + page.starts[word + 1];
        Cell* const found = std::lower_bound(page.cells.data() + page.starts[word], end, cell.class_,
                                             [](const Cell& each, int32_t wanted) { return each.class_ < wanted; });
        return found == end || found->class_ != cell.class_ ? nullptr : found;
    };
    for (const Cell* cell = first; cell != last; ++cell)
        if (cell->empty() || !held(*cell)) return false;
    for (const Cell* cell = first; cell != last; ++cell) {
        Cell& old = *held(*cell);
        met_[size_t(cell->class_)] += int(cell->held[0] > 0.0) - int(old.held[0] > 0.0);
        old = *cell;
    }
    return true;
}

WordCells::Held WordCells::merged(const Held& before, const Cell* first, const Cell* last) {
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
    return after;
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
