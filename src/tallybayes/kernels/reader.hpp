// From documents to numbered words. Documents are read a few at a time, so that short ones cost little more than their
// words: overhead is shared, and memory for the next ones is prefetched.
#pragma once
#include <cstdint>
#include <vector>

#include "signals.hpp"
#include "strings.hpp"
#include "tokens.hpp"
#include "words.hpp"

namespace tallybayes {

// The words of one document, by number.
struct Read {
    int64_t row;
    const int32_t *first, *last;
    const int32_t* behind;  // the end of the words that are read already

    const int32_t* begin() const { return first; }
    const int32_t* end() const { return last; }
    size_t size() const { return size_t(last - first); }
};

// The rows that are not missing, in order, and then −1.
class Present {
public:
    explicit Present(const Documents& documents) : documents_(documents) {}
    int64_t operator()() {
        while (next_ < documents_.rows && documents_.is_missing(next_)) ++next_;
        return next_ < documents_.rows ? next_++ : -1;
    }

private:
    const Documents& documents_;
    int64_t next_ = 0;
};

class Reader {
public:
    Reader(const Documents& documents, const Reading& reading) : documents_(documents), reading_(reading), kept_(kept) {}
    ~Reader() {
        if (kept_.tokens.text.bytes.size() > large) kept_ = Kept{};
    }

    // Reads the documents whose rows `next` returns, until that is −1. `find` numbers words, `take` receives them.
    template <class Next, class Find, class Take>
    void each(Next next, Find find, Take take) {
        Tokens& tokens = kept_.tokens;
        for (int64_t row = next(); row >= 0;) {
            start();
            do {
                add(row);
                row = next();
            } while (row >= 0 && size_ < enough);
            if ((unheeded_ += size_) > large) {
                heed_signals();
                unheeded_ = 0;
            }
            cut();
            find(tokens.base, tokens.spans, kept_.codes);
            drop_unknown();
            size_t from = 0;
            const int32_t* codes = kept_.codes.data();
            for (size_t i = 0; i < kept_.rows.size(); ++i) {
                Read found{kept_.rows[i], codes + from, codes + tokens.ends[i], codes + kept_.codes.size()};
                from = tokens.ends[i];
                if (changes_) change(found, kept_.strange[i]);
                take(found);
            }
        }
    }

private:
    static constexpr size_t enough = 8192;  // bytes of text read together
    static constexpr size_t large = 1 << 20;

    struct Kept {
        Tokens tokens;
        std::vector<int64_t> rows;
        std::vector<int32_t> codes, own;
        std::vector<uint32_t> strange;  // words of each text that are not in the vocabulary
        std::vector<std::pair<int32_t, uint32_t>> first;
    };
    static thread_local Kept kept;  // reused between calls, so that a single text needs no allocation

    void start();
    void add(int64_t row);
    void add_words(int64_t row);
    void cut();
    void drop_unknown();
    void change(Read& found, uint32_t strange);
    void keep_first();

    const Documents& documents_;
    const Reading& reading_;
    Kept& kept_;
    const bool changes_ = reading_.once || reading_.unknown >= 0;
    size_t size_ = 0;
    size_t unheeded_ = 0;  // bytes read since signals were last heeded
};

}  // namespace tallybayes
