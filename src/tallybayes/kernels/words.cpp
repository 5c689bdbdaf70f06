#include "words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "reader.hpp"
#include "urn.hpp"

namespace tallybayes {
namespace {

constexpr ptrdiff_t ahead = 32;  // words whose numbers are prefetched
constexpr double nothing = -std::numeric_limits<double>::infinity();

// The counts of one word in the current class: a cache line holds two.
struct alignas(32) Cell {
    uint64_t fraction = 0;   // Σ 1/length of the documents, in units of 2^-64 …
    uint64_t n = 0;
    uint32_t whole = 0;      // … and its integer part
    uint32_t documents = 0;
    uint32_t last = 0;       // the last document that had the word, counted from one
};

// The rows of each class.
std::vector<std::vector<uint32_t>> rows_by_class(const Documents& documents, const int32_t* classes, int width) {
    if (documents.rows >= std::numeric_limits<uint32_t>::max()) throw std::length_error("more than 2^32 rows in a batch");
    std::vector<std::vector<uint32_t>> rows(width);
    for (int64_t row = 0; row < documents.rows; ++row) {
        if (classes[row] >= width) throw std::out_of_range("a row's class is not among the classes");
        if (classes[row] >= 0 && !documents.is_missing(row)) rows[classes[row]].push_back(uint32_t(row));
    }
    return rows;
}

inline void add(Cell& cell, uint64_t length, uint64_t part) {
    ++cell.n;
    cell.fraction += part;
    cell.whole += (cell.fraction < part) + (length == 1);
}

// Lengths to eight significant bits, numbered in ascending order.
struct Lengths {
    static constexpr int digits = 8, half = 1 << (digits - 1);
    static constexpr size_t most = 64 * half;  // an upper bound of the numbers

    static int32_t number(uint64_t length) {
        const int spare = std::max(int(std::bit_width(length)) - digits, 0);
        return int32_t(spare * half + int64_t(length >> spare));
    }
    static int64_t length(int32_t number) {
        const int spare = std::max(number / half - 1, 0);
        return int64_t(number - spare * half) << spare;
    }
};

// The lengths that occur, sorted; and replaces each document's length by its index among these.
void number(std::vector<int32_t>& lengths, Counted& result) {
    int32_t longest = -1;
    for (const int32_t length : lengths) longest = std::max(longest, length);
    std::vector<int32_t> numbers(size_t(longest) + 2, -1);  // the first is for documents that were not counted
    for (const int32_t length : lengths) numbers[size_t(length + 1)] = 0;
    numbers[0] = -1;
    int32_t met = 0;
    for (int32_t length = 0; length <= longest; ++length) {
        if (numbers[size_t(length + 1)] < 0) continue;
        numbers[size_t(length + 1)] = met++;
        result.sums.push_back(Lengths::length(length));
    }
    for (int32_t& length : lengths) length = numbers[size_t(length + 1)];
    result.codes.insert(result.codes.end(), lengths.begin(), lengths.end());
}

// 2^64 / length, rounded down; for a single word 0, since `add` counts the integer part.
constexpr uint64_t divide(uint64_t length) {
    return length > 1 ? ~uint64_t(0) / length + ((length & (length - 1)) == 0) : 0;
}

constexpr auto few_parts = [] {
    std::array<uint64_t, 64> parts{};
    for (size_t length = 0; length < parts.size(); ++length) parts[length] = divide(length);
    return parts;
}();

inline uint64_t part_of(uint64_t length) { return length < few_parts.size() ? few_parts[length] : divide(length); }

// Counted cells in order of occurrence, class by class.
class Taken {
public:
    void take(Pages<Cell>& from, std::vector<int32_t>& met, int32_t class_) {
        sort_in_stretches(met.begin(), met.end());
        make_room(cells.size() + met.size());
        in_stretches(met.begin(), met.end(), [&](auto first, auto last) {
            for (; first < last; ++first) {
                cells.push_back(from[*first]);
                words.push_back(*first);
                classes.push_back(class_);
                from[*first] = Cell{};
            }
        });
        met.clear();
    }

    // Leaves room for this many numbers after them, since making room later would move everything.
    Counted blocks(size_t more) {
        const size_t count = cells.size();
        Counted result{int64_t(count), {}, std::move(words)};
        result.sums.reserve(5 * count + more);
        lengthen(result.sums, 5 * count);
        in_stretches(ptrdiff_t(0), ptrdiff_t(count), [&](ptrdiff_t first, ptrdiff_t last) {
            for (auto i = size_t(first); i < size_t(last); ++i) {
                result.sums[i] = int64_t(cells[i].n);
                result.sums[count + i] = cells[i].documents;
                int64_t* share = result.sums.data() + 2 * count + 3 * i;
                share[0] = int64_t(cells[i].fraction & 0xffffffff);
                share[1] = int64_t(cells[i].fraction >> 32);
                share[2] = cells[i].whole;
            }
        });
        Pages<Cell>().swap(cells);  // freeing this much memory takes time
        heed_signals();
        result.codes.insert(result.codes.end(), classes.begin(), classes.end());
        return result;
    }

private:
    void make_room(size_t size) {
        if (size <= cells.capacity()) return;
        size = std::max(size, 2 * cells.capacity());
        cells.reserve(size);
        words.reserve(size);
        classes.reserve(size);
    }

    Pages<Cell> cells;
    std::vector<int32_t> words, classes;
};

}  // namespace

Counted count_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow,
                    const int32_t* classes, int width) {
    Taken taken;
    std::vector<int32_t> lengths(documents.rows, -1);
    const auto rows = rows_by_class(documents, classes, width);
    {
        Pages<Cell> cells(index.size());
        std::vector<int32_t> met;
        Reader reader(documents, reading);
        const auto find = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
            index.encode(text, spans, grow, found);
            if (cells.size() < size_t(index.size())) lengthen(cells, std::max<size_t>(index.size(), cells.size() * 2));
        };
        const auto count = [&](const Read& read) {
            const uint64_t length = read.size(), part = part_of(length);
            const uint32_t document = uint32_t(read.row) + 1;
            in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) {
                for (const int32_t* code = first; code < last; ++code) {
                    if (read.behind - code > ahead) __builtin_prefetch(&cells[code[ahead]], 1);
                    Cell& cell = cells[*code];
                    if (!cell.n) met.push_back(*code);
                    cell.documents += cell.last != document;  // without a branch, since half of the words have occurred before
                    cell.last = document;
                    add(cell, length, part);
                }
            });
            lengths[read.row] = Lengths::number(length);
        };
        for (int class_ = 0; class_ < width; ++class_) {
            auto next = rows[class_].begin();
            const auto end = rows[class_].end();
            reader.each([&] { return next == end ? int64_t(-1) : int64_t(*next++); }, find, count);
            taken.take(cells, met, class_);
        }
    }
    heed_signals();
    Counted result = taken.blocks(std::min(lengths.size(), Lengths::most));
    number(lengths, result);
    return result;
}

Listed list_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow) {
    Listed result;
    std::vector<int32_t> sorted;
    const auto find = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
        index.encode(text, spans, grow, found);
    };
    const auto list = [&](const Read& read) {
        result.starts.resize(size_t(read.row) + 1, int64_t(result.words.size()));
        sorted.assign(read.begin(), read.end());
        sort_in_stretches(sorted.begin(), sorted.end());
        for (size_t i = 0, next; i < sorted.size(); i = next) {
            for (next = i; next < sorted.size() && sorted[next] == sorted[i];) ++next;
            result.words.push_back(sorted[i]);
            result.counts.push_back(int32_t(next - i));
        }
    };
    Reader(documents, reading).each(Present(documents), find, list);
    result.starts.resize(size_t(documents.rows) + 1, int64_t(result.words.size()));
    return result;
}

namespace {

void add_dense(const Read& read, const Scores& evidence, double* total) {
    if (evidence.width == 2) {  // the common case, in registers
        double a = 0.0, b = 0.0;
        in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) {
            for (const int32_t* code = first; code < last; ++code) {
                if (read.behind - code > ahead) __builtin_prefetch(&evidence.table[2 * int64_t(code[ahead])]);
                a += evidence.table[2 * int64_t(*code)];
                b += evidence.table[2 * int64_t(*code) + 1];
            }
        });
        total[0] = a;
        total[1] = b;
        return;
    }
    std::fill(total, total + evidence.width, 0.0);
    in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) {
        for (; first < last; ++first) {
            const double* row = evidence.table + *first * evidence.width;
            for (int64_t c = 0; c < evidence.width; ++c) total[c] += row[c];
        }
    });
}

void add_sparse(const Read& read, const Scores& evidence, std::vector<uint8_t>& has, double* total) {
    std::fill(total, total + evidence.width, 0.0);
    double all = 0.0;
    const auto add = [&](int32_t code) {
        const int64_t start = evidence.starts[code], stop = evidence.starts[code + 1];
        for (int64_t at = start; at < stop; ++at) total[evidence.classes[at]] += evidence.cells[at];
        if (evidence.otherwise[code] != nothing) {
            all += evidence.otherwise[code];
            return;
        }
        has.assign(size_t(evidence.width), 0);
        for (int64_t at = start; at < stop; ++at) has[evidence.classes[at]] = 1;
        for (int64_t c = 0; c < evidence.width; ++c)
            if (!has[c]) total[c] = nothing;
    };
    in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) { std::for_each(first, last, add); });
    for (int64_t c = 0; c < evidence.width; ++c) total[c] += all + double(read.size()) * evidence.each[c];
}

}  // namespace

void add_words(const Documents& documents, const Reading& reading, const StringIndex& index, const Scores& evidence,
               double* scores, int64_t stride, int64_t* lengths) {
    std::vector<double> total(evidence.width);
    std::vector<uint8_t> has;
    Urn urn(evidence, index.size());
    const auto find = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
        index.look_up(text, spans, found);
    };
    const auto score = [&](const Read& read) {
        if (evidence.table)
            add_dense(read, evidence, total.data());
        else
            add_sparse(read, evidence, has, total.data());
        if (evidence.urn) urn.add_again(read, total.data());
        lengths[read.row] = int64_t(read.size());
        for (int64_t c = 0; c < evidence.width; ++c) scores[c * stride + read.row] += total[c];
    };
    std::fill(lengths, lengths + documents.rows, -1);
    Reader(documents, reading).each(Present(documents), find, score);
}

}  // namespace tallybayes
