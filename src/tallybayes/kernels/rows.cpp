#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "both.hpp"
#include "strings.hpp"

#if defined(__SSE2__) && !defined(TALLYBAYES_SCALAR)
#include <emmintrin.h>
#endif

namespace tallybayes {
namespace {

const char* find(const char* from, const char* to, char what) {
    const void* found = from < to ? std::memchr(from, what, size_t(to - from)) : nullptr;
    return found ? static_cast<const char*>(found) : to;
}

// Just after the quote that closes the cell at `from`, or null.
const char* find_closing(const char* from, const char* to) {
    for (const char* quote = find(from, to, '"'); quote < to; quote = find(quote + 2, to, '"'))
        if (quote + 1 == to || quote[1] != '"') return quote + 1;
    return nullptr;
}

// The number of line ends between two positions; a \r at the very end counts as one.
BOTH int64_t count_lines(const char* from, const char* to, const char* stop) {
    int64_t lines = 0;
    while (from < to) {
        const int64_t size = std::min<int64_t>(to - from, 254), next = from + size < stop ? size : size - 1;
        uint8_t few = 0;  // a byte, so that the loop is vectorised
        for (int64_t i = 0; i < next; ++i) few += (from[i] == '\n') | ((from[i] == '\r') & (from[i + 1] != '\n'));
        if (next < size) few += (from[next] == '\n') | (from[next] == '\r');
        lines += few;
        from += size;
    }
    return lines;
}

// Just after the last line end between two positions, or null. A final \r may be the start of \r\n.
const char* find_last_end(const char* from, const char* to, const char* stop) {
    for (const char* at = to; at > from; --at)
        if (at[-1] == '\n' || (at[-1] == '\r' && at < stop && *at != '\n')) return at;
    return nullptr;
}

constexpr int64_t width = 64;

// A bit for each of 64 bytes that is one of these characters.
template <class... Letters>
INLINE uint64_t find_all(const char* at, Letters... letters) {
    uint64_t found = 0;
#if defined(__SSE2__) && !defined(TALLYBAYES_SCALAR)
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
        __m128i equal = _mm_setzero_si128();
        ((equal = _mm_or_si128(equal, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(letters)))), ...);
        found |= uint64_t(uint32_t(_mm_movemask_epi8(equal))) << (16 * i);
    }
#else
    for (int i = 0; i < width; ++i) found |= uint64_t(((at[i] == letters) || ...)) << i;
#endif
    return found;
}

// The prefix parity of all bits.
INLINE uint64_t parities(uint64_t bits) {
    for (int shift = 1; shift < width; shift *= 2) bits ^= bits << shift;
    return bits;
}

// A fast version of the function below, 64 bytes at a time, for texts in which every quote opens a cell, closes it or is
// doubled, so that an odd number of quotes means inside. Returns whether the text was of this kind and has a complete row.
BOTH bool find_quickly(const char* bytes, int64_t size, char delimiter, RowsEnd& found) {
    uint64_t inside = 0, before = 1, returned = 0;  // all ones or zeros; whether a quote may open next; whether \r was last
    int64_t lines = 0;
    char rest[width] = {};
    for (int64_t start = 0; start < size; start += width) {
        const char* at = bytes + start;
        if (start + width > size) at = static_cast<const char*>(std::memcpy(rest, at, size_t(size - start)));
        const uint64_t quotes = find_all(at, '"'), ends = find_all(at, '\n'), returns = find_all(at, '\r');
        const uint64_t apart = quotes | ends | returns | find_all(at, delimiter);
        const uint64_t within = parities(quotes) ^ inside;
        if (quotes & within & ~(apart << 1 | before)) return false;
        const uint64_t alone = ends & ~(returns << 1 | returned);  // \r\n is counted at its \r
        if (const uint64_t rows = ends & ~within) {
            const int behind = std::countl_zero(rows);
            found.end = start + width - behind;
            found.lines = lines + std::popcount(alone << behind) + std::popcount(returns << behind);
        }
        lines += std::popcount(alone) + (returns ? std::popcount(returns) : 0);
        before = apart >> (width - 1);
        returned = returns >> (width - 1);
        inside = within >> (width - 1) ? ~uint64_t(0) : 0;
    }
    found.open = inside != 0;
    return found.end > 0;
}

bool ends_cell(char letter, char delimiter) { return letter == delimiter || letter == '\n' || letter == '\r'; }

bool is_blank(char letter, char delimiter) {
    return (letter == ' ' || letter == '\t') && letter != delimiter && delimiter != ' ';
}

// The range without leading and trailing blanks.
const char* skip_blanks(const char* from, const char* to, char delimiter) {
    while (from < to && is_blank(*from, delimiter)) ++from;
    return from;
}
const char* drop_blanks(const char* from, const char* to, char delimiter) {
    while (from < to && is_blank(to[-1], delimiter)) --to;
    return to;
}

// Visits every quoted cell: where it opens, and the position just after it closes. Returns a quote that is never closed, or
// null.
template <class Take>
const char* each_quoted(const char* bytes, const char* stop, char delimiter, Take take) {
    for (const char* quote = find(bytes, stop, '"'); quote < stop;) {
        const char* before = drop_blanks(bytes, quote, delimiter);
        const bool opens = before == bytes || ends_cell(before[-1], delimiter);
        const char* behind = opens ? find_closing(quote + 1, stop) : quote + 1;
        if (!behind) return quote;
        if (opens) take(quote, behind);
        quote = find(behind, stop, '"');
    }
    return nullptr;
}

// Whether there are certainly no blanks around cells, 64 bytes at a time, for texts with regular quotes.
BOTH bool is_trim(const char* bytes, int64_t size, char delimiter, bool quoting) {
    if (delimiter == ' ' || size == 0) return true;
    if (is_blank(bytes[size - 1], delimiter)) return false;
    quoting = quoting && std::memchr(bytes, '"', size_t(size));
    const char other = delimiter == '\t' ? ' ' : '\t';
    uint64_t inside = 0, before = 1, begins = 1, blank = 0;  // state of the last byte; the first byte follows the end of a row
    char rest[width] = {};
    for (int64_t start = 0; start < size; start += width) {
        const char* at = bytes + start;
        if (start + width > size) at = static_cast<const char*>(std::memcpy(rest, at, size_t(size - start)));
        const uint64_t blanks = find_all(at, ' ', other), quotes = quoting ? find_all(at, '"') : 0;
        if (!(blanks | quotes | blank)) {
            before = begins = ends_cell(at[width - 1], delimiter);
            continue;
        }
        const uint64_t ends = find_all(at, '\n', '\r', delimiter);
        const uint64_t within = quotes ? parities(quotes) ^ inside : inside, free = blanks & ~within;
        if (quotes & within & ~((ends | quotes) << 1 | before)) return false;
        if ((free & (ends << 1 | begins)) | ((free << 1 | blank) & ends)) return false;
        before = (ends | quotes) >> (width - 1);
        begins = ends >> (width - 1);
        blank = free >> (width - 1);
        inside = within >> (width - 1) ? ~uint64_t(0) : 0;
    }
    return true;
}

}  // namespace

RowsEnd find_rows_end(const char* bytes, int64_t size, int delimiter) {
    RowsEnd found;
    if (delimiter >= 0 && find_quickly(bytes, size, char(delimiter), found)) return found;
    const char *stop = bytes + size, *from = bytes, *end = bytes;
    const auto look_up_to = [&](const char* to) {
        if (const char* last = find_last_end(from, to, stop)) end = last;
    };
    const char* open = delimiter < 0 ? nullptr : each_quoted(bytes, stop, char(delimiter), [&](const char* quote, const char* closed) {
        look_up_to(quote);
        from = closed;
    });
    look_up_to(open ? open : stop);
    return {end - bytes, count_lines(bytes, end, stop), open != nullptr};
}

SplitRows split_rows(const char* bytes, int64_t size, int delimiter, bool quotes, int64_t limit) {
    SplitRows rows;
    const char *stop = bytes + size, *at = bytes;
    const auto line_end = [&](const char* from) {
        return from + (from[0] == '\r' && from + 1 < stop && from[1] == '\n' ? 2 : 1);
    };
    for (int64_t line = 0; at < stop && int64_t(rows.starts.size()) < limit;) {
        if (*at == '\n' || *at == '\r') {
            at = line_end(at);
            ++line;
            continue;
        }
        const char* start = at;
        int32_t cells = 0;
        do {
            if (cells) ++at;
            ++cells;
            const char* first = skip_blanks(at, stop, char(delimiter));
            if (quotes && delimiter >= 0 && first < stop && *first == '"') {
                const char* closed = find_closing(first + 1, stop);
                rows.open = !closed;
                at = closed ? closed : stop;
            }
            while (at < stop && !ends_cell(*at, char(delimiter < 0 ? '\n' : delimiter))) ++at;
        } while (at < stop && delimiter >= 0 && *at == char(delimiter));
        if (at < stop) at = line_end(at);
        rows.starts.push_back(start - bytes);
        rows.ends.push_back(at - bytes);
        rows.lines.push_back(line);
        rows.cells.push_back(cells);
        line += count_lines(start, at, stop);
    }
    return rows;
}

std::optional<std::vector<uint8_t>> trim_cells(const char* bytes, int64_t size, char delimiter, bool quotes) {
    if (is_trim(bytes, size, delimiter, quotes)) return std::nullopt;
    std::vector<uint8_t> trimmed;
    trimmed.reserve(size_t(size));
    const char* const stop = bytes + size;
    size_t row = 0;  // where it begins
    for (const char* at = bytes; at < stop;) {
        const char* const cell = at;
        const char *first = skip_blanks(at, stop, delimiter), *text = first;
        if (quotes && first < stop && *first == '"') {
            const char* closed = find_closing(first + 1, stop);
            text = closed ? closed : stop;
        }
        for (at = text; at < stop && !ends_cell(*at, delimiter);) ++at;
        trimmed.insert(trimmed.end(), first, drop_blanks(text, at, delimiter));
        const bool ends_row = at == stop || *at != delimiter;
        if (ends_row && at > cell && trimmed.size() == row) trimmed.push_back(' ');  // an empty line would not be a row
        if (at < stop) trimmed.push_back(uint8_t(*at++));
        if (ends_row) row = trimmed.size();
    }
    return trimmed;
}

std::vector<int64_t> find_stray(const char* bytes, int64_t size, char delimiter) {
    std::vector<int64_t> found;
    const char* const stop = bytes + size;
    each_quoted(bytes, stop, delimiter, [&](const char*, const char* closed) {
        if (closed < stop && !ends_cell(*closed, delimiter) && !is_blank(*closed, delimiter)) found.push_back(closed - bytes);
    });
    return found;
}

int64_t count_objects(const char* bytes, int64_t size) {
    int64_t count = 0;
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; };
    const char *stop = bytes + size, *feed = find(bytes, stop, '\n');
    for (const char* line = bytes; line < stop;) {
        if (line > feed) feed = find(line, stop, '\n');
        const char *end = find(line, feed, '\r'), *next = end < stop ? end + 1 : stop;
        while (line < end && is_blank(*line)) ++line;
        while (line < end && is_blank(end[-1])) --end;
        if (line < end) {
            if (*line != '{' || end[-1] != '}') return -1;
            ++count;
        }
        line = next;
    }
    return count;
}

JsonShape find_shape(const char* bytes, int64_t size) {
    int64_t depth = 0, most = 0, items = 0;
    uint64_t lists = 0;  // a bit for each bracket that is open, the innermost lowest
    const char* const stop = bytes + size;
    const char* text = nullptr;  // the string that the position is in
    StringIndex names;
    for (const char* at = bytes; at < stop; ++at) {
        if (*at == '"' && text) {
            const char* next = at + 1;
            while (next < stop && (*next == ' ' || *next == '\t')) ++next;
            if (next < stop && *next == ':') names.encode({text, size_t(at - text)}, true);
            text = nullptr;
        } else if (*at == '"') text = at + 1;
        else if (text) at += *at == '\\';
        else if (*at == '[' || *at == '{') {
            items += *at == '{' ? lists & 1 : 0;
            lists = lists << 1 | (*at == '[');
            most = std::max(most, ++depth);
        } else if (*at == ']' || *at == '}') {
            lists >>= 1;
            --depth;
        } else if (*at == 'n') items += lists & 1;
    }
    return {most, names.size(), items};
}

}  // namespace tallybayes
