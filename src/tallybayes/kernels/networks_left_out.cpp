#include "networks_left_out.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr double rounding = 1e-12;  // relative to a count: a smaller difference is zero up to rounding

// The logarithm of a product, taken when the product becomes small.
class LogProduct {
public:
    void multiply(double factor) {
        product_ *= factor;
        if (product_ < 1e-150) flush();
    }
    double value() {
        flush();
        return log_;
    }

private:
    void flush() {
        log_ += std::log(product_);
        product_ = 1.0;
    }
    double product_ = 1.0, log_ = 0.0;
};

double log_mean(const double* logs, size_t count) {
    const double most = *std::max_element(logs, logs + count);
    if (std::isinf(most)) return most;
    double total = 0.0;
    for (size_t k = 0; k < count; ++k) total += std::exp(logs[k] - most);
    return most + std::log(total / double(count));
}

// The counts without one row, as probabilities of that row's own levels.
class Rest {
public:
    explicit Rest(const PairSums& sums)
        : s_(sums), columns_(sums.layout.columns), met_(size_t(columns_)), share_(size_t(columns_)),
          single_(size_t(columns_ * sums.width)) {}

    void take(const uint8_t* codes, int64_t own, double weight) {
        codes_ = codes, own_ = own, weight_ = weight;
        for (int64_t j = 0; j < columns_; ++j) take_column(j);
    }
    bool is_met(int64_t j) const { return met_[size_t(j)]; }
    double single(int64_t j, int64_t c) const { return single_[size_t(j * s_.width + c)]; }

    // P(level of j | class, level of p).
    double given(int64_t j, int64_t p, int64_t c) const {
        const double n = count(s_.layout.at(j, codes_[j], p, codes_[p]), c);
        const double parent = count(s_.layout.singles[p] + codes_[p], c);
        double whole = parent;
        if (s_.smoothing.ignored) whole -= s_.counts[s_.layout.at(j, 0, p, codes_[p]) * s_.width + c];
        if (whole < rounding * parent) whole = 0.0;
        if (s_.smoothing.m > 0) return (n + s_.smoothing.m * single(j, c)) / (whole + s_.smoothing.m);
        whole += pseudo(j);
        return whole > 0 ? (n + pseudo_level(j)) / whole : single(j, c);
    }

    // The same given two parents, shrunk towards `alone`.
    double given(int64_t j, int64_t p, int64_t q, int64_t c, double alone) const {
        const double n = count(s_.layout.at(codes_, j, codes_[j], p, q), c);
        const double parents = count(s_.layout.at(p, codes_[p], q, codes_[q]), c);
        double whole = parents;
        if (s_.smoothing.ignored) whole -= s_.counts[s_.layout.at(codes_, j, 0, p, q) * s_.width + c];
        if (whole < rounding * parents) whole = 0.0;
        if (s_.smoothing.m > 0) return (n + s_.smoothing.m * alone) / (whole + s_.smoothing.m);
        whole += pseudo(j);
        return whole > 0 ? (n + pseudo_level(j)) / whole : alone;
    }
    // P(level of j | class, levels of those parents that were seen).
    double given_met(int64_t j, int64_t p, int64_t q, int64_t c) const {
        if (p < 0 || !is_met(p)) p = q, q = -1;
        if (p < 0 || !is_met(p)) return single(j, c);
        const double one = given(j, p, c);
        return q < 0 || !is_met(q) ? one : given(j, p, q, c, one);
    }

private:
    double count(int64_t position, int64_t c) const {
        return s_.counts[position * s_.width + c] - (c == own_ ? weight_ : 0.0);
    }
    double pseudo(int64_t j) const { return s_.smoothing.each[j] * double(s_.levels[j]) + s_.smoothing.shared; }
    double pseudo_level(int64_t j) const { return s_.smoothing.each[j] + s_.smoothing.shared * share_[size_t(j)]; }
    bool is_read(int64_t j) const { return codes_[j] || !s_.smoothing.ignored; }

    void take_column(int64_t j) {
        const int64_t first = s_.layout.singles[j], at = first + codes_[j];
        double level = 0.0, all = 0.0;
        for (int64_t c = 0; c < s_.width; ++c) level += count(at, c), all += whole(j, c);
        met_[size_t(j)] = is_read(j) && level > 0;
        share_[size_t(j)] = all > 0 ? level / all : 0.0;
        for (int64_t c = 0; c < s_.width; ++c) {
            const double sum = whole(j, c) + pseudo(j);
            single_[size_t(j * s_.width + c)] =
                sum > 0 ? (count(at, c) + pseudo_level(j)) / sum : 1.0 / double(std::max<int64_t>(s_.levels[j], 1));
        }
    }
    // The number of rows of a class with a level of the column that is not ignored.
    double whole(int64_t j, int64_t c) const {
        return s_.wholes[j * s_.width + c] - (c == own_ && is_read(j) ? weight_ : 0.0);
    }

    const PairSums& s_;
    int64_t columns_;
    const uint8_t* codes_ = nullptr;
    int64_t own_ = 0;
    double weight_ = 0.0;
    std::vector<uint8_t> met_;
    std::vector<double> share_, single_;
};

// Calls say(rest, evidence) for every row that has any cell.
template <class Say>
void leave_out(const PairSums& sums, const uint8_t* codes, int64_t rows, const int32_t* classes, const double* weights,
               double* evidence, Say say) {
    const int64_t columns = sums.layout.columns;
    Rest rest(sums);
    Patience patience;
    for (int64_t row = 0; row < rows; ++row, codes += columns, evidence += sums.width) {
        patience.spend(columns * columns * sums.width);
        std::fill(evidence, evidence + sums.width, 0.0);
        if (std::all_of(codes, codes + columns, [](uint8_t code) { return !code; })) continue;
        rest.take(codes, classes[row], weights ? weights[row] : 1.0);
        say(rest, evidence);
    }
}

}  // namespace

void leave_out_network(const PairSums& sums, const int64_t* parents, const uint8_t* codes, int64_t rows,
                       const int32_t* classes, const double* weights, double* evidence) {
    leave_out(sums, codes, rows, classes, weights, evidence, [&](const Rest& rest, double* out) {
        for (int64_t c = 0; c < sums.width; ++c) {
            LogProduct product;
            for (int64_t j = 0; j < sums.layout.columns; ++j)
                if (rest.is_met(j)) product.multiply(rest.given_met(j, parents[2 * j], parents[2 * j + 1], c));
            out[c] = product.value();
        }
    });
}

void leave_out_averaged(const PairSums& sums, const uint8_t* codes, int64_t rows, const int32_t* classes,
                        const double* weights, double* evidence) {
    const int64_t columns = sums.layout.columns;
    std::vector<double> each(static_cast<size_t>(columns));
    const auto paired = [&](int64_t j, int64_t p) { return j != p && sums.layout.pair(j, p) >= 0; };
    std::vector<uint8_t> is_parent(static_cast<size_t>(columns));
    for (int64_t p = 0; p < columns; ++p)
        for (int64_t j = 0; j < columns; ++j) is_parent[size_t(p)] |= paired(j, p);
    leave_out(sums, codes, rows, classes, weights, evidence, [&](const Rest& rest, double* out) {
        for (int64_t c = 0; c < sums.width; ++c) {
            size_t parents = 0;
            const auto product = [&](int64_t p) {
                LogProduct all;
                for (int64_t j = 0; j < columns; ++j)
                    if (rest.is_met(j)) all.multiply(p >= 0 && paired(j, p) ? rest.given(j, p, c) : rest.single(j, c));
                return all.value();
            };
            for (int64_t p = 0; p < columns; ++p)
                if (rest.is_met(p) && is_parent[size_t(p)]) each[parents++] = product(p);
            if (!parents) each[parents++] = product(-1);
            out[c] = log_mean(each.data(), parents);
        }
    });
}

void leave_out_averaged_by_two(const PairSums& sums, const uint8_t* codes, int64_t rows, const int32_t* classes,
                               const double* weights, double* evidence) {
    const int64_t columns = sums.layout.columns;
    std::vector<double> each(size_t(columns * columns));
    const auto paired = [&](int64_t j, int64_t p) { return sums.layout.pair(j, p) >= 0; };
    leave_out(sums, codes, rows, classes, weights, evidence, [&](const Rest& rest, double* out) {
        const auto factor = [&](int64_t j, int64_t p, int64_t q, int64_t c) {
            if (p < 0 || j == p || !paired(j, p)) return rest.single(j, c);
            if (j == q) return rest.given(q, p, c);
            return rest.given(j, p, q, c, (rest.given(j, p, c) + rest.given(j, q, c)) / 2.0);
        };
        for (int64_t c = 0; c < sums.width; ++c) {
            size_t groups = 0;
            const auto product = [&](int64_t p, int64_t q) {
                LogProduct all;
                for (int64_t j = 0; j < columns; ++j)
                    if (rest.is_met(j)) all.multiply(factor(j, p, q, c));
                return all.value();
            };
            for (int64_t q = 1; q < columns; ++q)
                for (int64_t p = 0; p < q; ++p)
                    if (paired(p, q) && rest.is_met(p) && rest.is_met(q)) each[groups++] = product(p, q);
            if (!groups) each[groups++] = product(-1, -1);
            out[c] = log_mean(each.data(), groups);
        }
    });
}

}  // namespace tallybayes
