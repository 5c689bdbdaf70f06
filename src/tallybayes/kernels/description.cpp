#include "description.hpp"

#include <algorithm>
#include <cmath>

#include "both.hpp"
#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr int64_t many = 256;  // numbers computed together
constexpr double most = 1e150;  // counts of which products are finite
constexpr int64_t near = 16, sight = 64;  // how far on both sides it is tested whether a point is a corner

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

// The counts of two classes before each value are points of a path. Positive if the path turns left at a point, seen from
// so many points before and after it; 0 if it does not turn.
INLINE double turn(const double* a, const double* b, int64_t at, int64_t before, int64_t after) {
    return (a[at] - a[at - before]) * (b[at + after] - b[at]) - (b[at] - b[at - before]) * (a[at + after] - a[at]);
}

// The least and the largest of the turns at some points, seen from nearby.
BOTH void near_turns(const double* a, const double* b, int64_t first, int64_t count, double* low, double* high) {
    for (int64_t j = 0; j < count; ++j) low[j] = high[j] = turn(a, b, first + j, 1, 1);
    for (int64_t step = 2; step <= near; step *= 2)
        for (int64_t j = 0; j < count; ++j) {
            const double next = turn(a, b, first + j, step, step);
            low[j] = next < low[j] ? next : low[j];
            high[j] = next > high[j] ? next : high[j];
        }
}

// Whether a point may be a corner of the convex hull: the path turns there to the same side as in `first`, from wherever it is
// seen.
bool may_be_corner(const double* a, const double* b, int64_t at, double first, int64_t before, int64_t after) {
    for (int64_t step = 2 * near; step <= std::min(before, after); step *= 2)
        if (!(turn(a, b, at, step, step) * first > 0.0)) return false;
    for (int64_t back = 1; back <= before; back *= 4)
        for (int64_t on = 1; on <= after; on *= 4)
            if (!(turn(a, b, at, back, on) * first > 0.0)) return false;
    return true;
}

// Whether some value has no counts: the path does not turn there, though the best cut may be on both sides of it.
bool has_empty(const Below& below) {
    const double *const a = below.of(0), *const b = below.of(1);
    bool found = false;
    for (int64_t i = 0; i < below.size; ++i) found |= a[i] == a[i + 1] && b[i] == b[i + 1];
    return found;
}

// The points that may be corners of any part of the path that reaches `sight` points further on both sides.
std::vector<int64_t> find_corners(const Below& below) {
    const double *const a = below.of(0), *const b = below.of(1);
    std::vector<int64_t> found;
    double low[many], high[many];
    for (int64_t first = sight, stop; first + sight <= below.size; first = stop) {
        stop = std::min(first + many, below.size - sight + 1);
        near_turns(a, b, first, stop - first, low, high);
        for (int64_t j = 0; j < stop - first; ++j)
            if ((low[j] > 0.0 || high[j] < 0.0) && may_be_corner(a, b, first + j, low[j], sight, sight))
                found.push_back(first + j);
    }
    return found;
}

class Cutter {
public:
    Cutter(const Counted& column, const Below& below) : counts_(column.counts), classes_(column.classes), below_(below) {
        has_corners_ = classes_ == 2 && below.of(0)[below.size] + below.of(1)[below.size] < most && !has_empty(below);
        if (has_corners_) corners_ = find_corners(below);
    }

    std::vector<int64_t> cuts() {
        std::vector<int64_t> found;
        std::vector<Stretch> pending{{0, below_.size, between(0, below_.size)}};
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

    Side between(int64_t first, int64_t last) const {
        Side side(classes_);
        for (int64_t c = 0; c < classes_; ++c) side.held[c] = below_.of(c)[last] - below_.of(c)[first];
        side.phis = side.held;
        phi(side.phis);
        for (int64_t c = 0; c < classes_; ++c) side.n += side.held[c], side.parts += side.phis[c];
        return side;
    }

    // The same for two classes. The entropy left is a concave function of the counts before the cut, so it is least at a
    // corner of the convex hull of these points.
    int64_t sharper(int64_t first, int64_t last, const Side& whole) {
        const double *const below = below_.of(0), *const others = below_.of(1);
        const int64_t low = std::min(first + sight, last), high = std::max(last - sight, low);
        tried_.clear();
        const auto try_all = [&](int64_t from, int64_t to) {
            for (int64_t i = from; i < to; ++i)
                if (may_be_corner(below, others, i, turn(below, others, i, 1, 1), i - first, last - i)) tried_.push_back(i);
        };
        try_all(first + 1, low);
        const auto from = [&](int64_t at) { return std::lower_bound(corners_.begin(), corners_.end(), at); };
        tried_.insert(tried_.end(), from(low), from(high));
        try_all(high, last);
        changed_.clear();
        for (const int64_t at : tried_) {
            const double a = below[at] - below[first], b = others[at] - others[first];
            const double c = std::max(whole.held[0] - a, 0.0), d = std::max(whole.held[1] - b, 0.0);
            changed_.insert(changed_.end(), {a, b, a + b, c, d, c + d});
        }
        phi(changed_);
        double least = INFINITY;
        int64_t found = -1;
        const double* k = changed_.data();
        for (const int64_t at : tried_) {
            const double spread = (k[2] - (k[0] + k[1])) + (k[5] - (k[3] + k[4]));
            if (spread < least) least = spread, found = at;
            k += 6;
        }
        return found;
    }

    // The cut that leaves the least entropy, regardless of its cost. Values move from the right to the left in groups: first
    // the changed counts, whose logarithms are computed together, then the resulting entropies.
    int64_t sharpest(int64_t first, int64_t last, const Side& whole) {
        if (has_corners_) return sharper(first, last, whole);
        Side left(classes_), right = whole;
        double least = INFINITY;
        int64_t at = -1;
        for (int64_t i = first, next = first; next + 1 < last; i = next) {
            changed_.clear();
            for (; next + 1 < last && changed_.size() < size_t(many); ++next) {
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
    const Below& below_;
    std::vector<double> changed_;
    bool has_corners_;  // two classes do, if every value was counted
    std::vector<int64_t> corners_, tried_;
};

}  // namespace

std::vector<int64_t> least_description(const Counted& column, const Below& below) { return Cutter(column, below).cuts(); }

}  // namespace tallybayes
