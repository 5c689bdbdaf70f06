#include "sequence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "sequence_walk.hpp"

namespace tallybayes {
namespace {

bool starts_character(char c) { return (c & 0xc0) != 0x80; }

// A run, split after its first word and before its last.
struct Cut {
    int length;
    uint32_t first, last;  // the start of the second word, and of the last word
};

Cut cut_words(std::string_view run) {
    const size_t first = run.find(' '), last = run.rfind(' ');
    if (first == run.npos) return {1, 0, 0};
    return {int(std::count(run.begin(), run.end(), ' ')) + 1, uint32_t(first) + 1, uint32_t(last) + 1};
}

Cut cut_characters(std::string_view run) {
    Cut cut{0, 0, 0};
    for (uint32_t i = 0; i < run.size(); ++i) {
        if (!starts_character(run[i])) continue;
        if (++cut.length == 2) cut.first = i;
        cut.last = i;
    }
    return cut;
}

}  // namespace

CountedRuns count_runs(const Documents& documents, const Reading& reading, StringIndex& index, const int32_t* classes,
                       int width) {
    CountedRuns result;
    result.sizes.assign(size_t(documents.rows), -1);
    std::vector<std::vector<int64_t>> rows(static_cast<size_t>(width));
    for (int64_t row = 0; row < documents.rows; ++row) {
        if (classes[row] >= width) throw std::out_of_range("a row's class is not among the classes");
        if (classes[row] >= 0 && !documents.is_missing(row)) rows[size_t(classes[row])].push_back(row);
    }
    Pages<int64_t> counts(size_t(index.size()), 0);
    std::vector<int32_t> met;
    Reader reader(documents, reading);
    const auto find = [&](const char* text, const std::vector<Span>& spans, std::vector<int32_t>& found) {
        index.encode(text, spans, true, found);
        if (counts.size() < size_t(index.size())) lengthen(counts, std::max<size_t>(size_t(index.size()), counts.size() * 2));
    };
    const auto count = [&](const Read& read) {
        in_stretches(read.begin(), read.end(), [&](const int32_t* first, const int32_t* last) {
            for (const int32_t* code = first; code < last; ++code) {
                if (read.behind - code > 32) __builtin_prefetch(&counts[size_t(code[32])], 1);
                if (!counts[size_t(*code)]++) met.push_back(*code);
            }
        });
        result.sizes[size_t(read.row)] = int64_t(read.size());
    };
    for (int class_ = 0; class_ < width; ++class_) {
        auto next = rows[size_t(class_)].begin();
        const auto end = rows[size_t(class_)].end();
        reader.each([&] { return next == end ? int64_t(-1) : *next++; }, find, count);
        for (const int32_t run : met) {
            result.runs.push_back(run);
            result.n.push_back(counts[size_t(run)]);
            counts[size_t(run)] = 0;
        }
        result.classes.resize(result.runs.size(), class_);
        met.clear();
    }
    return result;
}

Chain::Chain(const StringIndex& index, bool characters, const RunCells& cells, int width, int order, double discount,
             bool counts)
    : index_(index), width_(width), order_(order), given_(discount) {
    const char mark[] = {Tokeniser::start_mark};
    StringIndex only;
    only.encode(std::string_view(mark, 1), true);
    index.find_all(only, &start_);
    lengths_.assign(size_t(index.size()), 0);
    arrange(cells);
    link(index, characters);
    add_up();
    this->discount(discount);
    if (!counts) counted_ = {};
}

// The cells of all runs, by run and class.
void Chain::arrange(const RunCells& cells) {
    starts_.assign(lengths_.size() + 1, 0);
    for (int64_t i = 0; i < cells.count; ++i) ++starts_[size_t(cells.runs[i]) + 1];
    for (size_t run = 0; run < lengths_.size(); ++run) {
        lengths_[run] = starts_[run + 1] > 0;
        starts_[run + 1] += starts_[run];
    }
    scored_.resize(size_t(cells.count));
    counted_.resize(size_t(cells.count));
    std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
    for (int64_t i = 0; i < cells.count; ++i) {
        int64_t at = next[size_t(cells.runs[i])]++;
        const int64_t first = starts_[size_t(cells.runs[i])];
        for (; at > first && scored_[size_t(at - 1)].class_ > cells.classes[i]; --at) {
            scored_[size_t(at)] = scored_[size_t(at - 1)];
            counted_[size_t(at)] = counted_[size_t(at - 1)];
        }
        scored_[size_t(at)] = {cells.classes[i], 0.0, 1.0};
        counted_[size_t(at)] = {cells.n[i], 0.0, 0.0};
    }
}

// The runs that each run consists of.
void Chain::link(const StringIndex& index, bool characters) {
    const size_t size = lengths_.size();
    std::vector<char> text(index.bytes());
    text.insert(text.end(), Text::padding, 0);
    if (text.size() > 0xf0000000) throw std::length_error("runs of more than 4 GiB");
    std::vector<Span> spans;
    std::vector<int32_t> runs, found;
    for (size_t run = 0; run < size; ++run) {
        if (!lengths_[run] || int32_t(run) == start_) continue;
        const std::string_view name = index[int32_t(run)];
        const Cut cut = characters ? cut_characters(name) : cut_words(name);
        lengths_[run] = int8_t(std::min(cut.length, longest + 2));
        if (cut.length < 2 || cut.length > order_ + 1) continue;
        const auto start = uint32_t(index.ends()[run]), length = uint32_t(name.size());
        runs.push_back(int32_t(run));
        spans.push_back({start, cut.last - !characters});
        spans.push_back({start + cut.first, length - cut.first});
        spans.push_back({start + cut.last, length - cut.last});
    }
    if (start_ >= 0) lengths_[size_t(start_)] = 0;
    index.look_up(text.data(), spans, found);
    before_.assign(size, -1);
    after_.assign(size, -1);
    last_.assign(size, -1);
    children_.assign(std::bit_ceil(2 * runs.size() + 2), Child{0, -1});
    mask_ = children_.size() - 1;
    for (size_t i = 0; i < runs.size(); ++i) {
        const auto run = size_t(runs[i]);
        before_[run] = found[3 * i];
        after_[run] = found[3 * i + 1];
        last_[run] = found[3 * i + 2];
        if (before_[run] >= 0 && last_[run] >= 0) admit(int32_t(run));
    }
}

void Chain::admit(int32_t run) {
    const int32_t before = before_[size_t(run)], last = last_[size_t(run)];
    uint64_t at = slot(before, last);
    while (children_[at].run >= 0) at = (at + 1) & mask_;
    children_[at] = {uint64_t(uint32_t(before)) << 32 | uint32_t(last), run};
}

int64_t Chain::cell(int32_t run, int class_) const {
    for (int64_t at = starts_[size_t(run)]; at < starts_[size_t(run) + 1]; ++at)
        if (scored_[size_t(at)].class_ == class_) return at;
    return -1;
}

// The extensions of every run, and the numbers of runs that occurred once and twice.
void Chain::add_up() {
    const size_t width = size_t(width_);
    total_.assign(width, 0.0);
    kinds_.assign(width, 0.0);
    once_.assign(size_t(longest + 1) * width, 0.0);
    twice_ = once_;
    for (size_t run = 0; run < lengths_.size(); ++run) {
        const int length = lengths_[run];
        if (length < 1 || length > order_ + 1) continue;
        words_ += length == 1;
        for (int64_t at = starts_[run]; at < starts_[run + 1]; ++at) {
            const auto class_ = size_t(scored_[size_t(at)].class_);
            const double n = counted_[size_t(at)].n;
            (n <= 1.0 ? once_ : twice_)[size_t(length - 1) * width + class_] += n <= 2.0;
            const int64_t from = length > 1 && before_[run] >= 0 ? cell(before_[run], int(class_)) : -1;
            double& behind = length > 1 ? counted_[size_t(std::max<int64_t>(from, 0))].behind : total_[class_];
            double& kinds = length > 1 ? counted_[size_t(std::max<int64_t>(from, 0))].kinds : kinds_[class_];
            if (length > 1 && from < 0) continue;
            behind += n;
            kinds += 1.0;
        }
    }
}

// The discounted share of every run, and the mass left for shorter ones.
void Chain::discount(double given) {
    const size_t width = size_t(width_);
    discounts_.resize(once_.size());
    for (size_t i = 0; i < discounts_.size(); ++i) discounts_[i] = given < 0 ? next_to(once_[i], twice_[i]) : given;
    std::vector<double> left(scored_.size(), 0.0), rest(width, 0.0);
    for (size_t run = 0; run < lengths_.size(); ++run) {
        const int length = lengths_[run];
        if (length < 1 || length > order_ + 1) continue;
        for (int64_t at = starts_[run]; at < starts_[run + 1]; ++at) {
            Scored& scored = scored_[size_t(at)];
            const int64_t from = length > 1 && before_[run] >= 0 ? cell(before_[run], scored.class_) : -1;
            if (length > 1 && from < 0) continue;
            const double n = counted_[size_t(at)].n, d = std::min(n, discount_of(length, scored.class_));
            const double all = length > 1 ? counted_[size_t(from)].behind : total_[size_t(scored.class_)];
            scored.kept = (n - d) / all;
            (length > 1 ? left[size_t(from)] : rest[size_t(scored.class_)]) += d;
        }
    }
    for (size_t at = 0; at < scored_.size(); ++at)
        scored_[at].rest = counted_[at].behind > 0 ? left[at] / counted_[at].behind : 1.0;
    base_.resize(width);
    for (size_t c = 0; c < width; ++c) base_[c] = (total_[c] > 0 ? rest[c] / total_[c] : 1.0) / (words_ + 1.0);
}

Chain::Cells Chain::cells() const {
    Cells found;
    for (size_t run = 0; run < lengths_.size(); ++run)
        for (int64_t at = starts_[run]; at < starts_[run + 1]; ++at) {
            const Scored& scored = scored_[size_t(at)];
            found.runs.push_back(int32_t(run));
            found.classes.push_back(scored.class_);
            found.kept.push_back(scored.kept);
            found.rest.push_back(scored.rest);
        }
    found.before = before_;
    found.last = last_;
    found.base = base_;
    return found;
}

void Chain::probabilities(double* table) const {
    const size_t width = size_t(width_);
    std::vector<std::vector<size_t>> runs(longest + 2);
    for (size_t run = 0; run < lengths_.size(); ++run)
        if (lengths_[run] > 0 && lengths_[run] <= order_ + 1) runs[size_t(lengths_[run])].push_back(run);
    for (int length = 1; length <= order_ + 1; ++length)
        for (const size_t run : runs[size_t(length)]) {
            double* p = table + run * width;
            const double* shorter = length > 1 && after_[run] >= 0 ? table + size_t(after_[run]) * width : base_.data();
            std::copy(shorter, shorter + width, p);
            if (length > 1 && before_[run] >= 0)
                for (int64_t at = starts_[size_t(before_[run])]; at < starts_[size_t(before_[run]) + 1]; ++at)
                    p[scored_[size_t(at)].class_] *= scored_[size_t(at)].rest;
            for (int64_t at = starts_[run]; at < starts_[run + 1]; ++at) p[scored_[size_t(at)].class_] += scored_[size_t(at)].kept;
        }
}

void Chain::add(const Documents& documents, const Reading& reading, double* scores, int64_t stride, int64_t* words) const {
    std::fill(words, words + documents.rows, -1);
    std::vector<double> p(static_cast<size_t>(width_));
    Product product(width_);
    read(documents, reading, nothing_more, [&](const Read& read) {
        product.start();
        walk(read, [&](const Place& place) {
            weigh(place, base_.data(), p.data());
            product.times(p.data());
        });
        const std::vector<double>& total = product.logarithms();
        for (int c = 0; c < width_; ++c) scores[c * stride + read.row] += total[size_t(c)];
        words[read.row] = int64_t(read.size()) - 1;
    });
}

Chain::Apart Chain::take_apart(const Documents& documents, const Reading& reading, StringIndex& names) const {
    Apart result;
    std::vector<int32_t> named;
    size_t next = 0;
    std::vector<double> p(static_cast<size_t>(width_));
    const auto find = [&](const char* text, const std::vector<Span>& spans) {
        names.encode(text, spans, true, named);
        next = 0;
    };
    read(documents, reading, find, [&](const Read& read) {
        result.starts.resize(size_t(read.row) + 1, int64_t(result.words.size()));
        ++next;  // the start mark
        walk(read, [&](const Place& place) {
            weigh(place, base_.data(), p.data());
            result.words.push_back(named[next++]);
            for (const double each : p) result.evidence.push_back(std::log(each));
        });
    });
    result.starts.resize(size_t(documents.rows) + 1, int64_t(result.words.size()));
    return result;
}

}  // namespace tallybayes
