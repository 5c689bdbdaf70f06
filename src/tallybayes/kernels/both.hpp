// How to compile loops that the compiler vectorises.
#pragma once

// One source, compiled for the baseline and for AVX2, chosen when the library is loaded.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && __GNUC__ >= 12
#define BOTH __attribute__((target_clones("arch=x86-64-v3", "default")))
// The same for loops that multiply 64-bit integers, for which AVX2 has no instruction and AVX-512 does.
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define BOTH
#define WIDEST
#endif

// Functions that are not inlined would be compiled for the baseline only.
#define INLINE inline __attribute__((always_inline))
#define INLINED __attribute__((always_inline))  // of a lambda
