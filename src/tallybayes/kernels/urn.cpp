#include "urn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tallybayes {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr double large = 0x1p800;   // products that may exceed this are added as their logarithms
constexpr double smallest = -80.0;  // for log α above this, a factor 1 + times / α is below 2^150

}  // namespace

void Urn::look_up(int32_t word) {
    if (evidence_.table) {
        std::copy_n(evidence_.table + int64_t(word) * evidence_.width, evidence_.width, log_alpha_.data());
        return;
    }
    const double otherwise = evidence_.otherwise[word];
    for (int64_t c = 0; c < evidence_.width; ++c) log_alpha_[c] = otherwise + evidence_.each[c];
    for (int64_t at = evidence_.starts[word]; at < evidence_.starts[word + 1]; ++at) {
        const int32_t c = evidence_.classes[at];
        log_alpha_[c] = (otherwise == nothing ? 0.0 : otherwise) + evidence_.cells[at] + evidence_.each[c];
    }
}

// By class, 1 / α of the current word; 0 if there is nothing to multiply: if α is 0, or so small that the evidence is added
// at once. Returns the largest.
double Urn::invert(uint32_t times, double* total) {
    double most = 0.0;
    for (int64_t c = 0; c < evidence_.width; ++c) {
        const double log_alpha = log_alpha_[c];
        const bool plain = log_alpha >= smallest;
        inverse_[c] = plain ? std::exp(-log_alpha) : 0.0;
        most = std::max(most, inverse_[c]);
        if (!plain && log_alpha != nothing)
            for (uint32_t k = 1; k < times; ++k) total[c] += std::log(double(k)) - log_alpha;
    }
    return most;
}

void Urn::multiply(uint32_t times, double most, double* total) {
    const int64_t width = evidence_.width;
    const double* inverse = inverse_.data();
    double* product = product_.data();
    for (uint32_t k = 1; k < times; ++k) {
        const double factor = 1.0 + double(k) * most;
        if (bound_ * factor >= large) settle(total);
        bound_ *= factor;
        for (int64_t c = 0; c < width; ++c) product[c] *= 1.0 + double(k) * inverse[c];
    }
}

void Urn::settle(double* total) {
    for (int64_t c = 0; c < evidence_.width; ++c) total[c] += std::log(product_[c]);
    std::fill(product_.begin(), product_.end(), 1.0);
    bound_ = 1.0;
}

void Urn::add_again(const Read& read, double* total) {
    const std::vector<Different::Word>& found = different_.of(read);
    if (found.size() == read.size()) return;
    in_stretches(found.begin(), found.end(), [&](auto first, auto last) {
        for (; first < last; ++first) {
            if (first->times < 2) continue;
            look_up(first->number);
            multiply(first->times, invert(first->times, total), total);
        }
    });
    settle(total);
}

}  // namespace tallybayes
