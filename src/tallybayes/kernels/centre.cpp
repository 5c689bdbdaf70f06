#include "centre.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tallybayes {

BOTH void add_weighed(const double* evidence, int64_t apart, int64_t rows, int64_t classes, Weighing weighing,
                      double* scores, int64_t stride) {
    add_centred(evidence, apart, rows, classes, weighing, scores, stride);
}

BOTH void add_where(const bool* marked, int64_t rows, int64_t classes, const double* change, double* scores,
                    int64_t stride) {
    int64_t masks[stretch];  // all ones where marked: the compiler does not vectorise a choice between doubles by bytes
    for (int64_t first = 0; first < rows; first += stretch) {
        const int64_t count = std::min(stretch, rows - first);
        const bool* here = marked + first;
        if (!std::memchr(here, 1, size_t(count))) continue;
        for (int64_t i = 0; i < count; ++i) masks[i] = -int64_t(here[i]);
        for (int64_t c = 0; c < classes; ++c) {
            double* __restrict score = scores + c * stride + first;
            const int64_t bits = std::bit_cast<int64_t>(change[c]);
            for (int64_t i = 0; i < count; ++i) score[i] += std::bit_cast<double>(bits & masks[i]);
        }
    }
}

}  // namespace tallybayes
