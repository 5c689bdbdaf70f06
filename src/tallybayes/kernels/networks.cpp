#include "networks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "both.hpp"
#include "exponential.hpp"
#include "signals.hpp"

namespace tallybayes {

// The log of the mean of exp, down the columns of some rows of sums, which are overwritten.
BOTH void add_log_mean(double* __restrict sums, int64_t count, int64_t width, double* most, double* scores,
                       int64_t stride) {
    std::copy(sums, sums + width, most);
    for (int64_t k = 1; k < count; ++k)
        for (int64_t c = 0; c < width; ++c) most[c] = std::max(most[c], sums[k * width + c]);
    for (int64_t c = 0; c < width; ++c) most[c] = std::isinf(most[c]) ? 0.0 : most[c];
    for (int64_t k = 0; k < count; ++k)
        for (int64_t c = 0; c < width; ++c) sums[k * width + c] = std::max(sums[k * width + c] - most[c], lowest);
    for (int64_t i = 0; i < count * width; ++i) sums[i] = exp_negative(sums[i]);
    for (int64_t c = 0; c < width; ++c) {
        double total = 0.0;
        for (int64_t k = 0; k < count; ++k) total += sums[k * width + c];
        scores[c * stride] += most[c] + std::log(total / double(count));
    }
}

namespace {

bool all_missing(const uint8_t* codes, int64_t columns) {
    return std::all_of(codes, codes + columns, [](uint8_t code) { return !code; });
}

// Σ over rows of a table, for all classes; `fixed` is their number if it is known at compile time, otherwise 0.
template <int fixed>
INLINE void sum_rows(const double* table, const int64_t* at, int64_t count, int64_t width, double* __restrict sum) {
    const int64_t size = fixed ? fixed : width;
    if constexpr (fixed) {
        double held[fixed] = {};
        for (int64_t k = 0; k < count; ++k)
            for (int c = 0; c < fixed; ++c) held[c] += table[at[k] * fixed + c];
        for (int c = 0; c < fixed; ++c) sum[c] = held[c];
    } else {
        std::fill(sum, sum + size, 0.0);
        for (int64_t k = 0; k < count; ++k)
            for (int64_t c = 0; c < size; ++c) sum[c] += table[at[k] * size + c];
    }
}

template <int fixed>
void averaged(const uint8_t* codes, int64_t rows, int64_t columns, const int64_t* starts, int64_t levels,
              const double* table, const uint8_t* met, const double* alone, int64_t width, double* scores,
              int64_t stride) {
    std::vector<int64_t> at(static_cast<size_t>(columns));
    std::vector<double> sums(size_t(columns * width)), most(static_cast<size_t>(width));
    Patience patience;
    for (int64_t row = 0; row < rows; ++row, codes += columns) {
        patience.spend(columns * columns);
        if (all_missing(codes, columns)) continue;
        for (int64_t j = 0; j < columns; ++j) at[size_t(j)] = starts[j] + codes[j];
        int64_t parents = 0;
        for (const int64_t parent : at)
            if (met[parent])
                sum_rows<fixed>(table + parent * levels * width, at.data(), columns, width,
                                sums.data() + parents++ * width);
        if (!parents) sum_rows<fixed>(alone, at.data(), columns, width, sums.data());
        add_log_mean(sums.data(), std::max<int64_t>(parents, 1), width, most.data(), scores + row, stride);
    }
}

INLINE void sum_of(const double* table, const int64_t* at, int64_t count, int64_t width, double* sum) {
    if (width == 2)
        sum_rows<2>(table, at, count, width, sum);
    else
        sum_rows<0>(table, at, count, width, sum);
}

INLINE void places(const uint8_t* codes, const Lookup* lookups, int64_t count, int64_t* at) {
    for (int64_t k = 0; k < count; ++k) {
        const Lookup& l = lookups[k];
        at[k] = l.start + l.steps[0] * codes[l.columns[0]] + l.steps[1] * codes[l.columns[1]] +
                l.steps[2] * codes[l.columns[2]];
    }
}

}  // namespace

void add_network(const uint8_t* codes, int64_t rows, int64_t columns, const Lookup* lookups, int64_t count,
                 const double* table, int64_t width, double* scores, int64_t stride) {
    std::vector<int64_t> at(static_cast<size_t>(count));
    std::vector<double> sum(static_cast<size_t>(width));
    Patience patience;
    for (int64_t row = 0; row < rows; ++row, codes += columns) {
        patience.spend(count);
        if (all_missing(codes, columns)) continue;
        places(codes, lookups, count, at.data());
        sum_of(table, at.data(), count, width, sum.data());
        for (int64_t c = 0; c < width; ++c) scores[c * stride + row] += sum[size_t(c)];
    }
}

void add_mixture(const uint8_t* codes, int64_t rows, int64_t columns, const int64_t* starts, const uint8_t* met,
                 const int64_t* parents, const Lookup* lookups, int64_t groups, int64_t count, const double* table,
                 int64_t width, double* scores, int64_t stride) {
    std::vector<int64_t> at(static_cast<size_t>(count));
    std::vector<double> sums(size_t((groups + 1) * width)), most(static_cast<size_t>(width));
    Patience patience;
    for (int64_t row = 0; row < rows; ++row, codes += columns) {
        patience.spend(groups * count);
        if (all_missing(codes, columns)) continue;
        int64_t found = 0;
        const auto add = [&](int64_t group) {
            places(codes, lookups + group * count, count, at.data());
            sum_of(table, at.data(), count, width, sums.data() + found++ * width);
        };
        const auto is_met = [&](int64_t column) { return met[starts[column] + codes[column]]; };
        for (int64_t group = 0; group < groups; ++group)
            if (is_met(parents[2 * group]) && is_met(parents[2 * group + 1])) add(group);
        if (!found) add(groups);
        add_log_mean(sums.data(), found, width, most.data(), scores + row, stride);
    }
}

void add_averaged(const uint8_t* codes, int64_t rows, int64_t columns, const int64_t* starts, int64_t levels,
                  const double* table, const uint8_t* met, const double* alone, int64_t width, double* scores,
                  int64_t stride) {
    const auto add = width == 2 ? averaged<2> : width == 3 ? averaged<3> : width == 4 ? averaged<4> : averaged<0>;
    add(codes, rows, columns, starts, levels, table, met, alone, width, scores, stride);
}

}  // namespace tallybayes
