// The evidence of columns given their parents: lookups in tables, and the mean over networks with one parent each.
#pragma once
#include <cstdint>

namespace tallybayes {

// A column and its parents: the evidence for each class is the row of the table at `start` + Σ steps · codes.
struct Lookup {
    int64_t start;
    int64_t steps[3];
    int64_t columns[3];
};

// Adds the evidence of all lookups to scores[class][row]. Rows in which all codes are 0 add nothing.
void add_network(const uint8_t* codes, int64_t rows, int64_t columns, const Lookup* lookups, int64_t count,
                 const double* table, int64_t width, double* scores, int64_t stride);

// Adds the log of the mean over those `groups` of `count` lookups whose two parents both have seen levels; the group after
// the last is used if there is none. met[starts[column] + code] is whether a level was seen.
void add_mixture(const uint8_t* codes, int64_t rows, int64_t columns, const int64_t* starts, const uint8_t* met,
                 const int64_t* parents, const Lookup* lookups, int64_t groups, int64_t count, const double* table,
                 int64_t width, double* scores, int64_t stride);

// Adds the log of the mean, over parents with seen levels, of exp Σ_j table[parent's level][level of j][class]; levels are
// numbered through all columns, `starts` has the first of each. A parent's own row has its evidence alone. If
// no parent has a seen level, `alone`[level][class] is summed instead.
void add_averaged(const uint8_t* codes, int64_t rows, int64_t columns, const int64_t* starts, int64_t levels,
                  const double* table, const uint8_t* met, const double* alone, int64_t width, double* scores,
                  int64_t stride);

}  // namespace tallybayes
