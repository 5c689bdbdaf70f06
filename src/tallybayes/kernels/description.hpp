// Fayyad and Irani's discretisation: as many cuts as the classes justify.
#pragma once
#include <cstdint>
#include <vector>

#include "cuts.hpp"

namespace tallybayes {

// The values before which cuts are more informative about the classes than they cost to describe, in order.
std::vector<int64_t> least_description(const Counted& column, const Below& below);

}  // namespace tallybayes
