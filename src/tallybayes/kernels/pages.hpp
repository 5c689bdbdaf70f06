// Memory for large tables with random access: in huge pages of two megabytes if the system has them, to avoid TLB
// misses.
#pragma once
#include <cstddef>
#include <cstdint>
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
        if (count > (size_t(PTRDIFF_MAX) - page) / sizeof(T)) throw std::bad_alloc();
        const size_t unit = unit_of(count), size = (count * sizeof(T) + unit - 1) / unit * unit;
        void* memory = ::operator new(size, std::align_val_t(unit));
#if defined(__linux__)
        if (unit == page) madvise(memory, size, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t count) { ::operator delete(memory, std::align_val_t(unit_of(count))); }
    static size_t unit_of(size_t count) { return count * sizeof(T) >= page + page / 2 ? page : 64; }
    template <class U>
    bool operator==(const PageAllocator<U>&) const {
        return true;
    }
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

}  // namespace tallybayes
