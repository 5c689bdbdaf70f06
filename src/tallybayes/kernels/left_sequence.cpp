// Leave-one-out of texts. Counts are integers here; leaving a text out changes only the counts of its own runs in its class,
// the numbers of runs that occurred once and twice, and the number of words.
#include <unordered_map>

#include "sequence_walk.hpp"

namespace tallybayes {

struct Chain::Left {
    struct Own {
        double n = 0.0, behind = 0.0, kinds = 0.0;  // what the text added
    };
    std::unordered_map<int32_t, Own> own;
    double total = 0.0, kinds = 0.0, words = 0.0;
    double once[longest + 1], twice[longest + 1];

    double without(int32_t run, double n) const {
        const auto found = own.find(run);
        return found == own.end() ? n : n - found->second.n;
    }
};

// The counts that the text added to its class.
void Chain::leave(const std::vector<Place>& places, int class_, double times, Left& left) const {
    left.own.clear();
    left.total = left.kinds = left.words = 0.0;
    for (int l = 0; l <= longest; ++l) left.once[l] = left.twice[l] = 0.0;
    for (const Place& place : places) {
        left.total += times;
        if (place.word >= 0) left.own[place.word].n += times;
        for (int j = 0; j < order_ && place.before[j] >= 0; ++j) {
            if (place.run[j] >= 0) left.own[place.run[j]].n += times;
            left.own[place.before[j]].behind += times;
        }
    }
    std::vector<std::pair<int32_t, double>> runs;
    for (const auto& [run, own] : left.own)
        if (own.n > 0 && lengths_[size_t(run)] > 0) runs.emplace_back(run, own.n);
    for (const auto& [run, own] : runs) {
        const int64_t at = cell(run, class_);
        const double n = at < 0 ? 0.0 : counted_[size_t(at)].n;
        const int length = lengths_[size_t(run)];
        left.once[length - 1] += (n - own == 1.0) - (n == 1.0);
        left.twice[length - 1] += (n - own == 2.0) - (n == 2.0);
        if (n - own > 0) continue;
        if (length == 1) {
            left.kinds += 1.0;
            left.words += starts_[size_t(run) + 1] - starts_[size_t(run)] == 1;
        } else if (before_[size_t(run)] >= 0) {
            left.own[before_[size_t(run)]].kinds += 1.0;
        }
    }
}

void Chain::left_out(const Documents& documents, const Reading& reading, const int32_t* own, const double* times,
                     double* evidence) const {
    Left left;
    std::vector<Place> places;
    std::vector<double> p(static_cast<size_t>(width_)), base(static_cast<size_t>(width_));
    Product product(width_);
    double d[longest + 1];
    const auto counted = [&](int32_t run, int class_) {
        const int64_t at = run < 0 ? -1 : cell(run, class_);
        return at < 0 ? Counted{0.0, 0.0, 0.0} : counted_[size_t(at)];
    };
    const auto again = [&](const Place& place, int c) {  // P(word | before) in the text's own class
        const double total = total_[size_t(c)] - left.total;
        const auto kept = [&](int32_t run, int length, double all) {
            const double n = run < 0 ? 0.0 : left.without(run, counted(run, c).n);
            return n > 0 ? (n - std::min(n, d[length - 1])) / all : 0.0;
        };
        double found = (total > 0 ? d[0] * (kinds_[size_t(c)] - left.kinds) / total : 1.0) / (words_ - left.words + 1.0);
        if (total > 0) found += kept(place.word, 1, total);
        for (int j = 0; j < order_ && place.before[j] >= 0; ++j) {
            const Counted before = counted(place.before[j], c);
            const auto& gone = left.own[place.before[j]];
            const double all = before.behind - gone.behind;
            if (all <= 0) continue;
            found = found * d[j + 1] * (before.kinds - gone.kinds) / all + kept(place.run[j], j + 2, all);
        }
        return found;
    };
    read(documents, reading, nothing_more, [&](const Read& read) {
        places.clear();
        walk(read, [&](const Place& place) { places.push_back(place); });
        const int c = own[read.row];
        leave(places, c, times[read.row], left);
        for (int l = 0; l <= longest; ++l) {
            const size_t at = size_t(l) * size_t(width_) + size_t(c);
            d[l] = given_ < 0 ? next_to(once_[at] + left.once[l], twice_[at] + left.twice[l]) : given_;
        }
        for (size_t k = 0; k < base.size(); ++k) base[k] = base_[k] * (words_ + 1.0) / (words_ - left.words + 1.0);
        product.start();
        for (const Place& place : places) {
            weigh(place, base.data(), p.data());
            p[size_t(c)] = again(place, c);
            product.times(p.data());
        }
        const std::vector<double>& total = product.logarithms();
        std::copy(total.begin(), total.end(), evidence + read.row * width_);
    });
}

}  // namespace tallybayes
