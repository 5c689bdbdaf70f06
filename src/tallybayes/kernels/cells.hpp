// A snapshot of the counts of each word in each class. It is immutable: an update makes a new one, which shares all
// pages that did not change. So it is thread-safe, and an update takes time proportional to the changed pages.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tallybayes {

class WordCells {
public:
    static constexpr int sums = 3;  // n, documents, share

    struct Cell {
        int32_t word, class_;
        std::array<double, sums> held;

        uint64_t key() const { return uint64_t(uint32_t(word)) << 32 | uint32_t(class_); }
        bool empty() const { return held[0] == 0.0 && held[1] == 0.0 && held[2] == 0.0; }
    };

    // The same with these cells replaced; empty ones are removed. Cells must be distinct.
    WordCells changed(std::vector<Cell> cells) const;

    int64_t words() const { return words_; }  // that have cells
    int64_t size() const { return cells_; }
    const std::vector<int64_t>& met() const { return met_; }  // by class, the number of cells whose n is above zero

    // The cells of one word, in the order of their classes.
    const Cell* begin(int32_t word) const { return at(word, 0); }
    const Cell* end(int32_t word) const { return at(word, 1); }

private:
    static constexpr int shift = 5, width = 1 << shift;  // words of a page

    struct Page {
        std::vector<Cell> cells;
        std::array<uint32_t, width + 1> starts{};
    };

    using Held = std::shared_ptr<const Page>;
    using Numbered = std::pair<size_t, Held>;

    const Cell* at(int32_t word, int next) const {
        const Page* page = word < 0 ? nullptr : find(size_t(word) >> shift).get();
        return page ? page->cells.data() + page->starts[size_t(word & (width - 1)) + next] : nullptr;
    }
    static void sort(std::vector<Cell>& cells);
    const Held& find(size_t page) const;
    Held replaced(const Held& before, const Cell* first, const Cell* last);
    bool overwritten(Page& page, const Cell* first, const Cell* last);
    Held merged(const Held& before, const Cell* first, const Cell* last);
    void count(const Page& page, int64_t sign);

    std::shared_ptr<const std::vector<Held>> pages_ = std::make_shared<const std::vector<Held>>();
    std::vector<Numbered> recent_;  // pages changed since, in order, so that a small change does not copy the list of all
    std::vector<int64_t> met_;
    int64_t words_ = 0, cells_ = 0;
};

}  // namespace tallybayes
