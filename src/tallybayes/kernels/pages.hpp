// Memory for large tables that are read here and there: in pages of two megabytes where the system has them, so that
// finding a page does not take longer than reading it.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tallybayes {

template <class T>
struct PageAllocator {
    using value_type = T;
    static constexpr size_t page = size_t(1) << 21;

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) {}

    T* allocate(size_t count) {
        const bool large = count * sizeof(T) >= 2 * page;
        const size_t unit = large ? page : 64;
        const size_t size = (count * sizeof(T) + unit - 1) / unit * unit;
        void* memory = std::aligned_alloc(unit, size);
        if (!memory) throw std::bad_alloc();
#if defined(__linux__)
        if (large) madvise(memory, size, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t) { std::free(memory); }
    template <class U>
    bool operator==(const PageAllocator<U>&) const {
        return true;
    }
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

}  // namespace tallybayes
