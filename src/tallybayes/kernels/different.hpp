// The different words of a document and their counts, in one pass, without sorting.
#pragma once
#include <cstdint>
#include <vector>

#include "reader.hpp"

namespace tallybayes {

class Different {
public:
    struct Word {
        int32_t number;
        uint32_t times;
    };

    explicit Different(int64_t words) : words_(size_t(words)) {}

    // In order of first occurrence, which depends on the text alone; the order of the index depends on history.
    const std::vector<Word>& of(const Read& read);

private:
    struct Slot {
        uint64_t document;  // the document of this word, counted from one
        uint32_t at;        // its index among the words found
    };

    const size_t words_;  // in the index
    std::vector<Slot> slots_;
    std::vector<Word> found_;
    uint64_t documents_ = 0;
};

}  // namespace tallybayes
