#include "tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "both.hpp"

namespace tallybayes {

namespace {

constexpr int64_t few = 1 << 13;  // cells: several tables of so many stay in the cache
constexpr int64_t most_rows = UINT32_MAX;  // that are counted in them

// The cell of each row in a table with one more level and class, for codes that are out of range.
template <class Code>
INLINE void write_cells(const Code* codes, const int32_t* classes, int64_t rows, uint32_t levels, uint32_t width, uint32_t* cells) {
    for (int64_t row = 0; row < rows; ++row)
        cells[row] = std::min(uint32_t(codes[row]), levels) * (width + 1) + std::min(uint32_t(classes[row]), width);
}

BOTH void cells_of(const int32_t* codes, const int32_t* classes, int64_t rows, uint32_t levels, uint32_t width, uint32_t* cells) {
    write_cells(codes, classes, rows, levels, width, cells);
}

BOTH void cells_of(const int8_t* codes, const int32_t* classes, int64_t rows, uint32_t levels, uint32_t width, uint32_t* cells) {
    write_cells(codes, classes, rows, levels, width, cells);
}

// No branch tells rows that are out of range, which may be every second one. Rows are counted in four tables in turn, since
// adding to a cell twice in a row has to wait.
template <class Code>
void count_few(const Code* codes, const int32_t* classes, int64_t rows, int64_t levels, int64_t width, int64_t* counts) {
    constexpr int64_t tables = 4, together = 1024;
    const int64_t size = (levels + 1) * (width + 1);
    std::vector<uint32_t> found(size_t(tables * size));
    uint32_t cells[together];
    for (int64_t first = 0; first < rows; first += together) {
        const int64_t some = std::min(together, rows - first);
        cells_of(codes + first, classes + first, some, uint32_t(levels), uint32_t(width), cells);
        uint32_t *one = found.data(), *two = one + size, *three = two + size, *four = three + size;
        int64_t row = 0;
        for (; row + tables <= some; row += tables) {
            ++one[cells[row]];
            ++two[cells[row + 1]];
            ++three[cells[row + 2]];
            ++four[cells[row + 3]];
        }
        for (; row < some; ++row) ++one[cells[row]];
    }
    for (int64_t table = 0; table < tables; ++table)
        for (int64_t level = 0; level < levels; ++level)
            for (int64_t c = 0; c < width; ++c) counts[level * width + c] += found[size_t(table * size + level * (width + 1) + c)];
}

}  // namespace

template <class Code>
void count_codes(const Code* codes, const int32_t* classes, int64_t rows, int64_t levels, int64_t width, int64_t* counts) {
    if (levels * width <= few && rows > levels * width && rows <= most_rows) return count_few(codes, classes, rows, levels, width, counts);
    // As unsigned numbers, negative ones are out of range too.
    for (int64_t row = 0; row < rows; ++row)
        if (uint32_t(codes[row]) < uint64_t(levels) && uint32_t(classes[row]) < uint64_t(width))
            ++counts[codes[row] * width + classes[row]];
}

template void count_codes(const int8_t*, const int32_t*, int64_t, int64_t, int64_t, int64_t*);
template void count_codes(const int32_t*, const int32_t*, int64_t, int64_t, int64_t, int64_t*);

void add_table(const int32_t* codes, int64_t rows, const double* table, int64_t levels, int64_t classes, double* scores,
               int64_t stride) {
    if (classes == 2) {  // the common case, without an inner loop
        for (int64_t row = 0; row < rows; ++row) {
            if (uint32_t(codes[row]) >= uint64_t(levels)) continue;
            scores[row] += table[2 * int64_t(codes[row])];
            scores[stride + row] += table[2 * int64_t(codes[row]) + 1];
        }
        return;
    }
    for (int64_t row = 0; row < rows; ++row) {
        if (uint32_t(codes[row]) >= uint64_t(levels)) continue;
        const double* evidence = table + codes[row] * classes;
        for (int64_t c = 0; c < classes; ++c) scores[c * stride + row] += evidence[c];
    }
}

namespace {

// The largest power of two that is not above the number of cuts, or 0.
int64_t first_step(int64_t count) { return int64_t(std::bit_floor(uint64_t(count))); }

// The number of sorted cuts that are ≤ the value.
int64_t find_interval(double value, const double* cuts, int64_t count, int64_t step) {
    int64_t at = 0;
    for (; step > 0; step /= 2) {  // no branch that depends on the value
        const int64_t next = at + step <= count ? at + step : count;
        at = cuts[next - 1] <= value ? next : at;
    }
    return at;
}

// The same for many values, which take each step together: one does not wait for another.
template <class Number, class Use>
INLINE void search(const Number* values, int64_t count, const Number* cuts, int64_t size, Use use) {
    constexpr int64_t stretch = 64;
    const int32_t most = int32_t(size), widest = int32_t(first_step(size));
    int32_t at[stretch];
    for (int64_t first = 0; first < count; first += stretch) {
        const int64_t some = std::min(stretch, count - first);
        const Number* from = values + first;
        std::fill_n(at, some, 0);
        for (int32_t step = widest; step > 0; step /= 2)
            for (int64_t i = 0; i < some; ++i) {
                const int32_t next = std::min(at[i] + step, most);
                at[i] = cuts[next - 1] <= from[i] ? next : at[i];
            }
        for (int64_t i = 0; i < some; ++i) use(first + i, at[i]);
    }
}

}  // namespace

BOTH void find_intervals(const double* x, int64_t rows, const double* cuts, int64_t count, int32_t* codes) {
    search(x, rows, cuts, count, [&](int64_t row, int32_t at) INLINED { codes[row] = x[row] == x[row] ? at : -1; });
}

BOTH void find_keys(const int64_t* wanted, int64_t count, const int64_t* keys, const int64_t* places, int64_t size, int64_t* found) {
    search(wanted, count, keys, size, [&](int64_t i, int32_t at) INLINED {
        found[i] = at > 0 && keys[at - 1] == wanted[i] ? places[at - 1] : -1;
    });
}

void find_intervals(const double* x, const int32_t* lists, int64_t rows, const double* cuts, const int64_t* ends, int64_t count,
                    int32_t* codes) {
    if (count == 1) return find_intervals(x, rows, cuts, ends[0], codes);
    struct List {
        int64_t start, size, step;
    };
    std::vector<List> all;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t start = i ? ends[i - 1] : 0, size = ends[i] - start;
        all.push_back({start, size, first_step(size)});
    }
    for (int64_t row = 0; row < rows; ++row) {
        const auto& [start, size, step] = all[lists[row]];
        codes[row] = x[row] == x[row] ? int32_t(start + lists[row] + find_interval(x[row], cuts + start, size, step)) : -1;
    }
}

void add_intervals(const double* x, int64_t rows, const double* edges, int64_t count, double half, const double* table,
                   int64_t classes, double* scores, int64_t stride) {
    constexpr int64_t stretch = 256;
    int32_t codes[stretch];
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t some = std::min(stretch, rows - first);
        find_intervals(x + first, some, edges, count, codes);
        add_table(codes, some, table, count + 1, classes, scores + first, stride);
        for (int64_t row = 0; row < some; ++row) {
            if (codes[row] < 0 || (codes[row] > 0 && codes[row] < count)) continue;
            const double edge = codes[row] == 0 ? edges[0] : edges[count - 1];
            const double away = std::fabs(x[first + row] * 0.5 - edge * 0.5);
            const bool fits = std::isfinite(half + away);
            const double fall = 2.0 * (fits ? std::log(half + away) : std::log(half * 0.5 + away * 0.5) + std::log(2.0));
            for (int64_t c = 0; c < classes; ++c) scores[c * stride + first + row] -= fall;
        }
    }
}

int64_t add_table(const double* codes, int64_t rows, const double* table, int64_t levels, int64_t classes, double* scores,
                  int64_t stride) {
    int64_t others = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const double x = codes[row];
        const bool within = x >= 0.0 && x < double(levels);
        const int64_t code = within ? int64_t(x) : 0;
        if (!within || double(code) != x) {
            others += x == x ? 1 : 0;
            continue;
        }
        for (int64_t c = 0; c < classes; ++c) scores[c * stride + row] += table[code * classes + c];
    }
    return others;
}

int64_t add_rows(int64_t* target, const int64_t* rows, int64_t count, int64_t width, const int64_t* values, int64_t sign) {
    int64_t largest = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int64_t k = 0; k < width; ++k) {
            int64_t& sum = target[rows[i] * width + k];
            sum += sign * values[i * width + k];
            largest = std::max(largest, sum < 0 ? -sum : sum);
        }
    return largest;
}

}  // namespace tallybayes
