#include "shares.hpp"

#include <algorithm>

#include "pages.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

using Wide = unsigned __int128;

// What is counted of one word in the class at hand.
struct Cell {
    Wide n = 0;      // in units of 2^-32
    Wide share = 0;  // in units of 2^-96
    uint64_t documents = 0;
};

struct Entry {
    int64_t row;
    uint64_t units;
};

// The documents of each class that have a share in it.
std::vector<std::vector<Entry>> by_class(const Shares& shares, int64_t rows) {
    std::vector<std::vector<Entry>> found(static_cast<size_t>(shares.width));
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t at = shares.starts[row]; at < shares.starts[row + 1]; ++at)
            if (shares.units[at] > 0) found[size_t(shares.classes[at])].push_back({row, uint64_t(shares.units[at])});
    return found;
}

// One word's part of each document, cut off at 2^-64.
std::vector<Wide> parts_of(const ListedWords& listed) {
    std::vector<Wide> parts(size_t(listed.rows), 0);
    for (int64_t row = 0; row < listed.rows; ++row) {
        uint64_t length = 0;
        for (int64_t i = listed.starts[row]; i < listed.starts[row + 1]; ++i) length += uint64_t(listed.counts[i]);
        if (length) parts[size_t(row)] = (Wide(1) << 64) / length;
    }
    return parts;
}

void add_limbs(std::vector<int64_t>& limbs, Wide value, int count) {
    for (int i = 0; i < count; ++i) limbs.push_back(int64_t(uint64_t(value >> (32 * i)) & 0xffffffff));
}

}  // namespace

SharedWords count_shared(const ListedWords& listed, const Shares& shares) {
    SharedWords result;
    Pages<Cell> cells(size_t(listed.size));
    std::vector<int32_t> met;
    const auto parts = parts_of(listed);
    const auto entries = by_class(shares, listed.rows);
    Patience patience;
    for (int32_t class_ = 0; class_ < shares.width; ++class_) {
        for (const Entry& entry : entries[size_t(class_)]) {
            const int64_t first = listed.starts[entry.row], last = listed.starts[entry.row + 1];
            patience.spend(last - first);
            for (int64_t i = first; i < last; ++i) {
                Cell& cell = cells[size_t(listed.words[i])];
                if (!cell.documents) met.push_back(listed.words[i]);
                const auto times = uint64_t(listed.counts[i]);
                cell.n += Wide(times) * entry.units;
                cell.share += parts[size_t(entry.row)] * times * entry.units;
                cell.documents += entry.units;
            }
        }
        sort_in_stretches(met.begin(), met.end());
        for (const int32_t word : met) {
            Cell& cell = cells[size_t(word)];
            result.words.push_back(word);
            result.classes.push_back(class_);
            add_limbs(result.n, cell.n, SharedWords::n_limbs);
            add_limbs(result.documents, cell.documents, SharedWords::document_limbs);
            add_limbs(result.shares, cell.share, SharedWords::share_limbs);
            cell = Cell{};
        }
        met.clear();
    }
    return result;
}

}  // namespace tallybayes
