// Documents and readings from Python, and the arrays that own their memory.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "words.hpp"

namespace tallybayes {

// Documents, and the arrays that own them.
struct HeldDocuments {
    In<uint8_t> offsets, bytes;
    std::optional<In<uint8_t>> validity, missing;
    std::optional<In<int64_t>> tokens;
    Documents view;
    // For a few texts, instead of arrays:
    nb::object texts;
    std::vector<char> joined;
    std::vector<int64_t> edges;
    std::vector<uint8_t> bits;
};

// The tokeniser, the translation, and how words outside the index are handled.
struct HeldReading {
    nb::object tokeniser, translation, vocabulary;
    Reading view;
};

}  // namespace tallybayes
