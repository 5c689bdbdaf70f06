#include "weighing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "exponential.hpp"
#include "logarithm.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int64_t lanes = 8;  // partial sums, in the same order on every machine
constexpr int64_t most_rows = 512, most_scores = 1 << 13;  // of a block, which stays in the processor's cache

INLINE double dot(const double* a, const double* b, int64_t n) {
    double sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// A block of rows, with buffers for intermediate results.
class Block {
public:
    Block(const Weighed& given, int64_t size)
        : given_(given), size_(size), steps_(size_t(given.classes * size)), highest_(size_t(size)), total_(highest_), logs_(highest_) {}

    double add(int64_t first, int64_t count, const double* thetas, const double* offsets, double* slope) {
        score(first, count, thetas, offsets);
        double loss = 0.0;
        for (int64_t i = 0; i < count; ++i) loss -= given_.weights[first + i] * steps(given_.labels[first + i])[i];
        normalise(first, count);
        logarithm(total_.data(), count, logs_.data());
        for (int64_t i = 0; i < count; ++i) {
            loss += given_.weights[first + i] * (highest_[i] + logs_[i]);
            steps(given_.labels[first + i])[i] -= given_.weights[first + i];
        }
        descend(first, count, slope);
        return loss;
    }

private:
    double* steps(int64_t c) { return steps_.data() + c * size_; }
    const double* said(int64_t piece, int64_t c, int64_t first) const {
        return given_.evidence + (piece * (given_.classes - given_.first) + c - given_.first) * given_.rows + first;
    }
    int64_t pieces(int64_t c) const { return c < given_.first ? 0 : given_.pieces; }

    // Writes the scores of the classes into `steps`, and the highest of each row.
    BOTH void score(int64_t first, int64_t count, const double* thetas, const double* offsets) {
        double* highest = highest_.data();
        std::fill(highest, highest + count, -INFINITY);
        for (int64_t c = 0; c < given_.classes; ++c) {
            double* scores = steps(c);
            const double* base = given_.base + c * given_.rows + first;
            for (int64_t i = 0; i < count; ++i) scores[i] = base[i] + offsets[c];
            for (int64_t j = 0; j < pieces(c); ++j) {
                const double theta = thetas[c * given_.pieces + j];
                const double* piece = said(j, c, first);
                for (int64_t i = 0; i < count; ++i) scores[i] += theta * piece[i];
            }
            for (int64_t i = 0; i < count; ++i) highest[i] = std::max(highest[i], scores[i]);
        }
    }

    // Turns `steps` into weight · P(class | row), and writes the normalising totals.
    BOTH void normalise(int64_t first, int64_t count) {
        double *total = total_.data(), *part = logs_.data();
        const double *highest = highest_.data(), *weights = given_.weights + first;
        std::fill(total, total + count, 0.0);
        for (int64_t c = 0; c < given_.classes; ++c) {
            double* scores = steps(c);
            for (int64_t i = 0; i < count; ++i)
                total[i] += scores[i] = exp_negative(std::max(scores[i] - highest[i], lowest));
        }
        for (int64_t i = 0; i < count; ++i) part[i] = weights[i] / total[i];
        for (int64_t c = 0; c < given_.classes; ++c) {
            double* scores = steps(c);
            for (int64_t i = 0; i < count; ++i) scores[i] *= part[i];
        }
    }

    BOTH void descend(int64_t first, int64_t count, double* slope) {
        for (int64_t c = 0; c < given_.classes; ++c) {
            const double* step = steps(c);
            for (int64_t j = 0; j < pieces(c); ++j) slope[c * given_.pieces + j] += dot(step, said(j, c, first), count);
            double& offset = slope[given_.classes * given_.pieces + c];
            for (int64_t i = 0; i < count; ++i) offset += step[i];
        }
    }

    const Weighed& given_;
    int64_t size_;
    std::vector<double> steps_, highest_, total_, logs_;  // steps by class
};

}  // namespace

double weighed_loss(const Weighed& given, const double* thetas, const double* offsets, double* slope) {
    const int64_t size = std::clamp<int64_t>(most_scores / std::max<int64_t>(given.classes, 1), lanes, most_rows);
    Block block(given, size);
    std::fill(slope, slope + given.classes * (given.pieces + 1), 0.0);
    Patience patience;
    double loss = 0.0;
    for (int64_t first = 0; first < given.rows; first += size) {
        const int64_t count = std::min(size, given.rows - first);
        patience.spend(count * given.classes * given.pieces);
        loss += block.add(first, count, thetas, offsets, slope);
    }
    return loss;
}

}  // namespace tallybayes
