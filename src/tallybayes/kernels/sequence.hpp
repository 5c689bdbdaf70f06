// n-gram models: runs of words counted by class, and the probability of each word given the ones before it.
//
// A text is a start mark and its words. P(word | before) is (n − d) / N of the run, if it was seen, plus the discounted
// mass times P(word | one word less before), down to a uniform distribution with one more word that stands for all
// unseen ones. N is how often any word followed `before`, d the discount of runs of this length.
#pragma once
#include <cstdint>
#include <vector>

#include "pages.hpp"
#include "reader.hpp"
#include "strings.hpp"
#include "words.hpp"

namespace tallybayes {

struct CountedRuns {
    std::vector<int32_t> runs, classes;
    std::vector<int64_t> n;
    std::vector<int64_t> sizes;  // the number of runs of each document; −1 if it was not counted
};

CountedRuns count_runs(const Documents& documents, const Reading& reading, StringIndex& index, const int32_t* classes,
                       int width);

struct RunCells {
    const int32_t *runs, *classes;
    const double* n;
    int64_t count;
};

class Chain {
public:
    static constexpr int longest = 3;  // words before a word

    // With a negative discount, it is estimated for each class and length from counts of counts. `counts` are kept if
    // texts are to be left out.
    Chain(const StringIndex& index, bool characters, const RunCells& cells, int width, int order, double discount,
          bool counts);

    int width() const { return width_; }
    int64_t size() const { return int64_t(lengths_.size()); }

    // Adds log P(text | class) to scores[class][row], and writes the number of words of each text; −1 if it is missing.
    void add(const Documents& documents, const Reading& reading, double* scores, int64_t stride, int64_t* words) const;
    // The evidence of every word, in the order of the texts: [word][class]. All words are added to `names`.
    struct Apart {
        std::vector<int64_t> starts;
        std::vector<int32_t> words;
        std::vector<double> evidence;
    };
    Apart take_apart(const Documents& documents, const Reading& reading, StringIndex& names) const;
    // P(last word | words before) of every run that was seen: [run][class].
    void probabilities(double* table) const;
    // For every run and every class that has it: the discounted share, and the mass left for shorter runs; for every run, the
    // run without its last word, and that word; for every class, the evidence of an unseen word.
    struct Cells {
        std::vector<int32_t> runs, classes;
        std::vector<double> kept, rest;
        std::vector<int32_t> before, last;
        std::vector<double> base;
    };
    Cells cells() const;
    // The evidence of each text by the counts without it: evidence[row][class]. It was counted in class own[row], `times`
    // times.
    void left_out(const Documents& documents, const Reading& reading, const int32_t* own, const double* times,
                  double* evidence) const;

private:
    struct Scored {
        int32_t class_;
        double kept;  // (n − d) / N
        double rest;  // the mass left for shorter runs after this one
    };
    struct Counted {
        double n, behind, kinds;  // the count of this run; that of all its extensions by one word; and their number
    };
    struct Place {  // a word in a text; −1: unseen
        int32_t word;
        int32_t before[longest], run[longest];  // the run of the words before it, by length, without and with it
    };
    struct Child {
        uint64_t key;
        int32_t run;  // -1 in an empty slot
    };
    struct Left;

    void link(const StringIndex& index, bool characters);
    void arrange(const RunCells& cells);
    void add_up();
    void discount(double given);
    void admit(int32_t run);
    int64_t cell(int32_t run, int class_) const;
    int32_t child(int32_t before, int32_t word, uint64_t at) const;
    uint64_t slot(int32_t before, int32_t word) const {
        const uint64_t key = uint64_t(uint32_t(before)) << 32 | uint32_t(word);
        return (key * 0x9e3779b97f4a7c15u >> 20) & mask_;
    }
    double discount_of(int length, int class_) const { return discounts_[size_t(length - 1) * width_ + class_]; }
    double next_to(double once, double twice) const { return (once + 0.5) / (once + 2.0 * twice + 1.0); }
    template <class Step>
    void walk(const Read& read, Step step) const;
    void weigh(const Place& place, const double* base, double* p) const;
    template <class Find, class Take>
    void read(const Documents& documents, const Reading& reading, Find find, Take take) const;
    void leave(const std::vector<Place>& places, int class_, double times, Left& left) const;

    const StringIndex& index_;
    int width_, order_;
    double given_;
    int32_t start_ = -1;
    double words_ = 0.0;            // the number of different words in all classes
    std::vector<int8_t> lengths_;   // of every run, in words; 0: no class has it, or it is the start mark alone
    std::vector<int32_t> before_;   // every run without its last word; −1: none
    std::vector<int32_t> after_;    // every run without its first word
    std::vector<int32_t> last_;     // the last word of every run
    std::vector<int64_t> starts_;   // of every run's cells
    Pages<Scored> scored_;
    std::vector<Counted> counted_;
    std::vector<double> total_, kinds_;          // the number of words, and of different words, of each class
    std::vector<double> base_;                   // the evidence of an unseen word
    std::vector<double> once_, twice_;           // the number of runs that occurred once and twice: [length − 1][class]
    std::vector<double> discounts_;
    Pages<Child> children_;
    uint64_t mask_ = 0;
};

}  // namespace tallybayes
