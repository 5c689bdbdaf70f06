#include "strings.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "keyed_hash.hpp"
#include "short_strings.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr uint64_t ahead = 32;  // strings whose slots are prefetched while others are compared
constexpr int64_t stretch = 1 << 16;  // cells whose numbers stay in the cache until they are bytes
constexpr int64_t together = 64;  // cells that are looked up among those met lately, if all are short
constexpr size_t small = 1 << 12;  // slots that fit into the cache
constexpr size_t patience = 1 << 18;  // words between checks for signals; a multiple of `ahead`

}  // namespace

StringIndex::StringIndex() : slots_(256, empty), mask_(255), ends_{0} {}

StringIndex::Probe StringIndex::probe(std::string_view string) {
    const char* text = string.data();
    const uint64_t length = string.size();
    if (length > std::numeric_limits<uint32_t>::max()) throw std::length_error("a text of more than 4 GiB");
    const uint64_t head = load_short(text, length);
    const uint64_t tail = length > 8 ? load<uint64_t>(text + length - 8) : head;
    return {head, tail, uint32_t(length), hash(text, length, head, tail), text};
}

// Without branches, since lengths are unpredictable: for a short string both ends are the same eight bytes.
inline StringIndex::Probe StringIndex::probe_padded(const char* text, uint32_t length) {
    static constexpr uint64_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, ~uint64_t(0)};
    const uint64_t mask = masks[std::min<uint32_t>(length, 8)];
    const uint64_t head = load<uint64_t>(text) & mask;
    const uint64_t tail = load<uint64_t>(text + (std::max<uint32_t>(length, 8) - 8)) & mask;
    return {head, tail, length, hash(text, length, head, tail), text};
}

// Short strings without branches, except at the end of the column's bytes.
inline StringIndex::Probe StringIndex::probe_within(const StringColumn& column, int64_t start, int64_t end) {
    const std::string_view text = column.between(start, end);
    const bool padded = text.size() <= 16 && column.size - start >= 8;
    return padded ? probe_padded(text.data(), uint32_t(text.size())) : probe(text);
}

inline bool StringIndex::is(const Slot& slot, const Probe& probe) const {
    if ((slot.head ^ probe.head) | (slot.tail ^ probe.tail) | (slot.length ^ probe.length)) return false;
    if (probe.length <= 16) return slot.code >= 0;
    return slot.code >= 0 && slot.hash == probe.hash &&
           std::memcmp(bytes_.data() + ends_[slot.code], probe.text, probe.length) == 0;
}

// The slot where the string is, or the empty one where it would be.
inline uint64_t StringIndex::locate(const Probe& probe) const {
    for (uint64_t at = probe.hash & mask_;; at = (at + 1) & mask_)
        if (is(slots_[at], probe) || slots_[at].code < 0) return at;
}

inline int32_t StringIndex::find(const Probe& probe, bool grow) {
    const uint64_t at = locate(probe);
    if (slots_[at].code >= 0) return slots_[at].code;
    return grow ? admit(probe, at) : unknown;
}

// Apart from loops over strings that rarely need it.
[[gnu::noinline]] int32_t StringIndex::find_text(const char* text, uint32_t length, bool grow) {
    return find(probe({text, length}), grow);
}

[[gnu::noinline]] int32_t StringIndex::admit(const Probe& probe, uint64_t at) {
    if (size() == std::numeric_limits<int32_t>::max()) throw std::length_error("more than 2^31 distinct strings");
    const int32_t code = int32_t(size());
    slots_[at] = {probe.head, probe.tail, probe.length, probe.hash, code};
    bytes_.insert(bytes_.end(), probe.text, probe.text + probe.length);
    ends_.push_back(int64_t(bytes_.size()));
    return code;
}

// Signals may need the GIL, which a thread waiting for this index may hold.
template <class Held>
inline void StringIndex::heed(Held& held) {
    held.unlock();
    heed_signals();
    held.lock();
}

// Enlarges the table. While signals are heeded, other threads may add strings or enlarge it themselves: then this
// attempt is discarded.
void StringIndex::make_room(Adding& held, uint64_t more) {
    while ((uint64_t(size()) + more) * 2 > slots_.size()) {
        const uint64_t strings = uint64_t(size()), before = slots_.size(), mask = before * 2 - 1;
        const auto unchanged = [&] { return uint64_t(size()) == strings && slots_.size() == before; };
        Pages<Slot> larger;
        held.unlock();
        lengthen(larger, mask + 1, empty);
        held.lock();
        for (uint64_t i = 0; i < before && unchanged(); ++i) {
            if (i && i % patience == 0) heed(held);
            if (!unchanged() || slots_[i].code < 0) continue;
            uint64_t at = slots_[i].hash & mask;
            while (larger[at].code >= 0) at = (at + 1) & mask;
            larger[at] = slots_[i];
        }
        if (!unchanged()) continue;
        slots_.swap(larger);
        mask_ = mask;
    }
}

void StringIndex::encode(const StringColumn& column, bool grow, int32_t* codes) {
    if (grow)
        encode_column<Adding>(column, grow, codes, [&](Adding& held) { make_room(held, ahead); });
    else
        encode_column<Looking>(column, grow, codes, [](Looking&) {});
}

bool StringIndex::encode(const StringColumn& column, int8_t* codes) {
    std::vector<int32_t> some(size_t(std::min(stretch, column.rows)));
    StringColumn part = column;
    for (int64_t start = 0; start < column.rows; start += part.rows) {
        part.first = column.first + start;
        part.rows = std::min(stretch, column.rows - start);
        encode(part, true, some.data());
        if (size() > std::numeric_limits<int8_t>::max()) return false;
        std::copy_n(some.begin(), part.rows, codes + start);
    }
    return true;
}

template <class Held, class Prepare>
void StringIndex::encode_column(const StringColumn& column, bool grow, int32_t* codes, Prepare prepare) {
    if (column.wide)
        encode_cells<Held>(column, static_cast<const int64_t*>(column.offsets), grow, codes, prepare);
    else
        encode_cells<Held>(column, static_cast<const int32_t*>(column.offsets), grow, codes, prepare);
}

template <class Held, class Offset, class Prepare>
void StringIndex::encode_cells(const StringColumn& column, const Offset* offsets, bool grow, int32_t* codes, Prepare prepare) {
    Held held(lock_.mutex);
    ShortStrings lately(column.rows);
    const auto find_new = [&](const char* text, uint32_t length) {
        prepare(held);
        return find_text(text, length, grow);
    };
    size_t spent = 0;
    for (int64_t start = 0, count; start < column.rows; start += count, spent += size_t(count)) {
        if (spent >= patience) heed(held), spent = 0;
        const Offset* at = offsets + column.first + start;
        count = std::min<int64_t>(together, column.rows - start);
        if (lately.recur() && lately.encode(column, at, start, count, codes + start, find_new)) continue;
        for (int64_t i = 0; i < count; i += ahead) {
            prepare(held);
            encode_few(column, at + i, start + i, std::min<int64_t>(ahead, count - i), grow, codes + start + i);
        }
    }
}

// A small table stays in the cache: then each string is looked up at once, instead of prefetching the slots of many.
template <class Offset>
void StringIndex::encode_few(const StringColumn& column, const Offset* at, int64_t start, int64_t count, bool grow, int32_t* codes) {
    if (slots_.size() <= small) {
        for (int64_t i = 0; i < count; ++i)
            codes[i] = column.missing(start + i) ? -1 : find(probe_within(column, at[i], at[i + 1]), grow);
        return;
    }
    Probe probes[ahead];
    for (int64_t i = 0; i < count; ++i) {
        if (column.missing(start + i)) continue;
        probes[i] = probe_within(column, at[i], at[i + 1]);
        prefetch(probes[i]);
    }
    for (int64_t i = 0; i < count; ++i) codes[i] = column.missing(start + i) ? -1 : find(probes[i], grow);
}

int32_t StringIndex::encode(std::string_view text, bool grow) {
    if (grow) {
        Adding held(lock_.mutex);
        make_room(held, 1);
        return find(probe(text), true);
    }
    const Looking held(lock_.mutex);
    return find(probe(text), false);
}

template <class Held, class Prepare, class Resolve>
inline void StringIndex::each_span(const char* text, const std::vector<Span>& spans, Prepare prepare, Resolve resolve) const {
    Held held(lock_.mutex);
    Probe probes[ahead];
    for (size_t start = 0; start < spans.size(); start += ahead) {
        if (start && start % patience == 0) heed(held);
        prepare(held);
        const size_t count = std::min<size_t>(ahead, spans.size() - start);
        for (size_t i = 0; i < count; ++i) {
            probes[i] = probe_padded(text + spans[start + i].start, spans[start + i].length);
            prefetch(probes[i]);
        }
        for (size_t i = 0; i < count; ++i) resolve(start + i, probes[i]);
    }
}

void StringIndex::encode(const char* text, const std::vector<Span>& spans, bool grow, std::vector<int32_t>& codes) {
    if (!grow) return look_up(text, spans, codes);
    lengthen(codes, spans.size());
    each_span<Adding>(
        text, spans, [&](Adding& held) { make_room(held, ahead); },
        [&](size_t i, const Probe& probe) { codes[i] = find(probe, true); });
}

void StringIndex::look_up(const char* text, const std::vector<Span>& spans, std::vector<int32_t>& codes) const {
    lengthen(codes, spans.size());
    each_span<Looking>(
        text, spans, [](Looking&) {},
        [&](size_t i, const Probe& probe) {
            const int32_t code = slots_[locate(probe)].code;
            codes[i] = code < 0 ? unknown : code;
        });
}

void StringIndex::merge(const StringIndex& other, int32_t* codes) {
    Adding held(lock_.mutex);
    for (uint64_t i = 0; i < other.slots_.size(); ++i) {
        if (i && i % patience == 0) heed(held);
        const Slot& slot = other.slots_[i];
        if (slot.code < 0) continue;
        make_room(held, 1);
        codes[slot.code] = find({slot.head, slot.tail, slot.length, slot.hash, other[slot.code].data()}, true);
    }
}

void StringIndex::find_all(const StringIndex& other, int32_t* codes) const {
    Looking held(lock_.mutex);
    for (uint64_t i = 0; i < other.slots_.size(); ++i) {
        if (i && i % patience == 0) heed(held);
        const Slot& slot = other.slots_[i];
        if (slot.code < 0) continue;
        const int32_t code = slots_[locate({slot.head, slot.tail, slot.length, slot.hash, other[slot.code].data()})].code;
        codes[slot.code] = code < 0 ? unknown : code;
    }
}

// Try again if others added strings while signals were heeded.
StringIndex StringIndex::copy() const {
    StringIndex result;
    Looking held(lock_.mutex);
    for (bool same = false; !same;) {
        const int64_t strings = size();
        same = true;
        const auto take = [&](auto& to, const auto& from) {
            const size_t stretch = long_stretch * sizeof(Slot) / sizeof from[0];
            to.clear();
            for (size_t at = 0; same && at < from.size(); at += stretch) {
                if (at) heed(held);
                same = size() == strings;
                if (at == 0) to.reserve(from.size());
                if (same) to.insert(to.end(), from.begin() + at, from.begin() + std::min(at + stretch, from.size()));
            }
        };
        take(result.slots_, slots_);
        take(result.bytes_, bytes_);
        take(result.ends_, ends_);
        same = same && result.ends_.size() == ends_.size() && result.slots_.size() == slots_.size();
        result.mask_ = mask_;
    }
    return result;
}

StringIndex StringIndex::subset(const int32_t* codes, int64_t count) const {
    StringIndex result;
    uint64_t wanted = result.slots_.size();
    while (wanted < uint64_t(count) * 2) wanted *= 2;
    lengthen(result.slots_, wanted, empty);
    result.mask_ = wanted - 1;
    Looking held(lock_.mutex);
    for (int64_t i = 0; i < count; ++i) {
        if (i && i % int64_t(patience) == 0) heed(held);
        if (codes[i] < 0 || codes[i] >= size()) throw std::out_of_range("there is no string of this number");
        result.find(probe((*this)[codes[i]]), true);
    }
    return result;
}

// Most strings differ within eight bytes, which are compared as one number; only ties are looked up.
std::vector<int32_t> StringIndex::sorted() const {
    struct Entry {
        uint64_t head;  // the first bytes, the very first one highest; 0 beyond the end
        int32_t code;
    };
    std::vector<Entry> entries(size());
    for (int32_t code = 0; code < int32_t(entries.size()); ++code) {
        if (code && code % int32_t(patience) == 0) heed_signals();
        const std::string_view text = (*this)[code];
        uint64_t head = 0;
        for (size_t i = 0; i < 8; ++i) head = head << 8 | (i < text.size() ? uint8_t(text[i]) : 0);
        entries[code] = {head, code};
    }
    size_t compared = 0;
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
        if (++compared % patience == 0) heed_signals();
        return a.head != b.head ? a.head < b.head : (*this)[a.code] < (*this)[b.code];
    });
    std::vector<int32_t> order(entries.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = entries[i].code;
    return order;
}

}  // namespace tallybayes
