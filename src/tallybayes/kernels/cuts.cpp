#include "cuts.hpp"

#include <algorithm>
#include <cmath>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

double phi(double k) { return k > 0.0 ? k * std::log2(k) : 0.0; }

// The classes of some neighbouring values. The entropy of their n classes is (φ(n) − Σ φ(count)) / n bits.
struct Side {
    std::vector<double> held, phis;  // counts, and φ of each
    double n = 0.0, parts = 0.0;  // parts: Σ φ(count)

    explicit Side(int64_t classes) : held(size_t(classes), 0.0), phis(held) {}
    void change(int64_t c, double by) {
        parts -= phis[c];
        parts += phis[c] = phi(held[c] = std::max(held[c] + by, 0.0));
    }
    double bits() const { return phi(n) - parts; }
    double kinds() const { return double(std::count_if(held.begin(), held.end(), [](double k) { return k > 0.0; })); }
    double entropy() const { return n > 0.0 ? bits() / n : 0.0; }
};

class Cutter {
public:
    Cutter(const double* counts, int64_t classes) : counts_(counts), classes_(classes) {}

    // The value before which the cut lies that tells most; −1 if no cut is worth its cost.
    int64_t best(int64_t first, int64_t last) const {
        Side left(classes_), right(classes_);
        for (int64_t i = first; i < last; ++i) move(i, 1.0, right);
        const Side whole = right;
        double least = INFINITY;
        int64_t at = -1;
        for (int64_t i = first; i + 1 < last; ++i) {
            move(i, 1.0, left);
            move(i, -1.0, right);
            const double bits = left.bits() + right.bits();
            if (!(bits < least)) continue;
            least = bits, at = i + 1;
        }
        if (at < 0) return -1;
        left = right = Side(classes_);
        for (int64_t i = first; i < last; ++i) move(i, 1.0, i < at ? left : right);
        const double kinds = whole.kinds(), gain = whole.bits() - left.bits() - right.bits();
        const double cost = kinds * std::log2(3.0) + std::log2(1.0 - 2.0 * std::pow(3.0, -kinds)) -
                            (kinds * whole.entropy() - left.kinds() * left.entropy() - right.kinds() * right.entropy());
        return gain > std::log2(std::max(whole.n - 1.0, 1.0)) + cost ? at : -1;
    }

private:
    void move(int64_t value, double sign, Side& side) const {
        const double* row = counts_ + value * classes_;
        for (int64_t c = 0; c < classes_; ++c) {
            if (row[c] == 0.0) continue;
            side.change(c, sign * row[c]);
            side.n += sign * row[c];
        }
    }

    const double* counts_;
    int64_t classes_;
};

}  // namespace

std::vector<int64_t> least_description(const double* counts, int64_t size, int64_t classes) {
    const Cutter cutter(counts, classes);
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
    for (int64_t i = 0; i < size * classes; ++i) alpha[i % classes] += counts[i];
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
