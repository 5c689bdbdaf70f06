#include "fingerprints.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "both.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr uint64_t odd = 0x9e3779b97f4a7c15;  // 2⁶⁴ over the golden ratio
constexpr uint64_t missing = 0x7ff8000000000000;

INLINE uint64_t mixed(uint64_t mark, uint64_t value) {
    mark = (mark ^ value) * odd;
    mark = (mark ^ mark >> 32) * odd;  // spreads the low bits of a number over all bits of the mark
    return mark ^ mark >> 29;
}

template <class Word>
uint64_t loaded(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Up to eight bytes as a little-endian number.
uint64_t few(std::string_view text) {
    const char* at = text.data();
    const size_t size = text.size();
    if (size >= 4) return loaded<uint32_t>(at) | loaded<uint32_t>(at + size - 4) << 8 * (size - 4);
    if (size >= 2) return loaded<uint16_t>(at) | loaded<uint8_t>(at + size - 1) << 8 * (size - 1);
    return size ? loaded<uint8_t>(at) : 0;
}

uint64_t mixed(uint64_t mark, std::string_view text) {
    mark = mixed(mark, text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) mark = mixed(mark, loaded<uint64_t>(text.data()));
    return mixed(mark, few(text));
}

INLINE uint64_t bits(double x) { return x != x ? missing : std::bit_cast<uint64_t>(x + 0.0); }

// `known` are the values of −1, 0, 1, …; it does not overlap with the marks, so several can be looked up at once.
WIDEST void mix_known(const int32_t* codes, int64_t rows, const uint64_t* known, uint64_t* __restrict marks) {
    for (int64_t i = 0; i < rows; ++i) marks[i] = mixed(marks[i], known[int64_t(codes[i]) + 1]);
}

WIDEST void mix_known(const int8_t* codes, int64_t rows, const uint64_t* known, uint64_t* __restrict marks) {
    for (int64_t i = 0; i < rows; ++i) marks[i] = mixed(marks[i], known[int64_t(codes[i]) + 1]);
}

BOTH bool all_below(const int32_t* codes, int64_t rows, int64_t size) {
    uint32_t others = 0;
    for (int64_t i = 0; i < rows; ++i) others |= uint32_t(uint32_t(codes[i]) + 1u >= uint32_t(size));
    return !others;
}

BOTH bool all_below(const int8_t* codes, int64_t rows, int64_t size) {
    int8_t least = -1, most = -1;
    for (int64_t i = 0; i < rows; ++i) {
        least = std::min(least, codes[i]);
        most = std::max(most, codes[i]);
    }
    return least == -1 && most + 1 < size;
}

WIDEST void mix_numbers(const double* x, int64_t rows, uint64_t* __restrict marks) {
    for (int64_t i = 0; i < rows; ++i) marks[i] = mixed(marks[i], bits(x[i]));
}

constexpr int64_t together = 1 << 16;  // rows whose marks stay in the cache; in shorter stretches, memory is read more slowly

}  // namespace

bool mix_columns(const std::vector<MarkedColumn>& columns, int64_t rows, uint64_t* marks) {
    std::vector<std::vector<uint64_t>> known;
    for (const MarkedColumn& column : columns) {
        const int64_t size = int64_t(column.dictionary.size()) + 1;
        if (column.codes && !all_below(column.codes, rows, size)) return false;
        if (column.bytes && !all_below(column.bytes, rows, size)) return false;
        known.emplace_back(1, missing);
        for (double each : column.dictionary) known.back().push_back(bits(each));
    }
    in_stretches(int64_t(0), rows, [&](int64_t first, int64_t last) {
        for (int64_t at = first; at < last; at += together) {
            const int64_t some = std::min(together, last - at);
            for (size_t i = 0; i < columns.size(); ++i) {
                const auto& [numbers, bytes, codes, _] = columns[i];
                if (numbers) mix_numbers(numbers + at, some, marks + at);
                else if (bytes) mix_known(bytes + at, some, known[i].data(), marks + at);
                else mix_known(codes + at, some, known[i].data(), marks + at);
            }
        }
    });
    return true;
}

void mix_strings(const StringColumn& column, uint64_t* marks) {
    for (int64_t i = 0; i < column.rows; ++i)
        marks[i] = column.missing(i) ? mixed(marks[i], missing) : mixed(marks[i], column[i]);
}

}  // namespace tallybayes
