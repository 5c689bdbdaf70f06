// Documents and readings as Python gives them: what the kernels see, and the arrays that hold it.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "words.hpp"

namespace tallybayes {

// Documents, and the arrays that hold them.
struct HeldDocuments {
    In<uint8_t> offsets, bytes;
    std::optional<In<uint8_t>> validity, missing;
    std::optional<In<int64_t>> tokens;
    Documents view;
    // Of a few texts, instead of all that:
    nb::object texts;
    std::vector<char> joined;
    std::vector<int64_t> edges;
    std::vector<uint8_t> bits;
};

// Tokeniser, translation and what becomes of words that are not in the index.
struct HeldReading {
    nb::object tokeniser, translation, vocabulary;
    Reading view;
};

}  // namespace tallybayes
