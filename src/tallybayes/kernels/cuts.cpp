#include "cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "description.hpp"
#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr double enough = 1000.0;  // values needed to choose cuts by the classes
constexpr int64_t tried[] = {5, 10, 20, 40, 80};  // intervals of equal count
constexpr int64_t most_apart = 1000;  // different values that are intervals of their own …
constexpr double often_apart = 3.0;  // … if each occurred so often, on average …
constexpr double gain_apart = 3.0;  // … and the classes are likelier by so many nats
constexpr double prior_worth = 5.0;  // values that the prior of the classes in each interval is worth

// The values before which to cut so that the cumulative count is closest to each share of the whole.
std::vector<int64_t> equal_count(const std::vector<double>& below, int64_t intervals) {
    std::vector<int64_t> found;
    const int64_t size = int64_t(below.size());
    if (size < 2) return found;
    int64_t after = 0, last = -1;
    for (int64_t i = 1; i < intervals; ++i) {
        const double share = below.back() * double(i) / double(intervals);
        after = std::min(std::lower_bound(below.begin() + after, below.end() - 1, share) - below.begin(), size - 2);
        const int64_t before = std::max(after - 1, int64_t(0));
        const int64_t nearer = share - below[before] <= below[after] - share ? before : after;
        if (nearer > last) found.push_back(nearer + 1);
        last = std::max(last, nearer);
    }
    return found;
}

// log P(classes | intervals) where a new interval begins at each of the `starts`.
double log_likelihood(const Below& below, const std::vector<int64_t>& starts) {
    const int64_t classes = below.classes;
    std::vector<double> alpha(size_t(classes) + 1, prior_worth), held(alpha), rising(alpha);
    double all = 0.0, sum = 0.0;
    for (int64_t c = 0; c < classes; ++c) all += below.of(c)[below.size];
    for (int64_t c = 0; c < classes; ++c) alpha[c] = below.of(c)[below.size] * (prior_worth / all);
    for (size_t part = 0; part <= starts.size(); ++part) {
        const int64_t first = part ? starts[part - 1] : 0, last = part < starts.size() ? starts[part] : below.size;
        held[classes] = 0.0;
        for (int64_t c = 0; c < classes; ++c) held[classes] += held[c] = below.of(c)[last] - below.of(c)[first];
        log_rising(alpha.data(), held.data(), classes + 1, rising.data());
        for (int64_t c = 0; c < classes; ++c)
            if (alpha[c] > 0.0) sum += rising[c];
        sum -= rising[classes];
    }
    return sum;
}

// Cuts that divide the range evenly; in halves, since the range may not fit a double.
std::vector<double> equal_length(const Counted& column, int64_t intervals) {
    std::vector<double> found;
    const double low = column.values[0] / 2.0, step = (column.values[column.size - 1] / 2.0 - low) / double(intervals);
    for (int64_t i = 1; i < intervals && column.size > 1; ++i) {
        const double cut = (double(i) * step + low) * 2.0;
        if (found.empty() || cut > found.back()) found.push_back(cut);
    }
    return found;
}

std::vector<double> half_way(const Counted& column, const std::vector<int64_t>& starts) {
    std::vector<double> found;
    for (const int64_t at : starts) found.push_back(column.values[at - 1] / 2.0 + column.values[at] / 2.0);
    return found;
}

}  // namespace

std::vector<double> often(const Counted& column) {
    std::vector<double> sums(size_t(column.size), 0.0);
    for (int64_t c = 0; c < column.classes; ++c)
        for (int64_t i = 0; i < column.size; ++i) sums[i] += column.counts[i * column.classes + c];
    return sums;
}

Below::Below(const Counted& column)
    : size(column.size), classes(column.classes), sums_(size_t(classes * (size + 1)), 0.0) {
    for (int64_t c = 0; c < classes; ++c) {
        double *const sums = sums_.data() + c * (size + 1), sum = 0.0;
        for (int64_t i = 0; i < size; ++i) sums[i + 1] = sum += column.counts[i * classes + c];
    }
}

Cuts cut(const Counted& column, Method method, int64_t intervals) {
    if (!column.size) return {};
    if (method == Method::equal_length) return {equal_length(column, intervals)};
    const Below below(column);
    if (method == Method::mdl) return {half_way(column, least_description(column, below))};
    std::vector<double> together = often(column);
    std::partial_sum(together.begin(), together.end(), together.begin());
    if (method == Method::equal_count) return {half_way(column, equal_count(together, intervals))};
    const bool can_tell = together.back() >= enough;
    const bool can_part = column.size <= most_apart && often_apart * double(column.size) <= together.back();
    if (!can_tell && !can_part) return {half_way(column, equal_count(together, intervals))};
    std::vector<int64_t> best;
    double likelihood = -INFINITY, nats = 0.0;
    const auto is_likelier = [&](std::vector<int64_t> other, double less = 0.0) {
        const double found = log_likelihood(below, other) - less;
        if (!(found > likelihood)) return false;
        best = std::move(other), likelihood = found;
        return true;
    };
    if (!can_tell) is_likelier(equal_count(together, intervals));
    for (const int64_t many : tried)
        if (can_tell) is_likelier(equal_count(together, many));
    if (can_part) {
        std::vector<int64_t> each(size_t(column.size - 1));
        std::iota(each.begin(), each.end(), int64_t(1));
        is_likelier(std::move(each), gain_apart);
    }
    if (can_tell && is_likelier(least_description(column, below)))
        nats = double(best.size()) * std::log(double(std::max(column.size, int64_t(2))));
    return {half_way(column, best), nats};
}

}  // namespace tallybayes
