#include "weighing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "exponential.hpp"
#include "logarithm.hpp"
#include "signals.hpp"

namespace tallybayes {
namespace {

constexpr int64_t lanes = 8;  // partial sums, in the same order on every machine
constexpr int64_t ahead = 1;  // classes
constexpr double far = 1e9;  // the score of a class against one that is gone
constexpr int64_t least_rows = 64, most_rows = 512, most_scores = 1 << 13;  // of a block, for the processor's cache

INLINE double dot(const double* a, const double* b, int64_t n) {
    double sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// |x|, but at most `most` > 0; without a comparison of doubles, which the compiler would not vectorise.
INLINE double magnitude(double x, double most) {
    const int64_t bits = std::bit_cast<int64_t>(x) & INT64_MAX, limit = std::bit_cast<int64_t>(most);
    return std::bit_cast<double>(bits < limit ? bits : limit);
}

// A block of rows, with buffers for intermediate results.
class Block {
public:
    Block(const Weighed& given, int64_t size)
        : given_(given), size_(size), steps_(size_t(given.classes * size)), highest_(size_t(size)), total_(highest_), logs_(highest_) {}

    double add(int64_t first, int64_t count, const double* thetas, const double* offsets, double* slope) {
        if (given_.classes == 2 && given_.first == 1) return add_two(first, count, thetas + given_.pieces, offsets, slope);
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
    // The same for two classes, by the score of the second against the first.
    double add_two(int64_t first, int64_t count, const double* thetas, const double* offsets, double* slope) {
        double *steps = steps_.data(), *total = total_.data(), *logs = logs_.data();
        score_two(first, count, thetas, offsets[1] - offsets[0], steps);
        step_two(first, count, steps, total, highest_.data());
        logarithm(total, count, logs);
        const double* weights = given_.weights + first;
        const double loss = dot(weights, highest_.data(), count) + dot(weights, logs, count);
        descend_two(first, count, steps, slope);
        return loss;
    }

    BOTH void score_two(int64_t first, int64_t count, const double* thetas, double offset, double* scores) const {
        const double *base = given_.base + first, *second = base + given_.rows;
        for (int64_t i = 0; i < count; ++i) {
            const double apart = second[i] - base[i];
            scores[i] = offset + std::copysign(magnitude(apart, far), apart);
        }
        for (int64_t j = 0; j < given_.pieces; ++j) {
            const double theta = thetas[j], *piece = evidence(j, 1, first);
            for (int64_t i = 0; i < count; ++i) scores[i] += theta * piece[i];
        }
    }

    // Turns scores into weight · (P(second class) − whether it is the row's); the loss is over + log(total).
    BOTH void step_two(int64_t first, int64_t count, double* steps, double* total, double* over) const {
        const double* weights = given_.weights + first;
        const int32_t* labels = given_.labels + first;
        for (int64_t i = 0; i < count; ++i) {
            const double sign = 1.0 - 2.0 * labels[i], z = sign * steps[i];  // the score of the wrong class
            const double least = exp_negative(-magnitude(z, -lowest));
            total[i] = 1.0 + least;
            over[i] = 0.5 * (z + std::fabs(z));
            steps[i] = sign * weights[i] * (0.5 + std::copysign(0.5 - least / total[i], z));
        }
    }

    BOTH void descend_two(int64_t first, int64_t count, const double* steps, double* slope) const {
        for (int64_t j = 0; j < given_.pieces; ++j) slope[given_.pieces + j] += dot(steps, evidence(j, 1, first), count);
        double sum = 0.0;
        for (int64_t i = 0; i < count; ++i) sum += steps[i];
        slope[2 * given_.pieces] -= sum;
        slope[2 * given_.pieces + 1] += sum;
    }

    double* steps(int64_t c) { return steps_.data() + c * size_; }
    const double* evidence(int64_t piece, int64_t c, int64_t first) const {
        return given_.evidence + (piece * (given_.classes - given_.first) + c - given_.first) * given_.rows + first;
    }
    // Prefetches the evidence for a class soon to come: that of one class is far from that of the next.
    INLINE void fetch_next(int64_t piece, int64_t c, int64_t first, int64_t count) const {
        if (c + ahead >= given_.classes) return;
        const double* next = evidence(piece, c + ahead, first);
        for (int64_t i = 0; i < count; i += 8) __builtin_prefetch(next + i, 0, 3);
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
                const double* piece = evidence(j, c, first);
                fetch_next(j, c, first, count);
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
            for (int64_t j = 0; j < pieces(c); ++j) {
                fetch_next(j, c, first, count);
                slope[c * given_.pieces + j] += dot(step, evidence(j, c, first), count);
            }
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
    const int64_t size = std::clamp(most_scores / std::max<int64_t>(given.classes, 1), least_rows, most_rows);
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
