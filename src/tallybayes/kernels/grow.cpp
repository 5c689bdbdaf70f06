#include "grow.hpp"

#include <algorithm>
#include <numeric>

#include "forest.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr size_t few = 64;       // rows that are sorted faster than counted; at most 256
constexpr ptrdiff_t enough = 8;  // rows of a node that is still split if classes do not matter

class Chance {
public:
    explicit Chance(uint64_t seed) : state_(seed) {}
    uint64_t below(uint64_t n) { return uint64_t((__uint128_t(next()) * n) >> 64); }
    bool coin() { return next() >> 63; }

private:
    uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15u); }
    uint64_t state_;
};

struct Question {
    double worth = -1.0;  // for both sides, Σ squares of the class weights divided by the weight of the side
    uint16_t column = 0;
    uint8_t low = 0, span = 0;

    bool yes(uint8_t code) const { return uint8_t(code - low) <= span; }
};

// The class weights on the two sides of a question, as rows move from one to the other.
class Sides {
public:
    explicit Sides(const std::vector<double>& all) : no_(all), yes_(all.size(), 0.0) {}

    void reset(const std::vector<double>& all) {
        no_ = all;
        std::fill(yes_.begin(), yes_.end(), 0.0);
        yes_square_ = yes_weight_ = no_square_ = no_weight_ = 0.0;
        for (double n : all) no_square_ += n * n, no_weight_ += n;
    }
    void move(int32_t label, double weight) {
        double &yes = yes_[size_t(label)], &no = no_[size_t(label)];
        yes_square_ += weight * (2.0 * yes + weight);
        no_square_ += weight * (weight - 2.0 * no);
        yes += weight, no -= weight;
        yes_weight_ += weight, no_weight_ -= weight;
    }
    double worth() const {
        if (yes_weight_ <= 0.0 || no_weight_ <= 0.0) return -1.0;
        return yes_square_ / yes_weight_ + no_square_ / no_weight_;
    }
    double lean() const { return yes_weight_ - no_weight_; }

private:
    std::vector<double> no_, yes_;
    double yes_square_ = 0.0, yes_weight_ = 0.0, no_square_ = 0.0, no_weight_ = 0.0;
};

// A row as a question about one column sees it.
struct Seen {
    double weight;
    int32_t label;
    uint8_t code;
};

class Grower {
public:
    Grower(const GrownRows& given, Questions questions, int64_t tried, uint64_t seed, uint64_t tree)
        : given_(given), questions_(questions), tried_(tried), chance_(seed + tree * 0xd1342543de82ef95u),
          all_(size_t(given.classes)), sides_(all_), columns_(size_t(given.columns)) {
        std::iota(columns_.begin(), columns_.end(), 0);
        for (int64_t row = 0; row < given.rows; ++row)
            if (given.marks[row] == common_mark || grown_with(given.marks[row], tree)) rows_.push_back(uint32_t(row));
    }

    std::vector<int64_t> grow() {
        struct Task {
            uint32_t node, first, last;
        };
        std::vector<Task> tasks{{0, 0, uint32_t(rows_.size())}};
        nodes_.assign(1, leaf(0));
        Patience patience;
        while (!tasks.empty()) {
            const Task task = tasks.back();
            tasks.pop_back();
            patience.spend(int64_t(task.last - task.first) * tried_);
            uint32_t* first = rows_.data() + task.first;
            uint32_t* last = rows_.data() + task.last;
            const Question found = ask(first, last);
            if (found.worth < 0.0) continue;
            const uint8_t* codes = column(found.column);
            uint32_t* middle = std::partition(first, last, [&](uint32_t row) { return found.yes(codes[row]); });
            if (middle == first || middle == last) continue;
            const uint32_t yes = uint32_t(nodes_.size()), split = uint32_t(middle - rows_.data());
            nodes_[task.node] = int64_t(Node{yes, found.column, found.low, found.span}.pack());
            nodes_.push_back(leaf(yes));
            nodes_.push_back(leaf(yes + 1));
            tasks.push_back({yes + 1, split, task.last});
            tasks.push_back({yes, task.first, split});
        }
        return std::move(nodes_);
    }

private:
    static int64_t leaf(uint32_t at) { return int64_t(Node{at, 0, 0, 255}.pack()); }
    const uint8_t* column(int64_t j) const { return given_.codes + j * given_.rows; }
    double weight(uint32_t row) const { return given_.weights ? given_.weights[row] : 1.0; }

    // The best of the questions tried; negative worth if the rows need not or cannot be split.
    Question ask(const uint32_t* first, const uint32_t* last) {
        Question best;
        const ptrdiff_t least = std::max(ptrdiff_t(given_.least), questions_ == Questions::random ? enough : 2);
        if (last - first < least || !has_several(first, last)) return best;
        int64_t found = 0;
        for (size_t left = columns_.size(); left && found < tried_; --left) {
            std::swap(columns_[left - 1], columns_[size_t(chance_.below(left))]);
            const int64_t j = columns_[left - 1];
            const Question rival = questions_ == Questions::best ? best_of(j, first, last) : drawn_of(j, first, last);
            found += rival.worth >= 0.0;
            if (rival.worth > best.worth) best = rival;
            if (found && questions_ == Questions::random) break;
        }
        return best;
    }

    // Sums the class weights; returns whether there is more than one class, if that matters.
    bool has_several(const uint32_t* first, const uint32_t* last) {
        std::fill(all_.begin(), all_.end(), 0.0);
        for (const uint32_t* row = first; row < last; ++row) all_[size_t(given_.labels[*row])] += weight(*row);
        return questions_ == Questions::random || std::count_if(all_.begin(), all_.end(), [](double n) { return n > 0; }) > 1;
    }

    // The rows' codes in ascending order, and the label and the weight of each.
    void sort(const uint8_t* codes, const uint32_t* first, const uint32_t* last) {
        const size_t count = size_t(last - first);
        sorted_.resize(count);
        const auto put = [&](size_t at, uint32_t row) { sorted_[at] = {weight(row), given_.labels[row], codes[row]}; };
        if (count <= few) {
            uint16_t keys[few];
            for (size_t i = 0; i < count; ++i) keys[i] = uint16_t(codes[first[i]] << 8 | i);
            std::sort(keys, keys + count);
            for (size_t i = 0; i < count; ++i) put(i, first[keys[i] & 255]);
            return;
        }
        uint32_t starts[257] = {};
        for (const uint32_t* row = first; row < last; ++row) ++starts[codes[*row] + 1];
        for (int code = 0; code < 256; ++code) starts[code + 1] += starts[code];
        for (const uint32_t* row = first; row < last; ++row) put(starts[codes[*row]]++, *row);
    }

    Question best_of(int64_t j, const uint32_t* first, const uint32_t* last) {
        const uint8_t* codes = column(j);
        Question best;
        const auto [low, high] = ends(codes, first, last);
        if (low == high) return best;
        sort(codes, first, last);
        const auto rival = [&](double worth, uint8_t from, uint8_t to) {
            if (worth > best.worth) best = {worth, uint16_t(j), from, uint8_t(to - from)};
        };
        sweep(0, low, rival);
        if (low == 0) sweep(1, low, rival);
        if (given_.nominal[j]) single(rival);
        return best;
    }

    // Tries questions whether a code is from `from` to each code that occurs. If none is missing, missing ones go to the
    // larger side.
    template <class Rival>
    void sweep(uint8_t from, uint8_t low, Rival rival) {
        sides_.reset(all_);
        const size_t count = sorted_.size();
        for (size_t i = 0; i < count; ++i) {
            const Seen& seen = sorted_[i];
            if (seen.code < from) continue;
            sides_.move(seen.label, seen.weight);
            if (i + 1 == count && from == 0) break;
            if (i + 1 < count && sorted_[i + 1].code == seen.code) continue;
            rival(sides_.worth(), from == 0 && low > 0 && sides_.lean() < 0.0 ? uint8_t(1) : from, seen.code);
        }
    }

    // Tries questions whether a code is a given one.
    template <class Rival>
    void single(Rival rival) {
        const size_t count = sorted_.size();
        for (size_t start = 0, end; start < count; start = end) {
            const uint8_t code = sorted_[start].code;
            sides_.reset(all_);
            for (end = start; end < count && sorted_[end].code == code; ++end)
                sides_.move(sorted_[end].label, sorted_[end].weight);
            rival(sides_.worth(), code, code);
        }
    }

    Question drawn_of(int64_t j, const uint32_t* first, const uint32_t* last) {
        const uint8_t* codes = column(j);
        const auto [low, high] = ends(codes, first, last);
        if (low == high) return {};
        Question found{0.0, uint16_t(j), 0, 0};
        const uint8_t some = codes[first[chance_.below(uint64_t(last - first))]];
        if (given_.nominal[j] && chance_.coin()) {
            found.low = some;
        } else {
            const uint8_t top = uint8_t(low + chance_.below(uint64_t(high - low)));
            found.low = top > 0 && chance_.coin();
            found.span = uint8_t(top - found.low);
        }
        sides_.reset(all_);
        for (const uint32_t* row = first; row < last; ++row)
            if (found.yes(codes[*row])) sides_.move(given_.labels[*row], weight(*row));
        found.worth = questions_ == Questions::random ? std::min(sides_.worth(), 0.0) : sides_.worth();
        return found;
    }

    std::pair<uint8_t, uint8_t> ends(const uint8_t* codes, const uint32_t* first, const uint32_t* last) const {
        uint8_t low = 255, high = 0;
        for (const uint32_t* row = first; row < last; ++row) {
            low = std::min(low, codes[*row]);
            high = std::max(high, codes[*row]);
        }
        return {low, high};
    }

    const GrownRows& given_;
    const Questions questions_;
    const int64_t tried_;
    Chance chance_;
    std::vector<double> all_;
    Sides sides_;
    std::vector<int64_t> columns_;
    std::vector<uint32_t> rows_;
    std::vector<Seen> sorted_;
    std::vector<int64_t> nodes_;
};

}  // namespace

std::vector<int64_t> grow_tree(const GrownRows& given, Questions questions, int64_t tried, uint64_t seed, uint64_t tree) {
    return Grower(given, questions, tried, seed, tree).grow();
}

}  // namespace tallybayes
