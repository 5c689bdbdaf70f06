#include "cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr size_t many = 256;  // logarithms computed together
constexpr double enough = 1000.0;  // values needed to choose cuts by the classes
constexpr int64_t tried[] = {5, 10, 20, 40, 80};  // intervals of equal count
constexpr double prior_worth = 5.0;  // values that the prior of the classes in each interval is worth

// φ(k) = k·log k of each, in place.
void phi(std::vector<double>& k) { times_logarithm(k.data(), int64_t(k.size())); }

// The classes of some neighbouring values. The entropy of their n classes is (φ(n) − Σ φ(count)) / n.
struct Side {
    std::vector<double> held, phis;  // counts by class, and φ of each
    double n = 0.0, parts = 0.0;  // parts: Σ φ(count)

    explicit Side(int64_t classes) : held(size_t(classes), 0.0), phis(held) {}
    void change(int64_t c, double phi) {
        parts -= phis[c];
        parts += phis[c] = phi;
    }
    double kinds() const { return double(std::count_if(held.begin(), held.end(), [](double k) { return k > 0.0; })); }
    double spread() const { return n > 0.0 ? n * std::log(n) - parts : 0.0; }
    double entropy() const { return n > 0.0 ? spread() / n : 0.0; }
};

// Neighbouring values that may be cut.
struct Stretch {
    int64_t first, last;
    Side whole;
};

// The counts of two classes before a value.
struct Corner {
    double a, b;
    int64_t at;
};

// The corners of a convex curve, found from its points in order.
struct Hull {
    std::vector<Corner> corners;
    double side;  // 1 if the curve turns left, −1 if it turns right

    void add(const Corner& next) {
        while (corners.size() > 1) {
            const Corner &p = corners[corners.size() - 2], &q = corners.back();
            if (side * ((q.a - p.a) * (next.b - q.b) - (q.b - p.b) * (next.a - q.a)) > 0.0) break;
            corners.pop_back();
        }
        corners.push_back(next);
    }
};

class Cutter {
public:
    Cutter(const double* counts, int64_t classes) : counts_(counts), classes_(classes) {}

    // The values before which to cut, in order.
    std::vector<int64_t> cuts(int64_t size) {
        std::vector<int64_t> found;
        std::vector<Stretch> pending{{0, size, between(0, size)}};
        while (!pending.empty()) {
            const Stretch next = std::move(pending.back());
            pending.pop_back();
            const int64_t at = next.last - next.first < 2 ? -1 : sharpest(next.first, next.last, next.whole);
            if (at < 0) continue;
            Stretch left{next.first, at, between(next.first, at)}, right{at, next.last, between(at, next.last)};
            if (!is_worth_it(next.whole, left.whole, right.whole)) continue;
            found.push_back(at);
            pending.push_back(std::move(left));
            pending.push_back(std::move(right));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    static bool is_worth_it(const Side& whole, const Side& left, const Side& right) {
        const double kinds = whole.kinds(), gain = whole.spread() - left.spread() - right.spread();
        const double cost = kinds * std::log(3.0) + std::log(1.0 - 2.0 * std::pow(3.0, -kinds)) -
                            (kinds * whole.entropy() - left.kinds() * left.entropy() - right.kinds() * right.entropy());
        return gain > std::log(std::max(whole.n - 1.0, 1.0)) + cost;
    }

    Side between(int64_t first, int64_t last) {
        Side side(classes_);
        for (int64_t i = first; i < last; ++i)
            for (int64_t c = 0; c < classes_; ++c) side.held[c] += counts_[i * classes_ + c];
        side.phis = side.held;
        phi(side.phis);
        for (int64_t c = 0; c < classes_; ++c) side.n += side.held[c], side.parts += side.phis[c];
        return side;
    }

    // The same for two classes. The entropy is a concave function of the counts before the cut, so the least is at a
    // corner of their convex hull; logarithms are computed for these few alone.
    int64_t sharper(int64_t first, int64_t last, const Side& whole) {
        Hull hulls[] = {{std::move(corners_[0]), 1.0}, {std::move(corners_[1]), -1.0}};
        for (Hull& hull : hulls) hull.corners.assign(1, {0.0, 0.0, first});
        Corner next{0.0, 0.0, first};
        for (int64_t i = first; i < last; ++i) {
            next = {next.a + counts_[2 * i], next.b + counts_[2 * i + 1], i + 1};
            for (Hull& hull : hulls) hull.add(next);
        }
        double least = INFINITY;
        int64_t at = -1;
        for (size_t side = 0; side < 2; ++side) {
            changed_.clear();
            std::vector<Corner>& corners = corners_[side] = std::move(hulls[side].corners);
            for (size_t i = 1; i + 1 < corners.size(); ++i) {
                const auto [a, b, _] = corners[i];
                const double c = std::max(whole.held[0] - a, 0.0), d = std::max(whole.held[1] - b, 0.0);
                for (const double n : {a, b, a + b, c, d, c + d}) changed_.push_back(n);
            }
            phi(changed_);
            const double* k = changed_.data();
            for (size_t i = 1; i + 1 < corners.size(); ++i, k += 6) {
                const double spread = (k[2] - (k[0] + k[1])) + (k[5] - (k[3] + k[4]));
                if (spread < least || (spread == least && corners[i].at < at)) least = spread, at = corners[i].at;
            }
        }
        return at;
    }

    // The cut that leaves the least entropy, regardless of its cost. Values move from the right to the left in groups: first
    // the changed counts, whose logarithms are computed together, then the resulting entropies.
    int64_t sharpest(int64_t first, int64_t last, const Side& whole) {
        if (classes_ == 2) return sharper(first, last, whole);
        Side left(classes_), right = whole;
        double least = INFINITY;
        int64_t at = -1;
        for (int64_t i = first, next = first; next + 1 < last; i = next) {
            changed_.clear();
            for (; next + 1 < last && changed_.size() < many; ++next) {
                each_class(next, [&](int64_t c, double n) {
                    changed_.push_back(left.held[c] += n);
                    changed_.push_back(right.held[c] = std::max(right.held[c] - n, 0.0));
                    left.n += n, right.n -= n;
                });
                changed_.push_back(left.n);
                changed_.push_back(right.n);
            }
            phi(changed_);
            const double* found = changed_.data();
            for (; i < next; ++i) {
                each_class(i, [&](int64_t c, double) {
                    left.change(c, *found++);
                    right.change(c, *found++);
                });
                const double spread = (found[0] - left.parts) + (found[1] - right.parts);
                found += 2;
                if (spread < least) least = spread, at = i + 1;
            }
        }
        return at;
    }

    template <class Do>
    void each_class(int64_t value, Do work) const {
        const double* row = counts_ + value * classes_;
        for (int64_t c = 0; c < classes_; ++c)
            if (row[c] != 0.0) work(c, row[c]);
    }

    const double* counts_;
    int64_t classes_;
    std::vector<double> changed_;
    std::vector<Corner> corners_[2];  // room for hulls
};

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

// log P(classes | intervals), from the counts of every class before each value, below[value, class].
double log_likelihood(const std::vector<double>& below, int64_t size, int64_t classes, const std::vector<int64_t>& starts) {
    const double* const whole = below.data() + size * classes;
    const double all = std::accumulate(whole, whole + classes, 0.0);
    std::vector<double> alpha(size_t(classes) + 1, prior_worth), held(alpha), said(alpha);
    for (int64_t c = 0; c < classes; ++c) alpha[c] = whole[c] * (prior_worth / all);
    double sum = 0.0;
    for (size_t part = 0; part <= starts.size(); ++part) {
        const double* const low = below.data() + (part ? starts[part - 1] : 0) * classes;
        const double* const high = part < starts.size() ? below.data() + starts[part] * classes : whole;
        held[classes] = 0.0;
        for (int64_t c = 0; c < classes; ++c) held[classes] += held[c] = std::max(high[c] - low[c], 0.0);
        log_rising(alpha.data(), held.data(), classes + 1, said.data());
        for (int64_t c = 0; c < classes; ++c)
            if (alpha[c] > 0.0) sum += said[c];
        sum -= said[classes];
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

Cuts cut(const Counted& column, Method method, int64_t intervals) {
    const int64_t size = column.size, classes = column.classes;
    if (!size) return {};
    if (method == Method::equal_length) return {equal_length(column, intervals)};
    if (method == Method::mdl) return {half_way(column, Cutter(column.counts, classes).cuts(size))};
    std::vector<double> together(static_cast<size_t>(size));
    double sum = 0.0;
    for (int64_t i = 0; i < size; ++i)
        together[i] = sum += std::accumulate(column.counts + i * classes, column.counts + (i + 1) * classes, 0.0);
    if (method == Method::equal_count || sum < enough) return {half_way(column, equal_count(together, intervals))};
    std::vector<double> below(size_t((size + 1) * classes), 0.0);
    for (int64_t i = 0; i < size * classes; ++i) below[i + classes] = below[i] + column.counts[i];
    std::vector<int64_t> best;
    double likelihood = -INFINITY, nats = 0.0;
    const auto is_likelier = [&](std::vector<int64_t> other) {
        const double found = log_likelihood(below, size, classes, other);
        if (!(found > likelihood)) return false;
        best = std::move(other), likelihood = found;
        return true;
    };
    for (const int64_t many : tried) is_likelier(equal_count(together, many));
    if (is_likelier(Cutter(column.counts, classes).cuts(size)))
        nats = double(best.size()) * std::log(double(std::max(size, int64_t(2))));
    return {half_way(column, best), nats};
}

}  // namespace tallybayes
