// The loss of weighed evidence, and its gradient.
#pragma once
#include <cstdint>

namespace tallybayes {

// Rows whose class is known, and the evidence for them: evidence[piece][class][row], for all classes or for those after
// `first`. A class that is unknown without the row has base[class][row] = −∞, others 0.
struct Weighed {
    const double *evidence, *base, *weights;
    const int32_t* labels;
    int64_t rows, classes, pieces, first;
};

// Σ weight · −log P(label | row), with P proportional to exp(base + Σ thetas[class][piece] · evidence + offsets[class]);
// `slope` is its gradient: by the thetas, [class][piece], then by the offsets. Rows are summed in order.
double weighed_loss(const Weighed& given, const double* thetas, const double* offsets, double* slope);

}  // namespace tallybayes
