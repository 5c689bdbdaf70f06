#include "shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "logarithm.hpp"

namespace tallybayes {
namespace {

constexpr int worths = 16;          // that the prior is tried at: 1/64 to 16 million values, each four times the last
constexpr double enough_each = 10;  // values for each level, on average, below which a profile of the levels says nothing

double worth(int i) { return std::ldexp(1.0, 2 * (i - 3)); }

// Counts of the classes that have any, and how many values each has.
struct Held {
    std::vector<int64_t> classes;
    std::vector<double> n;
    double total = 0.0;

    Held(const double* counts, int64_t levels, int64_t width) {
        for (int64_t c = 0; c < width; ++c) {
            double sum = 0.0;
            for (int64_t level = 0; level < levels; ++level) sum += counts[level * width + c];
            if (!(sum > 0.0)) continue;
            classes.push_back(c);
            n.push_back(sum);
            total += sum;
        }
    }
};

// log P(counts) where the prior is worth m values, every class's probabilities integrated out; but for the orders of the
// values.
double log_likelihood(const double* counts, int64_t levels, int64_t width, const Held& held, const double* profile,
                      double m) {
    double said = 0.0;
    for (int64_t level = 0; level < levels; ++level) {
        const double assumed = m * profile[level], unmet = log_gamma(assumed);
        for (const int64_t c : held.classes) {
            const double count = counts[level * width + c];
            if (count > 0.0) said += log_gamma(assumed + count) - unmet;
        }
    }
    for (const double n : held.n) said -= log_gamma(m + n) - log_gamma(m);
    return said;
}

}  // namespace

void fit_pseudocounts(const double* counts, int64_t levels, int64_t classes, double* pseudo) {
    const Held held(counts, levels, classes);
    const double many = double(held.classes.size());
    std::fill(pseudo, pseudo + levels, 1.0);
    if (many < 2 || levels < 2 || held.total < enough_each * double(levels)) return;
    std::vector<double> profile(size_t(levels), 0.0);
    for (int64_t level = 0; level < levels; ++level)
        for (size_t i = 0; i < held.n.size(); ++i)
            profile[level] += (counts[level * classes + held.classes[i]] + 1.0) / (held.n[i] + double(levels)) / many;
    const double mean = held.total / many;
    double moved[worths], likely[worths], weight = 0.0, sum = 0.0;
    for (int i = 0; i < worths; ++i) {
        moved[i] = worth(i) / (worth(i) + mean);
        likely[i] = log_likelihood(counts, levels, classes, held, profile.data(), worth(i)) + std::log(moved[i]) +
                    std::log1p(-moved[i]);
    }
    const double best = *std::max_element(likely, likely + worths);
    for (int i = 0; i < worths; ++i) {
        weight += std::exp(likely[i] - best);
        sum += std::exp(likely[i] - best) * moved[i];
    }
    const double share = sum / weight;
    for (int64_t level = 0; level < levels; ++level) pseudo[level] = mean * share / (1.0 - share) * profile[level];
}

}  // namespace tallybayes
