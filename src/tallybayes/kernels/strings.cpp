#include "strings.hpp"

#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

namespace tallybayes {
namespace {

template <class T>
inline uint64_t load(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Up to eight bytes as a number, zeros behind them, never reading past the string.
inline uint64_t load_short(const char* p, uint64_t length) {
    if (length >= 8) return load<uint64_t>(p);
    if (length >= 4) return load<uint32_t>(p) | load<uint32_t>(p + length - 4) << (8 * (length - 4));
    if (length >= 2) return load<uint16_t>(p) | load<uint16_t>(p + length - 2) << (8 * (length - 2));
    return length ? load<uint8_t>(p) : 0;
}

// A key per process: strings made to collide here cannot be found from outside.
struct Key {
    uint64_t a, b;
    Key() {
        std::random_device device;
        a = uint64_t(device()) << 32 | device();
        b = uint64_t(device()) << 32 | device() | 1;
    }
};
const Key key;

inline uint64_t mix(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

inline uint64_t hash(const char* text, uint64_t length, uint64_t head, uint64_t tail) {
    uint64_t state = mix(head ^ key.a, tail ^ key.b ^ length);
    for (uint64_t at = 8; at + 8 < length; at += 8) state = mix(load<uint64_t>(text + at) ^ state, key.b);
    return state;
}

}  // namespace

StringIndex::StringIndex() : slots_(64, Slot{0, 0, 0, 0, -1}), ends_{0} {}

int32_t StringIndex::find(const char* text, uint64_t length, bool grow) {
    if (length > std::numeric_limits<uint32_t>::max()) throw std::length_error("a text of more than 4 GiB");
    const uint64_t head = load_short(text, length);
    const uint64_t tail = length > 8 ? load<uint64_t>(text + length - 8) : head;
    const uint64_t code = hash(text, length, head, tail);
    const uint64_t mask = slots_.size() - 1;
    for (uint64_t at = code & mask;; at = (at + 1) & mask) {
        Slot& slot = slots_[at];
        if (slot.code < 0) {
            if (!grow) return -2;
            if (size() == std::numeric_limits<int32_t>::max()) throw std::length_error("more than 2^31 distinct strings");
            slot = {code, head, tail, uint32_t(length), int32_t(size())};
            bytes_.insert(bytes_.end(), text, text + length);
            ends_.push_back(int64_t(bytes_.size()));
            const int32_t found = slot.code;
            if (uint64_t(size()) * 2 > slots_.size()) enlarge();
            return found;
        }
        if (slot.hash == code && slot.head == head && slot.tail == tail && slot.length == uint32_t(length) &&
            (length <= 16 || std::memcmp(bytes_.data() + ends_[slot.code], text, length) == 0))
            return slot.code;
    }
}

void StringIndex::enlarge() {
    std::vector<Slot> larger(slots_.size() * 2, Slot{0, 0, 0, 0, -1});
    const uint64_t mask = larger.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.code < 0) continue;
        uint64_t at = slot.hash & mask;
        while (larger[at].code >= 0) at = (at + 1) & mask;
        larger[at] = slot;
    }
    slots_.swap(larger);
}

template <class Offset>
void StringIndex::encode_cells(const StringColumn& column, bool grow, int32_t* codes) {
    const Offset* offsets = static_cast<const Offset*>(column.offsets) + column.first;
    for (int64_t row = 0; row < column.rows; ++row) {
        const int64_t bit = column.first + row;
        if (column.validity && !(column.validity[bit >> 3] >> (bit & 7) & 1))
            codes[row] = -1;
        else
            codes[row] = find(column.bytes + offsets[row], uint64_t(offsets[row + 1] - offsets[row]), grow);
    }
}

void StringIndex::encode(const StringColumn& column, bool grow, int32_t* codes) {
    if (column.wide)
        encode_cells<int64_t>(column, grow, codes);
    else
        encode_cells<int32_t>(column, grow, codes);
}

}  // namespace tallybayes
