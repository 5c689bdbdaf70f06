// The rows of a batch sorted by class within blocks, computed once for all columns.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace tallybayes {

class Groups {
public:
    static constexpr int block_rows = 4096;
    static constexpr int most_ordered = 256;  // with more classes, a class's share of a block is too short

    // A negative code marks a row that is not counted. The codes must outlive the groups.
    Groups(const int32_t* codes, int64_t rows, int classes);

    int64_t rows() const { return rows_; }
    int classes() const { return classes_; }
    const std::vector<int64_t>& counts() const { return counts_; }  // rows of each class
    bool ordered() const { return classes_ <= most_ordered; }
    int64_t blocks() const { return (rows() + block_rows - 1) / block_rows; }
    const int32_t* codes() const { return codes_; }
    const uint16_t* order(int64_t block) const { return order_.get() + block * block_rows; }
    const int32_t* starts(int64_t block) const { return starts_.data() + block * (classes_ + 1); }

private:
    void sort(int64_t block);
    void sort_two(int64_t block);

    const int32_t* codes_;
    int64_t rows_;
    int classes_;
    std::unique_ptr<uint16_t[]> order_;
    std::vector<int32_t> starts_;
    std::vector<int64_t> counts_;
    std::vector<int32_t> next_;  // where the next row of each class goes, in each part of a block
};

}  // namespace tallybayes
