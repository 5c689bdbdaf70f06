#include "cuts.hpp"

#include <algorithm>
#include <cmath>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr size_t many = 256;  // logarithms computed together

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

class Cutter {
public:
    Cutter(const double* counts, int64_t classes) : counts_(counts), classes_(classes) {}

    // The value before which the most informative cut lies; −1 if no cut is worth its cost.
    int64_t best(int64_t first, int64_t last) {
        const Side whole = between(first, last);
        const int64_t at = sharpest(first, last, whole);
        if (at < 0) return -1;
        const Side left = between(first, at), right = between(at, last);
        const double kinds = whole.kinds(), gain = whole.spread() - left.spread() - right.spread();
        const double cost = kinds * std::log(3.0) + std::log(1.0 - 2.0 * std::pow(3.0, -kinds)) -
                            (kinds * whole.entropy() - left.kinds() * left.entropy() - right.kinds() * right.entropy());
        return gain > std::log(std::max(whole.n - 1.0, 1.0)) + cost ? at : -1;
    }

private:
    Side between(int64_t first, int64_t last) {
        Side side(classes_);
        for (int64_t i = first; i < last; ++i)
            for (int64_t c = 0; c < classes_; ++c) side.held[c] += counts_[i * classes_ + c];
        side.phis = side.held;
        phi(side.phis);
        for (int64_t c = 0; c < classes_; ++c) side.n += side.held[c], side.parts += side.phis[c];
        return side;
    }

    // The same for two classes: the counts on either side of many cuts, then their logarithms together.
    int64_t sharper(int64_t first, int64_t last, const Side& whole) {
        double a = 0.0, b = 0.0, least = INFINITY;
        int64_t at = -1;
        changed_.resize(6 * many);
        for (int64_t start = first, stop; start + 1 < last; start = stop) {
            stop = std::min(start + int64_t(many), last - 1);
            double* k = changed_.data();
            for (int64_t i = start; i < stop; ++i, ++k) {
                a += counts_[2 * i], b += counts_[2 * i + 1];
                const double c = std::max(whole.held[0] - a, 0.0), d = std::max(whole.held[1] - b, 0.0);
                k[0] = a, k[many] = b, k[2 * many] = c, k[3 * many] = d, k[4 * many] = a + b, k[5 * many] = c + d;
            }
            for (size_t part = 0; part < 6; ++part) times_logarithm(changed_.data() + part * many, stop - start);
            k = changed_.data();
            for (int64_t i = start; i < stop; ++i, ++k) {
                const double spread = (k[4 * many] - (k[0] + k[many])) + (k[5 * many] - (k[2 * many] + k[3 * many]));
                if (spread < least) least = spread, at = i + 1;
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
};

}  // namespace

std::vector<int64_t> least_description(const double* counts, int64_t size, int64_t classes) {
    Cutter cutter(counts, classes);
    std::vector<int64_t> cuts;
    std::vector<std::pair<int64_t, int64_t>> pending{{0, size}};
    while (!pending.empty()) {
        const auto [first, last] = pending.back();
        pending.pop_back();
        const int64_t at = last - first < 2 ? -1 : cutter.best(first, last);
        if (at < 0) continue;
        cuts.push_back(at);
        pending.emplace_back(first, at);
        pending.emplace_back(at, last);
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

double log_likelihood_of_cuts(const double* counts, int64_t size, int64_t classes, const int64_t* starts, int64_t cuts, double worth) {
    std::vector<double> held(size_t(classes), 0.0), alpha(size_t(classes), 0.0), said(size_t(classes) + 1);
    double all = 0.0, sum = 0.0;
    for (int64_t i = 0; i < size; ++i)
        for (int64_t c = 0; c < classes; ++c) alpha[c] += counts[i * classes + c];
    for (const double n : alpha) all += n;
    for (double& share : alpha) share *= worth / all;
    for (int64_t part = 0, i = 0; part <= cuts; ++part) {
        std::fill(held.begin(), held.end(), 0.0);
        for (const int64_t end = part < cuts ? starts[part] : size; i < end; ++i)
            for (int64_t c = 0; c < classes; ++c) held[c] += counts[i * classes + c];
        double n = 0.0;
        for (int64_t c = 0; c < classes; ++c) n += held[c];
        log_rising(alpha.data(), held.data(), classes, said.data());
        for (int64_t c = 0; c < classes; ++c)
            if (alpha[c] > 0.0) sum += said[c];
        log_rising(&worth, &n, 1, said.data());
        sum -= said[0];
    }
    return sum;
}

}  // namespace tallybayes
