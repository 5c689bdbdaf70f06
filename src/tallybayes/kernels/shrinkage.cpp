#include "shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr int worths = 16;          // values of m that are tried: 1/64 to 16 million, in steps of a factor of four
constexpr double enough_each = 10;  // mean number of values per level, below which a profile is not informative
constexpr double strong = 3;        // nats, odds of 20 to 1

double worth(int i) { return std::ldexp(1.0, 2 * (i - 3)); }

// log Γ(a + n) − log Γ(a), of few values as the logarithm of a product.
double rising(double a, double n) {
    if (n > 8.0 || n != std::floor(n)) return log_gamma(a + n) - log_gamma(a);
    double product = a;
    for (double i = 1.0; i < n; ++i) product *= a + i;
    return std::log(product);
}

// The number of values that a prior is worth, and the logarithm of the likelihood integrated over it.
struct Worth {
    double values, evidence;

    // From the log-likelihoods at the values tried, given the mean number of values that the prior is added to.
    Worth(const double* likelihoods, double mean) {
        double moved[worths], likely[worths], prior = 0.0, weight = 0.0, sum = 0.0;
        for (int i = 0; i < worths; ++i) {
            moved[i] = worth(i) / (worth(i) + mean);
            prior += moved[i] * (1.0 - moved[i]);
            likely[i] = likelihoods[i] + std::log(moved[i]) + std::log1p(-moved[i]);
        }
        const double best = *std::max_element(likely, likely + worths);
        for (int i = 0; i < worths; ++i) {
            weight += std::exp(likely[i] - best);
            sum += std::exp(likely[i] - best) * moved[i];
        }
        const double share = sum / weight;
        values = mean * share / (1.0 - share);
        evidence = best + std::log(weight / prior);
    }
};

// The classes with values, the number of values of each, and their total.
struct Held {
    std::vector<int64_t> classes;
    std::vector<double> n;
    double total = 0.0;

    // One of the classes may be given another total.
    Held(const double* counts, int64_t levels, int64_t width, int64_t changed = -1, double to = 0.0) {
        for (int64_t c = 0; c < width; ++c) {
            double sum = 0.0;
            for (int64_t level = 0; level < levels; ++level) sum += counts[level * width + c];
            if (c == changed) sum = to;
            if (!(sum > 0.0)) continue;
            classes.push_back(c);
            n.push_back(sum);
            total += sum;
        }
    }

    double many() const { return double(classes.size()); }
    double mean() const { return total / many(); }
    bool comparable(int64_t levels) const { return many() >= 2 && levels >= 2; }
    bool few(int64_t levels) const { return total < enough_each * double(levels); }
    bool too_few(int64_t levels) const { return !comparable(levels) || few(levels); }

    // The mean share of a level over the classes, from its counts in all of them.
    double profile(const double* counts, int64_t levels) const {
        double share = 0.0;
        for (size_t i = 0; i < n.size(); ++i) share += (counts[classes[i]] + 1.0) / (n[i] + double(levels)) / many();
        return share;
    }

    // The contribution of a level's counts to log P(counts), with a prior worth m values and the probabilities of every
    // class integrated out; without the multinomial coefficient.
    double evidence(const double* counts, double assumed) const {
        const double unmet = log_gamma(assumed);
        double sum = 0.0;
        for (const int64_t c : classes)
            if (counts[c] > 0.0) sum += log_gamma(assumed + counts[c]) - unmet;
        return sum;
    }

    // The contribution of the classes' totals, which is subtracted.
    double taken(double m) const {
        double sum = 0.0;
        for (const double each : n) sum += log_gamma(m + each) - log_gamma(m);
        return sum;
    }

    // The number of values that the prior is worth, from log P(counts) at each of the values tried.
    double worth_of(const double* likelihoods) const { return Worth(likelihoods, mean()).values; }

    // log P(classes | level), with a prior worth so many values, spread like all classes; without the multinomial
    // coefficient.
    double chance(const double* counts, double all, double assumed) const {
        double sum = -rising(assumed, all);
        for (size_t i = 0; i < n.size(); ++i)
            if (counts[classes[i]] > 0.0) sum += rising(assumed * n[i] / total, counts[classes[i]]);
        return sum;
    }
};

// The profile of all levels, and log P(counts) at each of the values tried.
struct Fit {
    Held held;
    std::vector<double> profile;
    double likelihoods[worths];

    Fit(const double* counts, int64_t levels, int64_t width, Held found) : held(std::move(found)), profile(size_t(levels)) {
        for (int64_t level = 0; level < levels; ++level) profile[level] = held.profile(counts + level * width, levels);
        for (int i = 0; i < worths; ++i) {
            double sum = 0.0;
            for (int64_t level = 0; level < levels; ++level)
                sum += held.evidence(counts + level * width, worth(i) * profile[level]);
            likelihoods[i] = sum - held.taken(worth(i));
        }
    }
};

// log P(classes | levels) at each of the values tried: with a prior worth as many for every level, and with one in
// proportion to the level's values, or, of few values, with Laplace's, one for every class.
struct Strengths {
    Held held;
    double levels;
    bool few;
    double even[worths] = {}, often[worths] = {}, laplace = 0.0;

    Strengths(const double* counts, int64_t size, int64_t width, Held found)
        : held(std::move(found)), levels(double(size)), few(held.few(size)) {
        for (int64_t level = 0; level < size; ++level) add(counts + level * width, 1.0);
    }

    double each() const { return held.total / levels; }

    void add(const double* counts, double sign) {
        double all = 0.0;
        for (const int64_t c : held.classes) all += counts[c];
        if (!(all > 0.0)) return;
        for (int i = 0; i < worths; ++i) {
            even[i] += sign * held.chance(counts, all, worth(i));
            if (!few) often[i] += sign * held.chance(counts, all, worth(i) * all / each());
        }
        if (!few) return;
        laplace -= sign * rising(held.many(), all);
        for (const int64_t c : held.classes) laplace += sign * rising(1.0, counts[c]);
    }

    // 0 unless the other prior is much less likely.
    double strength() const {
        const Worth found(even, each());
        const double other = few ? laplace : Worth(often, each()).evidence;
        return found.evidence > other + strong ? found.values : 0.0;
    }
};

}  // namespace

double fit_strength(const double* counts, int64_t levels, int64_t classes) {
    const Held held(counts, levels, classes);
    return held.comparable(levels) ? Strengths(counts, levels, classes, held).strength() : 0.0;
}

void strengths_left_out(const double* counts, int64_t levels, int64_t width, LeftCells cells, double* strengths) {
    std::optional<Strengths> all;
    std::vector<double> row(static_cast<size_t>(width));
    for (int64_t at = 0; at < cells.size; ++at) {
        const int64_t c = cells.classes[at];
        if (!at || c != cells.classes[at - 1] || cells.totals[at] != cells.totals[at - 1]) {
            const Held held(counts, levels, width, c, cells.totals[at]);
            all.reset();
            if (held.comparable(levels)) all.emplace(counts, levels, width, held);
        }
        strengths[at] = 0.0;
        if (!all) continue;
        const double* const before = counts + cells.levels[at] * width;
        std::copy(before, before + width, row.begin());
        row[c] = cells.left[at];
        Strengths left = *all;
        left.add(before, -1.0);
        left.add(row.data(), 1.0);
        strengths[at] = left.strength();
    }
}

void fit_pseudocounts(const double* counts, int64_t levels, int64_t classes, double* pseudo) {
    const Held held(counts, levels, classes);
    std::fill(pseudo, pseudo + levels, 1.0);
    if (held.too_few(levels)) return;
    const Fit fit(counts, levels, classes, held);
    const double m = held.worth_of(fit.likelihoods);
    for (int64_t level = 0; level < levels; ++level) pseudo[level] = m * fit.profile[level];
}

// Leaving a value out changes its class's share of every level, but the level of the value matters to that level alone. So
// all levels are processed once for each class.
void fit_left_out(const double* counts, int64_t levels, int64_t width, LeftCells cells, double* worths_out, double* shares) {
    std::optional<Fit> fit;
    std::vector<double> row(static_cast<size_t>(width));
    for (int64_t at = 0; at < cells.size; ++at) {
        const int64_t c = cells.classes[at];
        if (!at || c != cells.classes[at - 1] || cells.totals[at] != cells.totals[at - 1]) {
            const Held held(counts, levels, width, c, cells.totals[at]);
            fit.reset();
            if (!held.too_few(levels)) fit.emplace(counts, levels, width, held);
        }
        worths_out[at] = double(levels);
        shares[at] = 1.0 / double(levels);
        if (!fit) continue;
        const double* const all = counts + cells.levels[at] * width;
        std::copy(all, all + width, row.begin());
        row[c] = cells.left[at];
        const double before = fit->profile[cells.levels[at]], share = fit->held.profile(row.data(), levels);
        double likelihoods[worths];
        for (int i = 0; i < worths; ++i)
            likelihoods[i] = fit->likelihoods[i] - fit->held.evidence(all, worth(i) * before) +
                             fit->held.evidence(row.data(), worth(i) * share);
        worths_out[at] = fit->held.worth_of(likelihoods);
        shares[at] = share;
    }
}

}  // namespace tallybayes
