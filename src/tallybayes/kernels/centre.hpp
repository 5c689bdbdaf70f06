// Weighed evidence: what the classes have in common is taken away, and what is left is clipped and weighed.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "both.hpp"

namespace tallybayes {

constexpr int64_t stretch = 512;  // rows at a time, for the processor's cache

// How much the evidence of a column counts for every class, and by how much it may differ from the mean over classes.
struct Weighing {
    const double* thetas;
    double bound;
};

template <class Lanes>
INLINE Lanes loaded(const double* at) {
    Lanes lanes;
    std::memcpy(&lanes, at, sizeof lanes);
    return lanes;
}

template <class Lanes>
INLINE Lanes higher(Lanes a, Lanes b) {
    return a < b ? b : a;
}

// Four rows, or one.
template <class Lanes>
INLINE void add_centred_lanes(const double* evidence, int64_t apart, int64_t classes, Weighing weighing, double* scores,
                              int64_t stride) {
    const Lanes none = {}, least = none - weighing.bound, most = none + weighing.bound;
    Lanes top = loaded<Lanes>(evidence);
    for (int64_t c = 1; c < classes; ++c) top = higher(top, loaded<Lanes>(evidence + c * apart));
    top = top == none - INFINITY ? none : top;  // subtracted first: sums of large numbers would lose digits, or overflow
    const Lanes low = 2.0 * least;
    Lanes mean = none;
    for (int64_t c = 0; c < classes; ++c) mean += higher(loaded<Lanes>(evidence + c * apart) - top, low);
    mean /= none + double(classes);
    for (int64_t c = 0; c < classes; ++c) {
        const Lanes above = higher(higher(loaded<Lanes>(evidence + c * apart) - top, low) - mean, least);
        const Lanes score = loaded<Lanes>(scores + c * stride) + weighing.thetas[c] * (above > most ? most : above);
        std::memcpy(scores + c * stride, &score, sizeof score);
    }
}

// Adds theta[class] · (evidence − its mean over the classes, clipped) to scores[class][row]. Before the mean is taken,
// evidence is raised to 2·bound below the highest; a row that is −∞ everywhere adds nothing.
INLINE void add_centred(const double* evidence, int64_t apart, int64_t rows, int64_t classes, Weighing weighing,
                        double* scores, int64_t stride) {
    typedef double Four __attribute__((vector_size(32)));
    if (!classes) return;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) add_centred_lanes<Four>(evidence + i, apart, classes, weighing, scores + i, stride);
    for (; i < rows; ++i) add_centred_lanes<double>(evidence + i, apart, classes, weighing, scores + i, stride);
}

// The same, compiled.
void add_weighed(const double* evidence, int64_t apart, int64_t rows, int64_t classes, Weighing weighing, double* scores,
                 int64_t stride);

// Adds change[class] to scores[class][row] where `marked`.
void add_where(const bool* marked, int64_t rows, int64_t classes, const double* change, double* scores, int64_t stride);

}  // namespace tallybayes
