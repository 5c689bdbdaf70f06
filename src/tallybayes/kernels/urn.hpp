// The evidence of repeated words under Pólya's urn: it holds α balls of each word in a class, and every one that is
// drawn is returned with another.
#pragma once
#include <cstdint>
#include <vector>

#include "different.hpp"
#include "reader.hpp"
#include "words.hpp"

namespace tallybayes {

class Urn {
public:
    Urn(const Scores& said, int64_t words)
        : said_(said), different_(words), product_(said.width, 1.0), log_alpha_(said.width), inverse_(said.width) {}

    // Adds to total[class], which has log α of every word as often as it comes, what it is short of: Σ over words of
    // log Γ(α + times) − log Γ(α) − times · log α. Where α is 0, nothing.
    void add_again(const Read& read, double* total);

private:
    void look_up(int32_t word);
    double invert(uint32_t times, double* total);
    void multiply(uint32_t times, double most, double* total);
    void settle(double* total);

    const Scores& said_;
    Different different_;
    std::vector<double> product_;     // by class, of what is not yet added as its logarithm
    double bound_ = 1.0;              // above all of these
    std::vector<double> log_alpha_, inverse_;  // by class, of the word at hand
};

}  // namespace tallybayes
