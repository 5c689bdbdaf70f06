// From scores to shares: how much of every row belongs to each class, in whole units.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// scores[class][row], which are overwritten, and the weight of every row in units. A row that is impossible in every
// class is shared equally.
struct Scored {
    double* scores;
    int64_t rows, classes;
    const double* weights;
};

// Row i has shares in classes[starts[i]] … classes[starts[i + 1] − 1], rounded down; the remainder goes to the largest.
// logs are log Σ exp(score); −∞ for a row that is impossible in every class.
struct SharedOut {
    std::vector<int64_t> starts, units;
    std::vector<int32_t> classes;
    std::vector<double> logs;
};

SharedOut share_out(const Scored& scored);

}  // namespace tallybayes
