// The loss of weighed evidence, and its gradient.
#pragma once
#include <cstdint>

namespace tallybayes {

// Rows whose class is known, and what each piece of evidence says about them: evidence[piece][class][row]. A class of
// which a row knows nothing has base[class][row] = −∞, others 0.
struct Weighed {
    const double *evidence, *base, *weights;
    const int32_t* labels;
    int64_t rows, classes, pieces;
};

// Σ weight · −log P(label | row), where P is in proportion to exp(base + Σ thetas[class][piece] · evidence + offsets[class]);
// `slope` is its gradient: of the thetas, [class][piece], and after these of the offsets. Rows are added up in their order.
double weighed_loss(const Weighed& given, const double* thetas, const double* offsets, double* slope);

}  // namespace tallybayes
