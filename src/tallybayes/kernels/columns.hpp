// Arrow's buffers as a column of strings, checked.
#pragma once
#include <optional>

#include "arrays.hpp"
#include "strings.hpp"

namespace tallybayes {

inline StringColumn string_column(const In<uint8_t>& offsets, bool wide, const In<uint8_t>& bytes,
                                  const std::optional<In<uint8_t>>& validity, int64_t first, int64_t rows) {
    expect(rows >= 0 && first >= 0 && offsets.size() >= (first + rows + (rows > 0)) * (wide ? 8 : 4) &&
               (!validity || validity->size() * 8 >= first + rows),
           "the buffers are shorter than the column");
    return {offsets.data(), wide, reinterpret_cast<const char*>(bytes.data()), bytes.size(),
            validity ? validity->data() : nullptr, first, rows};
}

}  // namespace tallybayes
