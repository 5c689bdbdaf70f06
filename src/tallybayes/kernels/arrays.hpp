// Helpers of the Python bindings. Types and shapes of arrays are checked, and nothing is converted: an array of another
// type would be copied, and writes to the copy lost. Arguments are named only where one may be None or has a default;
// compiled.pyi names all of them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "pages.hpp"

namespace tallybayes {

namespace nb = nanobind;
using namespace nb::literals;

// Sizes are signed, like everything that is computed from them.
template <class T, size_t dimensions>
struct Array : nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu> {
    using Converted = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

    int64_t size() const { return int64_t(Converted::size()); }
    int64_t shape(size_t side) const { return int64_t(Converted::shape(side)); }
};

template <class T>
using In = Array<const T, 1>;
template <class T>
using Table = Array<const T, 2>;
template <class T>
using Cube = Array<const T, 3>;
template <class T>
using Out = Array<T, 2>;

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

// Whether all numbers are indices below the limit.
template <class T>
bool are_below(const In<T>& numbers, int64_t limit) {
    const T* at = numbers.data();
    return std::all_of(at, at + numbers.size(), [&](T number) { return number >= 0 && number < limit; });
}

// Whether these are the starts of consecutive parts, from 0 on, and the end of the last part.
inline bool are_starts(const In<int64_t>& starts, int64_t end) {
    const int64_t* at = starts.data();
    return starts.size() > 0 && at[0] == 0 && std::is_sorted(at, at + starts.size()) && at[starts.size() - 1] == end;
}

// What work that needs no Python returns, done without the GIL.
template <class Work>
auto freely(Work work) {
    Free free;
    return work();
}

using Shape = std::vector<int64_t>;

template <class T>
nb::object give(const Shape& sides, T** data) {
    const std::vector<size_t> shape(sides.begin(), sides.end());
    size_t count = 1;
    for (size_t side : shape) count *= side;
    auto* held = new Pages<T>(count);
    *data = held->data();
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Pages<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(*data, shape.size(), shape.data(), owner));
}

// The same, filled without the GIL.
template <class T, class Work>
nb::object filled(const Shape& shape, Work fill) {
    T* data;
    nb::object result = give<T>(shape, &data);
    Free free;
    fill(data);
    return result;
}

// Two of them.
template <class T, class Work>
nb::tuple both_filled(const Shape& shape, Work fill) {
    T *data, *more;
    nb::object one = give<T>(shape, &data), other = give<T>(shape, &more);
    freely([&] { fill(data, more); });
    return nb::make_tuple(one, other);
}

// An array without zeros to begin with, for results of which every number is written.
template <class T>
nb::object give_unset(int64_t size, T** data) {
    struct Held {
        T* data;
        size_t count;
    };
    const auto count = size_t(size);
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

template <class T, size_t dimensions>
struct nanobind::detail::type_caster<tallybayes::Array<T, dimensions>> {
    using Given = tallybayes::Array<T, dimensions>;
    using Caster = type_caster<typename Given::Converted>;
    NB_TYPE_CASTER(Given, Caster::Name)

    template <class Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
        Caster caster;
        if (!caster.from_python(source, Flags(flags & ~Flags(cast_flags::convert)), cleanup)) return false;
        static_cast<typename Given::Converted&>(value) = std::move(caster.value);
        return true;
    }
};
