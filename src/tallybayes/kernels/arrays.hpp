// Helpers of the Python bindings. Types and shapes are checked, and nothing is converted: an array of
// another type would be copied, and writes to the copy lost.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "pages.hpp"

namespace tallybayes {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Releases the GIL, unless the work is too little: another thread would take it, and getting it back takes longer than the
// work. Work with a lock that others hold while they wait for the GIL must always release it.
class Free {
public:
    Free() : free_(std::in_place) {}
    explicit Free(int64_t bytes) {
        if (bytes > 1 << 14) free_.emplace();
    }

private:
    std::optional<nb::gil_scoped_release> free_;
};

inline void expect(bool right, const char* what) {
    if (!right) throw nb::value_error(what);
}

template <class T>
nb::object give(std::vector<size_t> shape, T** data) {
    size_t count = 1;
    for (size_t side : shape) count *= side;
    auto* held = new Pages<T>(count);
    *data = held->data();
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Pages<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(*data, shape.size(), shape.data(), owner));
}

// The same without zeros, for results of which every number is written.
template <class T>
nb::object give_unset(size_t count, T** data) {
    struct Held {
        T* data;
        size_t count;
    };
    auto* held = new Held{PageAllocator<T>().allocate(count), count};
    *data = held->data;
    nb::capsule owner(held, [](void* p) noexcept {
        auto* held = static_cast<Held*>(p);
        PageAllocator<T>().deallocate(held->data, held->count);
        delete held;
    });
    return nb::cast(nb::ndarray<nb::numpy, T>(*data, 1, &count, owner));
}

// The vector itself, as an array.
template <class T>
nb::object give(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const size_t shape[] = {held->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), 1, shape, owner));
}

void bind_blocks(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_sequence(nb::module_& m);
void bind_words(nb::module_& m);
void bind_cells(nb::module_& m);
void bind_bags(nb::module_& m);
void bind_bumps(nb::module_& m);
void bind_intervals(nb::module_& m);
void bind_pieces(nb::module_& m);
void bind_quotients(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_shares(nb::module_& m);
void bind_tallies(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_values(nb::module_& m);
void bind_weighing(nb::module_& m);
void bind_written(nb::module_& m);

}  // namespace tallybayes
