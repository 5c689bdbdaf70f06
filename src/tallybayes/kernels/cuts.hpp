// Supervised discretisation: where to cut a range of values. Counts are by sorted value and class.
#pragma once
#include <cstdint>
#include <vector>

namespace tallybayes {

// The values before which to cut by Fayyad and Irani's minimum description length, in order.
std::vector<int64_t> least_description(const double* counts, int64_t size, int64_t classes);

// log P(classes | intervals) where a new interval begins at each of the `starts`. The shares of the classes in an
// interval have a Dirichlet prior around those of the whole column, worth this many values.
double log_likelihood_of_cuts(const double* counts, int64_t size, int64_t classes, const int64_t* starts, int64_t cuts, double worth);

}  // namespace tallybayes
