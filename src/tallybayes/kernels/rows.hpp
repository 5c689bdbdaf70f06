// Where the rows of a CSV or TSV text begin and end, before their cells are parsed.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tallybayes {

// A row ends with \n, \r\n or \r outside quotes. A quote only counts at the start of a cell, after blanks (spaces and tabs, unless
// they stand between cells) or none; what follows the closing one is taken as it is. With a delimiter below zero there are no cells and no quotes, and rows are lines.
constexpr int no_delimiter = -1;

struct RowsEnd {
    int64_t end = 0;    // just after the last row that is complete, 0 if none is
    int64_t lines = 0;  // how many lines end before that
    bool open = false;  // whether all that follows stands in quotes
};
RowsEnd find_rows_end(const char* bytes, int64_t size, int delimiter);

// Without `quotes` these are letters like any other. Row i, which is never blank, has the bytes starts[i] … ends[i] with its line end, and begins so many lines below the first.
struct SplitRows {
    std::vector<int64_t> starts, ends, lines;
    std::vector<int32_t> cells;
    bool open = false;  // whether the last row ends in quotes
};
SplitRows split_rows(const char* bytes, int64_t size, int delimiter, bool quotes, int64_t limit);

// The same rows without the blanks around their cells; those within quotes stay, and so does one in a row that has nothing else.
// Nothing if there are no such blanks.
std::optional<std::vector<uint8_t>> trim_cells(const char* bytes, int64_t size, char delimiter, bool quotes);

// Where something other than a blank follows a closing quote, though neither the cell nor the row ends there.
std::vector<int64_t> find_stray(const char* bytes, int64_t size, char delimiter);

// The number of lines that are not blank; -1 if one of them does not begin with { and end with }.
int64_t count_objects(const char* bytes, int64_t size);

// The nesting depth of JSON lists and objects.
int64_t find_depth(const char* bytes, int64_t size);

}  // namespace tallybayes
