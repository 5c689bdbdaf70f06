// Smooth densities of the values of a column on a grid of equal steps, as counts of its cells in every class, and how well
// they predict the classes of values that are left out.
#pragma once
#include <cstdint>

namespace tallybayes {

constexpr int64_t densities_of_grid = 9;

// The counts that the cells would have under each density: full[density, cell, class]. The densities are: Gaussian with
// mean and variance integrated out, on the scale sinh(middle) and on that of the middles; kernels of ½, 1 and 2 times
// Silverman's bandwidth; and mixtures, half and half, of each Gaussian with each of the two narrower kernels. left are the
// counts in a cell and class without one of its values, of this weight. parameters[density] counts two for a Gaussian of
// each class, and for kernels how many widths fit into the range.
void smooth_densities(const double* counts, int64_t cells, int64_t classes, const double* middles, double step, double weight,
                      double* full, double* left, double* parameters);

// Σ −log P(class | cell) of the values counts[cell, class], each left out, for every density; pseudo[density, cell] are
// the pseudo-counts, `worth` in all.
void left_out_losses(const double* full, const double* left, const double* pseudo, const double* counts, int64_t densities,
                     int64_t cells, int64_t classes, double worth, double* losses);

}  // namespace tallybayes
