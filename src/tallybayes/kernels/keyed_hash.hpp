// Hashes of strings, keyed so that colliding ones cannot be crafted.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>

namespace tallybayes {

template <class T>
inline uint64_t load(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Up to eight bytes as a number, padded with zeros, without reading past the string.
inline uint64_t load_short(const char* p, uint64_t length) {
    if (length >= 8) return load<uint64_t>(p);
    if (length >= 4) return load<uint32_t>(p) | load<uint32_t>(p + length - 4) << (8 * (length - 4));
    if (length >= 2) return load<uint16_t>(p) | load<uint16_t>(p + length - 2) << (8 * (length - 2));
    return length ? load<uint8_t>(p) : 0;
}

// A random key per process.
struct Key {
    uint64_t a, b;
    Key() {
        std::random_device device;
        a = uint64_t(device()) << 32 | device();
        b = uint64_t(device()) << 32 | device() | 1;
    }
};
inline const Key key;

inline uint64_t mix(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

inline uint32_t hash(const char* text, uint64_t length, uint64_t head, uint64_t tail) {
    uint64_t state = mix(head ^ key.a, tail ^ key.b ^ length);
    for (uint64_t at = 8; at + 8 < length; at += 8) state = mix(load<uint64_t>(text + at) ^ state, key.b);
    return uint32_t(state ^ state >> 32);
}

}  // namespace tallybayes
