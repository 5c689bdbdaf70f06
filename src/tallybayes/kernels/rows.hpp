// Where the rows of a CSV or TSV text begin and end, before their cells are parsed.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tallybayes {

// A row ends with \n, \r\n or \r outside quotes. A quote counts only at the start of a cell, possibly after blanks (spaces
// and tabs, unless they are the delimiter); text after the closing quote is kept. With a negative delimiter there are no
// cells and no quotes, and rows are lines.
constexpr int no_delimiter = -1;

struct RowsEnd {
    int64_t end = 0;    // just after the last complete row; 0 if there is none
    int64_t lines = 0;  // the number of lines that end before that
    bool open = false;  // whether the rest is inside quotes
};
RowsEnd find_rows_end(const char* bytes, int64_t size, int delimiter);

// Without `quotes`, these are ordinary characters. Row i, which is never blank, has the bytes starts[i] … ends[i]
// including its line end, and begins lines[i] lines below the first.
struct SplitRows {
    std::vector<int64_t> starts, ends, lines;
    std::vector<int32_t> cells;
    bool open = false;  // whether the last row ends inside quotes
};
SplitRows split_rows(const char* bytes, int64_t size, int delimiter, bool quotes, int64_t limit);

// The same rows without blanks around cells; blanks inside quotes are kept, and so is one in a row that has nothing else.
// Empty if there are no such blanks.
std::optional<std::vector<uint8_t>> trim_cells(const char* bytes, int64_t size, char delimiter, bool quotes);

// The positions at which text other than blanks follows a closing quote within a cell.
std::vector<int64_t> find_stray(const char* bytes, int64_t size, char delimiter);

// The number of lines that are not blank; -1 if one of them does not begin with { and end with }.
int64_t count_objects(const char* bytes, int64_t size);

// The nesting depth of JSON lists and objects, how many different names their fields have, and how many items of lists are
// objects or null: Arrow makes a cell of each for every name.
struct JsonShape {
    int64_t depth, names, items;
};
JsonShape find_shape(const char* bytes, int64_t size);

}  // namespace tallybayes
