// The sums of one class as few bytes, canonical, and back.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strings.hpp"

namespace tallybayes {

struct NotWritten : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One number for each cell, of `size` limbs from `low`.
struct Sums {
    const int64_t* limbs;
    int64_t size, low;
};

// The number of non-empty cells; then for each, sorted by the bytes of their labels, its label and a number of each kind.
// Lengths and small integers are varints of seven bits a byte; other numbers are limbs of four bytes.
std::string write_cells(const std::vector<std::string_view>& labels, const std::vector<Sums>& sums);

struct WrittenSums {
    std::vector<int64_t> limbs;
    int64_t size, low;
};

struct WrittenCells {
    StringIndex labels;
    std::vector<WrittenSums> sums;
};

// The inverse, for this many kinds of numbers: the cells of all texts, with those of the same label added up. Throws
// `NotWritten` if the bytes are invalid.
WrittenCells read_cells(const std::vector<std::string_view>& texts, size_t kinds);

}  // namespace tallybayes
