#include "written.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "carry.hpp"

namespace tallybayes {
namespace {

constexpr int64_t most_limbs = 400;  // more than any sum of products of doubles needs
constexpr size_t most_cells = size_t(1) << 29;  // whose limbs can be added without a carry
constexpr uint64_t small = uint64_t(1) << 61;

// A number as unsigned limbs, without leading and trailing zeros.
struct Number {
    bool negative = false;
    int64_t low = 0;
    std::vector<uint32_t> limbs;
};

// Whether these are digits already, as in most rows.
bool are_carried(const int64_t* limbs, int64_t size) {
    return std::all_of(limbs, limbs + size, [](int64_t limb) { return uint64_t(limb) >> 32 == 0; });
}

// The number is reused, since its memory would cost more than its limbs.
void make_number(const int64_t* limbs, int64_t size, int64_t low, Number& number) {
    number.negative = false;
    number.low = 0;
    number.limbs.clear();
    if (are_carried(limbs, size)) {
        while (size && !limbs[size - 1]) --size;
        if (!size) return;
        for (; !*limbs; ++limbs, --size) ++low;
        number.low = low;
        number.limbs.assign(limbs, limbs + size);
        return;
    }
    const Used used = find_used(limbs, 1, size);
    if (used.first == used.last) return;
    std::vector<int64_t> carried(size_t(used.last - used.first));
    carry(limbs, 1, size, used, carried.data());
    number.negative = carried.back() < 0;
    number.low = low + used.first;
    for (int64_t limb : carried) number.limbs.push_back(uint32_t(number.negative ? -limb : limb));
}

void write_length(std::string& out, uint64_t length) {
    for (; length >= 128; length >>= 7) out.push_back(char(length | 128));
    out.push_back(char(length));
}

// An even code is an integer below 2^61 with its sign in the next bit; an odd one is the number of limbs that follow.
void write_whole(std::string& out, bool negative, uint64_t value) { write_length(out, value << 2 | uint64_t(negative) << 1); }

void write_number(std::string& out, const int64_t* limbs, int64_t size, int64_t low, Number& number) {
    if (size == 1 && low == 0 && uint64_t(std::abs(limbs[0])) < small)
        return write_whole(out, limbs[0] < 0, uint64_t(std::abs(limbs[0])));
    make_number(limbs, size, low, number);
    if (number.low >= 0 && number.low + int64_t(number.limbs.size()) <= 2) {
        uint64_t value = 0;
        for (size_t i = 0; i < number.limbs.size(); ++i) value |= uint64_t(number.limbs[i]) << (32 * (number.low + int64_t(i)));
        if (value < small) return write_whole(out, number.negative, value);
    }
    write_length(out, uint64_t(number.limbs.size()) << 2 | uint64_t(number.negative) << 1 | 1);
    write_length(out, uint64_t(number.low < 0 ? -2 * number.low - 1 : 2 * number.low));
    for (uint32_t limb : number.limbs)
        for (int shift = 0; shift < 32; shift += 8) out.push_back(char(limb >> shift));
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    bool done() const { return at_ == end_; }

    uint64_t length() {
        uint64_t found = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const uint8_t byte = uint8_t(*take(1));
            found |= uint64_t(byte & 127) << shift;
            if (byte < 128) return found;
        }
        throw NotWritten("a length has no end");
    }

    std::string_view text() {
        const uint64_t size = length();
        return {take(size), size_t(size)};
    }

    void number(Number& number) {
        number.limbs.clear();
        number.low = 0;
        const uint64_t tag = length();
        number.negative = tag >> 1 & 1;
        if (tag & 1) {
            if (tag >> 2 > uint64_t(most_limbs)) throw NotWritten("a number is too long");
            const uint64_t low = length();
            if (low > 2 * uint64_t(most_limbs)) throw NotWritten("a number is too small");
            number.low = low & 1 ? -int64_t(low / 2) - 1 : int64_t(low / 2);
            for (uint64_t i = 0; i < tag >> 2; ++i) {
                uint32_t limb = 0;
                const char* bytes = take(4);
                for (int j = 0; j < 4; ++j) limb |= uint32_t(uint8_t(bytes[j])) << (8 * j);
                number.limbs.push_back(limb);
            }
        } else {
            for (uint64_t value = tag >> 2; value; value >>= 32) number.limbs.push_back(uint32_t(value));
            while (!number.limbs.empty() && !number.limbs.front()) ++number.low, number.limbs.erase(number.limbs.begin());
        }
    }

private:
    const char* take(uint64_t size) {
        if (size > uint64_t(end_ - at_)) throw NotWritten("the bytes are cut short");
        at_ += size;
        return at_ - size;
    }

    const char *at_, *end_;
};

// Every cell of every text: its label, and after that `each(kind, number)` for each kind of numbers.
template <class Label, class Each>
void each_cell(const std::vector<std::string_view>& texts, size_t kinds, Label label, Each each) {
    Number number;
    for (std::string_view text : texts) {
        Reader reader(text);
        std::string_view last;
        const uint64_t cells = reader.length();
        if (cells > text.size()) throw NotWritten("the bytes are cut short");
        for (uint64_t cell = 0; cell < cells; ++cell) {
            const std::string_view found = reader.text();
            if (cell && found <= last) throw NotWritten("the labels are not in order");
            label(last = found);
            for (size_t kind = 0; kind < kinds; ++kind) {
                reader.number(number);
                each(kind, number);
            }
        }
        if (!reader.done()) throw NotWritten("something follows the last cell");
    }
}

}  // namespace

std::string write_cells(const std::vector<std::string_view>& labels, const std::vector<Sums>& sums) {
    std::vector<size_t> order(labels.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return labels[a] < labels[b]; });
    std::string cells, numbers;
    Number number;
    uint64_t held = 0;
    for (size_t cell : order) {
        numbers.clear();
        for (const Sums& sum : sums) write_number(numbers, sum.limbs + int64_t(cell) * sum.size, sum.size, sum.low, number);
        if (numbers.find_first_not_of('\0') == std::string::npos) continue;  // it is empty
        ++held;
        write_length(cells, labels[cell].size());
        cells += labels[cell];
        cells += numbers;
    }
    std::string out;
    write_length(out, held);
    return out += cells;
}

WrittenCells read_cells(const std::vector<std::string_view>& texts, size_t kinds) {
    WrittenCells found;
    std::vector<int32_t> codes;
    std::vector<int64_t> ends(kinds, -most_limbs - 1);
    found.sums.assign(kinds, {{}, 0, most_limbs + 1});
    const auto meet = [&](std::string_view label) { codes.push_back(found.labels.encode(label, true)); };
    each_cell(texts, kinds, meet, [&](size_t kind, const Number& number) {
        if (number.limbs.empty()) return;
        found.sums[kind].low = std::min(found.sums[kind].low, number.low);
        ends[kind] = std::max(ends[kind], number.low + int64_t(number.limbs.size()));
    });
    if (codes.size() > most_cells) throw NotWritten("there are too many cells");
    for (size_t kind = 0; kind < kinds; ++kind) {
        WrittenSums& sums = found.sums[kind];
        if (ends[kind] < sums.low) sums.low = 0, ends[kind] = 1;
        sums.size = ends[kind] - sums.low;
        sums.limbs.assign(size_t(found.labels.size() * sums.size), 0);
    }
    auto code = codes.begin();
    int32_t cell = 0;
    each_cell(texts, kinds, [&](std::string_view) { cell = *code++; }, [&](size_t kind, const Number& number) {
        WrittenSums& sums = found.sums[kind];
        int64_t* out = sums.limbs.data() + cell * sums.size + number.low - sums.low;
        for (uint32_t limb : number.limbs) *out++ += number.negative ? -int64_t(limb) : int64_t(limb);
    });
    return found;
}

}  // namespace tallybayes
