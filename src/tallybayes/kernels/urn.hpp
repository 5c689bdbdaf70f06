// The evidence of repeated words under a Pólya urn, which holds α balls of each word in a class; every ball drawn is
// returned together with another.
#pragma once
#include <cstdint>
#include <vector>

#include "different.hpp"
#include "reader.hpp"
#include "words.hpp"

namespace tallybayes {

class Urn {
public:
    Urn(const Scores& evidence, int64_t words)
        : evidence_(evidence), different_(words), product_(evidence.width, 1.0), log_alpha_(evidence.width),
          inverse_(evidence.width) {}

    // Corrects total[class], which has log α of every occurrence, by adding Σ over words of log Γ(α + times) − log Γ(α) −
    // times · log α; nothing if α is 0.
    void add_again(const Read& read, double* total);

private:
    void look_up(int32_t word);
    double invert(uint32_t times, double* total);
    void multiply(uint32_t times, double most, double* total);
    void settle(double* total);

    const Scores& evidence_;
    Different different_;
    std::vector<double> product_;     // by class, of factors whose logarithm is not yet added
    double bound_ = 1.0;              // an upper bound of the products
    std::vector<double> log_alpha_, inverse_;  // by class, of the current word
};

}  // namespace tallybayes
