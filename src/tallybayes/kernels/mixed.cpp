#include "mixed.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "different.hpp"
#include "reader.hpp"

namespace tallybayes {
namespace {

constexpr ptrdiff_t ahead = 16;  // words whose numbers are prefetched

// log2((1 + times) / 2), which is 0 for a word that occurs once.
class Doublings {
public:
    Doublings() {
        for (size_t times = 0; times < few_.size(); ++times) few_[times] = std::log2((1.0 + double(times)) / 2.0);
    }
    double operator()(uint32_t times) const { return times < few_.size() ? few_[times] : std::log2((1.0 + times) / 2.0); }

private:
    std::array<double, 64> few_;
};

const Doublings doublings;

using At = std::vector<Different::Word>::const_iterator;

void add_two(const Mixed& evidence, At first, At last, double* total) {
    double a = 0.0, b = 0.0;
    for (At word = first; word < last; ++word) {
        if (last - word > ahead) __builtin_prefetch(&evidence.table[4 * int64_t(word[ahead].number)]);
        const double* row = evidence.table + 4 * int64_t(word->number);
        a += row[0];
        b += row[1];
        if (word->times == 1) continue;
        const double more = doublings(word->times);
        a += more * row[2];
        b += more * row[3];
    }
    total[0] += a;
    total[1] += b;
}

void add_table(const Mixed& evidence, At first, At last, double* total) {
    for (; first < last; ++first) {
        const double* row = evidence.table + 2 * evidence.width * int64_t(first->number);
        for (int64_t c = 0; c < evidence.width; ++c) total[c] += row[c];
        if (first->times == 1) continue;
        const double more = doublings(first->times);
        for (int64_t c = 0; c < evidence.width; ++c) total[c] += more * row[evidence.width + c];
    }
}

void add_cells(const Mixed& evidence, At first, At last, double* total) {
    for (; first < last; ++first) {
        const double more = doublings(first->times);
        for (int64_t at = evidence.starts[first->number]; at < evidence.starts[first->number + 1]; ++at)
            total[evidence.classes[at]] += evidence.cells[2 * at] + more * evidence.cells[2 * at + 1];
    }
}

}  // namespace

void add_mixed(const Documents& documents, const Reading& reading, const StringIndex& index, const Mixed& evidence,
               double* scores, int64_t stride, int64_t* lengths) {
    std::vector<double> total(evidence.width);
    Different different(index.size());
    const auto add = !evidence.table ? add_cells : evidence.width == 2 ? add_two : add_table;
    const auto find = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
        index.look_up(text, spans, found);
    };
    const auto score = [&](const Read& read) {
        const auto& words = different.of(read);
        lengths[read.row] = int64_t(words.size());
        if (words.empty()) return;
        std::fill(total.begin(), total.end(), 0.0);
        in_stretches(words.begin(), words.end(), [&](At first, At last) { add(evidence, first, last, total.data()); });
        const double part = std::pow(double(words.size()) / evidence.length, -evidence.gamma);
        for (int64_t c = 0; c < evidence.width; ++c) scores[c * stride + read.row] += part * total[c];
    };
    std::fill(lengths, lengths + documents.rows, -1);
    Reader(documents, reading).each(Present(documents), find, score);
}

}  // namespace tallybayes
