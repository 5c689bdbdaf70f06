#include "fingerprints.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace tallybayes {
namespace {

constexpr uint64_t odd = 0x9e3779b97f4a7c15;  // 2⁶⁴ over the golden ratio
constexpr uint64_t missing = 0x7ff8000000000000;

uint64_t mixed(uint64_t mark, uint64_t value) {
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

uint64_t bits(double x) { return std::isnan(x) ? missing : std::bit_cast<uint64_t>(x + 0.0); }

}  // namespace

void mix_numbers(const double* x, int64_t rows, uint64_t* marks) {
    for (int64_t i = 0; i < rows; ++i) marks[i] = mixed(marks[i], bits(x[i]));
}

void mix_codes(const int32_t* codes, int64_t rows, const double* x, int64_t size, uint64_t* marks) {
    std::vector<uint64_t> known(size_t(size) + 1, missing);  // the first is for missing cells
    std::transform(x, x + size, known.begin() + 1, bits);
    for (int64_t i = 0; i < rows; ++i) marks[i] = mixed(marks[i], known[size_t(codes[i] + 1)]);
}

void mix_strings(const StringColumn& column, uint64_t* marks) {
    for (int64_t i = 0; i < column.rows; ++i)
        marks[i] = column.missing(i) ? mixed(marks[i], missing) : mixed(marks[i], column[i]);
}

}  // namespace tallybayes
