#include "reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tallybayes {
namespace {

// Removes the items with negative codes, and updates where each text's items end.
template <class T>
void keep(std::vector<T>& items, const std::vector<int32_t>& codes, std::vector<uint32_t>& ends) {
    size_t i = 0, kept = 0;
    for (uint32_t& end : ends) {
        for (; i < end; ++i) {
            const bool known = codes[i] >= 0;
            items[kept] = items[i];
            kept += known;
        }
        end = uint32_t(kept);
    }
    items.resize(kept);
}

}  // namespace

thread_local Reader::Kept Reader::kept;

void Reader::start() {
    kept_.rows.clear();
    kept_.tokens.text.clear();
    size_ = 0;
    if (!documents_.tokens) return;
    kept_.tokens.text.bytes.clear();
    kept_.tokens.spans.clear();
    kept_.tokens.ends.clear();
}

void Reader::add(int64_t row) {
    kept_.rows.push_back(row);
    if (documents_.tokens) return add_words(row);
    const StringColumn& column = documents_.column;
    if (!reading_.tokeniser->add(column[row], column.bytes + column.size, kept_.tokens)) throw NotUtf8(row);
    size_ = kept_.tokens.text.length;
}

// Words that are already tokenised.
void Reader::add_words(int64_t row) {
    std::vector<char>& bytes = kept_.tokens.text.bytes;
    for (int64_t at = documents_.tokens[row]; at < documents_.tokens[row + 1]; ++at) {
        const std::string_view word = documents_.column[at];
        const size_t from = bytes.size();
        if (from + word.size() > 0xf0000000) throw std::length_error("a text of more than 4 GiB");
        if (word.empty()) continue;
        kept_.tokens.spans.push_back({uint32_t(from), uint32_t(word.size())});
        bytes.insert(bytes.end(), word.begin(), word.end());
    }
    kept_.tokens.ends.push_back(uint32_t(kept_.tokens.spans.size()));
    size_ = bytes.size() + kept_.rows.size();
}

// Tokenises the texts that were added, and skips words that are not in the vocabulary.
void Reader::cut() {
    Tokens& tokens = kept_.tokens;
    if (documents_.tokens) {
        tokens.text.bytes.insert(tokens.text.bytes.end(), Text::padding, 0);
        tokens.base = tokens.text.bytes.data();
        reading_.tokeniser->translate(reading_.translation, tokens);
    } else {
        reading_.tokeniser->cut(reading_.translation, tokens);
    }
    kept_.strange.assign(changes_ ? kept_.rows.size() : 0, 0);
    if (!reading_.vocabulary) return;
    reading_.vocabulary->look_up(tokens.base, tokens.spans, kept_.codes);
    if (changes_) {
        size_t i = 0;
        for (size_t text = 0; text < tokens.ends.size(); ++text)
            for (; i < tokens.ends[text]; ++i) kept_.strange[text] += kept_.codes[i] < 0;
    }
    keep(tokens.spans, kept_.codes, tokens.ends);
}

void Reader::drop_unknown() {
    int32_t all = 0;
    for (const int32_t code : kept_.codes) all |= code;
    if (all < 0) keep(kept_.codes, kept_.codes, kept_.tokens.ends);
}

void Reader::change(Read& found, uint32_t strange) {
    kept_.own.assign(found.first, found.last);
    if (reading_.unknown >= 0) kept_.own.insert(kept_.own.end(), strange, reading_.unknown);
    if (reading_.once) keep_first();
    found.first = kept_.own.data();
    found.last = found.behind = found.first + kept_.own.size();
}

// Distinct words in order of first occurrence, which depends on the text alone.
void Reader::keep_first() {
    auto& first = kept_.first;
    first.clear();
    for (size_t i = 0; i < kept_.own.size(); ++i) first.push_back({kept_.own[i], uint32_t(i)});
    sort_in_stretches(first.begin(), first.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    first.erase(std::unique(first.begin(), first.end(), same), first.end());
    const auto earlier = [](const auto& a, const auto& b) { return a.second < b.second; };
    sort_in_stretches(first.begin(), first.end(), earlier);
    kept_.own.clear();
    for (const auto& [code, at] : first) kept_.own.push_back(code);
}

}  // namespace tallybayes
