#include "codes.hpp"

#include <algorithm>
#include <limits>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int64_t most = 255;  // edges, padded so that every search takes the same eight steps

uint8_t below(double x, const double* edges) {
    int at = 0;
    for (int step = 128; step; step /= 2) at += (edges[at + step - 1] < x) * step;
    return uint8_t(at);
}

}  // namespace

void code_numbers(const double* x, int64_t rows, const double* edges, int64_t count, uint8_t* codes, int64_t stride) {
    double all[most];
    std::fill(std::copy(edges, edges + count, all), all + most, std::numeric_limits<double>::infinity());
    Patience patience;
    for (int64_t row = 0; row < rows; ++row) {
        patience.spend(1);
        codes[row * stride] = x[row] == x[row] ? uint8_t(1 + below(x[row], all)) : uint8_t(0);
    }
}

}  // namespace tallybayes
