// Walking through the words of texts, each with the runs that end in it; and products of many probabilities.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sequence.hpp"

namespace tallybayes {

constexpr ptrdiff_t patience = 1 << 12;  // stretches of words before signals are heeded
constexpr auto nothing_more = [](const char*, const std::vector<Span>&) {};

// A product of probabilities for every class, whose logarithm is taken before it underflows.
class Product {
public:
    explicit Product(int width) : p_(size_t(width)), logs_(size_t(width)) {}

    void start() {
        std::fill(p_.begin(), p_.end(), 1.0);
        std::fill(logs_.begin(), logs_.end(), 0.0);
    }
    void times(const double* p) {
        double least = 1.0;
        for (size_t c = 0; c < p_.size(); ++c) {
            p_[c] *= p[c];
            least = std::min(least, p_[c]);
        }
        if (least < 1e-200) take();
    }
    const std::vector<double>& logarithms() {
        take();
        return logs_;
    }

private:
    void take() {
        for (size_t c = 0; c < p_.size(); ++c) {
            logs_[c] += std::log(p_[c]);
            p_[c] = 1.0;
        }
    }

    std::vector<double> p_, logs_;
};

inline int32_t Chain::child(int32_t before, int32_t word, uint64_t at) const {
    const uint64_t key = uint64_t(uint32_t(before)) << 32 | uint32_t(word);
    while (children_[at].run >= 0 && children_[at].key != key) at = (at + 1) & mask_;
    return children_[at].run;
}

// The words of texts; those that are not in the index have a number beyond all others.
template <class Find, class Take>
void Chain::read(const Documents& documents, const Reading& reading, Find find, Take take) const {
    const auto number = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
        index_.look_up(text, spans, found);
        find(text, spans);
        for (int32_t& code : found)
            if (code < 0) code = std::numeric_limits<int32_t>::max();
    };
    Reader(documents, reading).each(Present(documents), number, take);
}

// Visits every word after the start mark. Words are looked up in stretches, first all pairs, then all triples, so that
// memory accesses overlap.
template <class Step>
void Chain::walk(const Read& read, Step step) const {
    constexpr ptrdiff_t stretch = 64;
    int32_t found[longest + 1][stretch + 1];  // the run that ends in each word, by length; preceded by that of the last word
    uint64_t slots[stretch];
    for (auto& runs : found) runs[0] = -1;
    found[0][0] = start_ < size() ? start_ : -1;
    Place place;
    for (const int32_t* code = read.begin() + 1; code < read.end(); code += stretch) {
        if ((code - read.begin()) / stretch % patience == patience - 1) heed_signals();
        const ptrdiff_t count = std::min(stretch, read.end() - code);
        for (ptrdiff_t i = 0; i < count; ++i) {
            found[0][i + 1] = code[i] < size() && lengths_[size_t(code[i])] == 1 ? code[i] : -1;
            if (found[0][i + 1] >= 0) __builtin_prefetch(&starts_[size_t(code[i])]);
        }
        for (int j = 1; j <= order_; ++j) {
            for (ptrdiff_t i = 0; i < count; ++i) {
                slots[i] = slot(found[j - 1][i], found[0][i + 1]);
                __builtin_prefetch(&children_[slots[i]]);
            }
            for (ptrdiff_t i = 0; i < count; ++i) {
                const bool known = found[j - 1][i] >= 0 && found[0][i + 1] >= 0;
                found[j][i + 1] = known ? child(found[j - 1][i], found[0][i + 1], slots[i]) : -1;
                if (found[j][i + 1] >= 0) __builtin_prefetch(&starts_[size_t(found[j][i + 1])]);
            }
        }
        for (int j = 0; j <= order_; ++j)
            for (ptrdiff_t i = 1; i <= count; ++i)
                if (found[j][i] >= 0) __builtin_prefetch(&scored_[size_t(starts_[size_t(found[j][i])])]);
        for (ptrdiff_t i = 0; i < count; ++i) {
            place.word = found[0][i + 1];
            for (int j = 0; j < order_; ++j) {
                place.before[j] = found[j][i];
                place.run[j] = found[j + 1][i + 1];
            }
            step(place);
        }
        for (int j = 0; j <= order_; ++j) found[j][0] = found[j][count];
    }
}

inline void Chain::weigh(const Place& place, const double* base, double* p) const {
    std::copy(base, base + width_, p);
    const auto keep = [&](int32_t run) {
        if (run < 0) return;
        for (int64_t at = starts_[size_t(run)]; at < starts_[size_t(run) + 1]; ++at)
            p[scored_[size_t(at)].class_] += scored_[size_t(at)].kept;
    };
    keep(place.word);
    for (int j = 0; j < order_ && place.before[j] >= 0; ++j) {
        for (int64_t at = starts_[size_t(place.before[j])]; at < starts_[size_t(place.before[j]) + 1]; ++at)
            p[scored_[size_t(at)].class_] *= scored_[size_t(at)].rest;
        keep(place.run[j]);
    }
}

}  // namespace tallybayes
