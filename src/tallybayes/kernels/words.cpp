#include "words.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tallybayes {
namespace {

constexpr size_t ahead = 32;  // words whose numbers are on their way from memory
constexpr double nothing = -std::numeric_limits<double>::infinity();

// What is counted of one word in the class at hand: a cache line holds two.
struct alignas(32) Cell {
    uint64_t fraction = 0;   // Σ 1/length of the documents, in units of 2^-64 …
    uint64_t n = 0;
    uint32_t whole = 0;      // … and the whole part of it
    uint32_t documents = 0;
    uint32_t last = 0;       // the last document that had the word, counted from one
};

// Cuts one document after the other into numbered words.
class Reader {
public:
    Reader(const Documents& documents, const Reading& reading)
        : documents_(documents), reading_(reading), scratch_(kept), codes_(kept.found) {}
    ~Reader() {
        if (kept.text.bytes.size() > large) kept = Tokens{};
    }

    template <class Find>
    const std::vector<int32_t>& read(int64_t row, Find find) {
        cut(row);
        const size_t strange = reading_.vocabulary ? pass_over() : 0;
        find(scratch_.base, scratch_.spans, codes_);
        size_t kept = 0;
        for (size_t i = 0; i < codes_.size(); ++i) {
            codes_[kept] = codes_[i];
            kept += codes_[i] >= 0;
        }
        codes_.resize(kept);
        if (reading_.unknown >= 0) codes_.insert(codes_.end(), strange, reading_.unknown);
        if (reading_.once) keep_first();
        return codes_;
    }

private:
    // Leaves the words of the vocabulary; returns how many others there were.
    size_t pass_over() {
        std::vector<Span>& spans = scratch_.spans;
        reading_.vocabulary->look_up(scratch_.base, spans, codes_);
        size_t kept = 0;
        for (size_t i = 0; i < spans.size(); ++i)
            if (codes_[i] >= 0) spans[kept++] = spans[i];
        const size_t strange = spans.size() - kept;
        spans.resize(kept);
        return strange;
    }

    // Each word where it first comes: in an order that depends on the text alone.
    void keep_first() {
        first_.clear();
        for (size_t i = 0; i < codes_.size(); ++i) first_.push_back({codes_[i], uint32_t(i)});
        std::sort(first_.begin(), first_.end());
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        first_.erase(std::unique(first_.begin(), first_.end(), same), first_.end());
        std::sort(first_.begin(), first_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        codes_.clear();
        for (const auto& [code, at] : first_) codes_.push_back(code);
    }

    void cut(int64_t row) {
        const StringColumn& column = documents_.column;
        if (!documents_.tokens) {
            const std::string_view text = column[row];
            if (!reading_.tokeniser->cut(text.data(), text.size(), reading_.translation, scratch_)) throw NotUtf8(row);
            return;
        }
        scratch_.text.bytes.clear();
        scratch_.spans.clear();
        for (int64_t at = documents_.tokens[row]; at < documents_.tokens[row + 1]; ++at) {
            const std::string_view word = column[at];
            const size_t from = scratch_.text.bytes.size();
            if (from + word.size() > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
            if (word.empty()) continue;
            scratch_.spans.push_back({uint32_t(from), uint32_t(word.size())});
            scratch_.text.bytes.insert(scratch_.text.bytes.end(), word.begin(), word.end());
        }
        scratch_.text.bytes.insert(scratch_.text.bytes.end(), Text::padding, 0);
        scratch_.base = scratch_.text.bytes.data();
        if (reading_.translation || reading_.tokeniser->high > 1)
            reading_.tokeniser->join(scratch_.base, reading_.translation, scratch_);
    }

    const Documents& documents_;
    const Reading& reading_;
    static constexpr size_t large = 1 << 20;
    static thread_local Tokens kept;  // from call to call, so that a single text is read without asking for memory

    Tokens& scratch_;
    std::vector<int32_t>& codes_;
    std::vector<std::pair<int32_t, uint32_t>> first_;
};

thread_local Tokens Reader::kept;

// The rows of each class, one class after the other.
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

inline int64_t rounded(int64_t length) {
    const int spare = std::max(int(std::bit_width(uint64_t(length))) - 8, 0);
    return length >> spare << spare;
}

// The lengths that there are, in order, and the number of each document's.
void number(const std::vector<int64_t>& lengths, Counted& result) {
    std::vector<int64_t> met = lengths;
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    if (!met.empty() && met.front() < 0) met.erase(met.begin());
    for (const int64_t length : lengths) {
        const auto found = std::lower_bound(met.begin(), met.end(), length);
        result.codes.push_back(length < 0 ? -1 : int32_t(found - met.begin()));
    }
    result.sums.insert(result.sums.end(), met.begin(), met.end());
}

// Cells that were counted, as they came, class by class.
struct Taken {
    std::vector<Cell> cells;
    std::vector<int32_t> words, classes;

    void take(Pages<Cell>& from, std::vector<int32_t>& met, int32_t class_) {
        std::sort(met.begin(), met.end());
        for (const int32_t code : met) {
            cells.push_back(from[code]);
            words.push_back(code);
            classes.push_back(class_);
            from[code] = Cell{};
        }
        met.clear();
    }

    Counted blocks() const {
        const size_t count = cells.size();
        Counted result{int64_t(count), std::vector<int64_t>(5 * count), words};
        for (size_t i = 0; i < count; ++i) {
            result.sums[i] = int64_t(cells[i].n);
            result.sums[count + i] = cells[i].documents;
            int64_t* share = result.sums.data() + 2 * count + 3 * i;
            share[0] = int64_t(cells[i].fraction & 0xffffffff);
            share[1] = int64_t(cells[i].fraction >> 32);
            share[2] = cells[i].whole;
        }
        result.codes.insert(result.codes.end(), classes.begin(), classes.end());
        return result;
    }
};

}  // namespace

Counted count_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow,
                    const int32_t* classes, int width) {
    Taken taken;
    std::vector<int64_t> lengths(documents.rows, -1);
    const auto rows = rows_by_class(documents, classes, width);
    Pages<Cell> cells(index.size());
    std::vector<int32_t> met;
    Reader reader(documents, reading);
    for (int class_ = 0; class_ < width; ++class_) {
        for (const uint32_t row : rows[class_]) {
            const auto& codes = reader.read(row, [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
                index.encode(text, spans, grow, found);
            });
            if (cells.size() < size_t(index.size())) cells.resize(std::max<size_t>(index.size(), cells.size() * 2));
            const uint64_t length = codes.size();
            // 2^64 / length, rounded down; of a single word the whole, which `add` counts.
            const uint64_t part = length > 1 ? ~uint64_t(0) / length + (~uint64_t(0) % length == length - 1) : 0;
            for (size_t i = 0; i < codes.size(); ++i) {
                if (i + ahead < codes.size()) __builtin_prefetch(&cells[codes[i + ahead]], 1);
                const int32_t code = codes[i];
                Cell& cell = cells[code];
                if (!cell.n) met.push_back(code);
                cell.documents += cell.last != row + 1;  // without a branch: half of the words have come before
                cell.last = row + 1;
                add(cell, length, part);
            }
            lengths[row] = rounded(int64_t(length));
        }
        taken.take(cells, met, class_);
    }
    Counted result = taken.blocks();
    number(lengths, result);
    return result;
}

Listed list_words(const Documents& documents, const Reading& reading, StringIndex& index, bool grow) {
    Listed result;
    result.starts.push_back(0);
    Reader reader(documents, reading);
    std::vector<int32_t> sorted;
    for (int64_t row = 0; row < documents.rows; ++row) {
        if (!documents.is_missing(row)) {
            sorted = reader.read(row, [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
                index.encode(text, spans, grow, found);
            });
            std::sort(sorted.begin(), sorted.end());
            for (size_t i = 0, next; i < sorted.size(); i = next) {
                for (next = i; next < sorted.size() && sorted[next] == sorted[i];) ++next;
                result.words.push_back(sorted[i]);
                result.counts.push_back(int32_t(next - i));
            }
        }
        result.starts.push_back(int64_t(result.words.size()));
    }
    return result;
}

namespace {

void add_dense(const std::vector<int32_t>& codes, const Scores& said, double* total) {
    if (said.width == 2) {  // the common case, in registers
        double a = 0.0, b = 0.0;
        for (size_t i = 0; i < codes.size(); ++i) {
            if (i + ahead < codes.size()) __builtin_prefetch(&said.table[2 * int64_t(codes[i + ahead])]);
            a += said.table[2 * int64_t(codes[i])];
            b += said.table[2 * int64_t(codes[i]) + 1];
        }
        total[0] = a;
        total[1] = b;
        return;
    }
    std::fill(total, total + said.width, 0.0);
    for (const int32_t code : codes) {
        const double* row = said.table + code * said.width;
        for (int64_t c = 0; c < said.width; ++c) total[c] += row[c];
    }
}

void add_sparse(const std::vector<int32_t>& codes, const Scores& said, std::vector<uint8_t>& has, double* total) {
    std::fill(total, total + said.width, 0.0);
    double all = 0.0;
    for (const int32_t code : codes) {
        const int64_t start = said.starts[code], stop = said.starts[code + 1];
        for (int64_t at = start; at < stop; ++at) total[said.classes[at]] += said.cells[at];
        if (said.otherwise[code] != nothing) {
            all += said.otherwise[code];
            continue;
        }
        has.assign(size_t(said.width), 0);
        for (int64_t at = start; at < stop; ++at) has[said.classes[at]] = 1;
        for (int64_t c = 0; c < said.width; ++c)
            if (!has[c]) total[c] = nothing;
    }
    for (int64_t c = 0; c < said.width; ++c) total[c] += all + double(codes.size()) * said.each[c];
}

}  // namespace

void add_words(const Documents& documents, const Reading& reading, const StringIndex& index, const Scores& said,
               double* scores, int64_t stride, int64_t* lengths) {
    Reader reader(documents, reading);
    std::vector<double> total(said.width);
    std::vector<uint8_t> has;
    for (int64_t row = 0; row < documents.rows; ++row) {
        lengths[row] = -1;
        if (documents.is_missing(row)) continue;
        const auto& codes = reader.read(row, [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
            index.look_up(text, spans, found);
        });
        if (said.table)
            add_dense(codes, said, total.data());
        else
            add_sparse(codes, said, has, total.data());
        lengths[row] = int64_t(codes.size());
        for (int64_t c = 0; c < said.width; ++c) scores[c * stride + row] += total[c];
    }
}

}  // namespace tallybayes
