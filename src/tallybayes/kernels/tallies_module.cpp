// Adds labelled sums to labelled sums, in their Python form: labels in dictionaries of indices, limbs in arrays.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <variant>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "limbs.hpp"

namespace tallybayes {
namespace {

// Interned names that are looked up for every sum.
PyObject *limbs_name = nullptr, *low_name = nullptr;

nb::object attribute(nb::handle of, PyObject* name) {
    PyObject* found = PyObject_GetAttr(of.ptr(), name);
    if (!found) throw nb::python_error();
    return nb::steal(found);
}

// A three-dimensional array with any strides, through the buffer protocol: nanobind's array conversion would take longer
// than everything else.
template <class T>
struct Limbs {
    nb::object array;
    T* data;
    int64_t low, shape[3], stride[3];

    explicit Limbs(nb::handle exact)
        : array(attribute(exact, limbs_name)), low(nb::cast<int64_t>(attribute(exact, low_name))) {
        Py_buffer view;
        const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (std::is_const_v<T> ? 0 : PyBUF_WRITABLE);
        if (PyObject_GetBuffer(array.ptr(), &view, flags)) throw nb::python_error();
        const bool fits = view.ndim == 3 && view.itemsize == 8 && (*view.format == 'l' || *view.format == 'q');
        for (int i = 0; fits && i < 3; ++i) shape[i] = view.shape[i], stride[i] = view.strides[i] / 8;
        data = static_cast<T*>(view.buf);
        PyBuffer_Release(&view);  // the array itself is held
        expect(fits, "the limbs are not an array of int64 in three dimensions");
    }
    int64_t size() const { return shape[2]; }
    T* at(int64_t row, int64_t column) const { return data + row * stride[0] + column * stride[1]; }
};

// The index of each of the other's labels there and here. Returns whether all are here.
using Places = std::vector<std::pair<int64_t, int64_t>>;

bool find_places(const nb::dict& here, const nb::dict& there, Places& places) {
    places.reserve(there.size());
    PyObject *label, *number;
    for (Py_ssize_t at = 0; PyDict_Next(there.ptr(), &at, &label, &number);) {
        PyObject* found = here.is(there) ? number : PyDict_GetItemWithError(here.ptr(), label);
        if (!found && PyErr_Occurred()) throw nb::python_error();
        if (!found) return false;
        places.emplace_back(PyLong_AsLongLong(number), PyLong_AsLongLong(found));
    }
    return true;
}

// The sums of one statistic, and those to add to them.
struct Pair {
    Limbs<int64_t> target;
    Limbs<const int64_t> source;

    int64_t up() const { return source.low - target.low; }

    // Whether the target has these cells and limbs.
    bool has_room(const Places& rows, const Places& columns) const {
        const auto inside = [](const Places& places, int64_t from, int64_t to) {
            return std::all_of(places.begin(), places.end(), [&](const auto& place) {
                return uint64_t(place.first) < uint64_t(from) && uint64_t(place.second) < uint64_t(to);
            });
        };
        return up() >= 0 && up() + source.size() <= target.size() &&
               inside(rows, source.shape[0], target.shape[0]) &&
               inside(columns, source.shape[1], target.shape[1]);
    }

    // The largest magnitude of the changed limbs.
    int64_t add(const Places& rows, const Places& columns, int64_t sign) const {
        int64_t largest = 0;
        const int64_t step = target.stride[2], other = source.stride[2];
        for (const auto& [from_row, to_row] : rows)
            for (const auto& [from_column, to_column] : columns) {
                int64_t* to = target.at(to_row, to_column) + up() * step;
                const int64_t* from = source.at(from_row, from_column);
                for (int64_t i = 0; i < source.size(); ++i, to += step, from += other) {
                    *to += sign * *from;
                    largest = std::max(largest, std::abs(*to));
                }
            }
        return largest;
    }
};

// The other's slots: the place of each here, or both dictionaries of slots.
using Slots = std::variant<std::pair<nb::dict, nb::dict>, In<int64_t>>;

int64_t add_sums(Slots slots, nb::dict classes, nb::dict sums, nb::dict other_classes, nb::dict other_sums, int64_t sign) {
    Places rows, columns;
    if (const auto* given = std::get_if<In<int64_t>>(&slots)) {
        rows.reserve(size_t(given->size()));
        for (int64_t i = 0; i < given->size(); ++i) rows.emplace_back(i, given->data()[i]);
    } else {
        const auto& [here, there] = std::get<std::pair<nb::dict, nb::dict>>(slots);
        if (!find_places(here, there, rows)) return -1;
    }
    if (!find_places(classes, other_classes, columns)) return -1;
    std::vector<Pair> pairs;
    pairs.reserve(other_sums.size());
    for (const auto& [name, exact] : other_sums) {
        pairs.push_back({Limbs<int64_t>(sums[name]), Limbs<const int64_t>(exact)});
        if (!pairs.back().has_room(rows, columns)) return -1;
    }
    Free free;
    int64_t largest = 0;
    for (const Pair& pair : pairs) largest = std::max(largest, pair.add(rows, columns, sign));
    return largest;
}

// A double, or its square, as limbs without leading and trailing zeros; zero has one limb.
struct Value {
    int64_t all[5] = {}, first = 0, low, size = 5;

    Value(double x, bool squared) {
        expect(std::isfinite(x), "the value is not finite");
        low = (parts(x).exponent * (squared ? 2 : 1)) >> 5;
        squared ? add_square(all, int(low), x) : add_double(all, int(low), x);
        while (size > 1 && !all[size - 1]) --size;
        for (; size > 1 && !all[first]; --size, ++low) ++first;
        if (!all[first]) low = 0;
    }
    const int64_t* limbs() const { return all + first; }
};

// Adds a single row, (slot, class, names, values, squared), to the sums of one slot and class: to each name a double, or
// its square.
int64_t add_values(nb::dict slots, nb::dict classes, nb::dict sums, nb::tuple added, int64_t sign) {
    expect(added.size() == 5, "a row is not of five parts");
    const nb::handle slot = added[0], key = added[1];
    const auto names = nb::cast<nb::tuple>(added[2]), values = nb::cast<nb::tuple>(added[3]);
    const auto squared = nb::cast<nb::tuple>(added[4]);
    expect(names.size() == values.size() && names.size() == squared.size(), "names and values differ in length");
    PyObject *row = PyDict_GetItemWithError(slots.ptr(), slot.ptr()), *column = PyDict_GetItemWithError(classes.ptr(), key.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    if (!row || !column) return -1;
    const int64_t at_row = PyLong_AsLongLong(row), at_column = PyLong_AsLongLong(column);
    std::vector<std::pair<Limbs<int64_t>, Value>> pairs;
    pairs.reserve(values.size());
    for (size_t i = 0; i < names.size(); ++i) {
        pairs.emplace_back(Limbs<int64_t>(sums[names[i]]), Value(nb::cast<double>(values[i]), nb::cast<bool>(squared[i])));
        const auto& [target, value] = pairs.back();
        const int64_t up = value.low - target.low;
        if (up < 0 || up + value.size > target.size() || uint64_t(at_row) >= uint64_t(target.shape[0]) ||
            uint64_t(at_column) >= uint64_t(target.shape[1]))
            return -1;
    }
    int64_t largest = 0;
    for (const auto& [target, value] : pairs) {
        const int64_t step = target.stride[2];
        int64_t* to = target.at(at_row, at_column) + (value.low - target.low) * step;
        for (int64_t i = 0; i < value.size; ++i, to += step) {
            *to += sign * value.limbs()[i];
            largest = std::max(largest, std::abs(*to));
        }
    }
    return largest;
}

// Every cell of a single row in the form that is added, from the statistics of all cells: arrays, or a number that is the
// same for each. A square is a tuple of what is squared. Also returns whether all are finite.
nb::tuple row_values(nb::tuple statistics, size_t cells, nb::object key, nb::tuple names, nb::tuple squared) {
    const nb::str slot("");
    std::vector<nb::object> columns;
    for (nb::handle given : statistics) {
        nb::object column = nb::borrow(PyTuple_Check(given.ptr()) ? given[0] : given);
        if (!PyFloat_Check(column.ptr()) && !PyLong_Check(column.ptr())) column = column.attr("tolist")();
        if (!PyList_Check(column.ptr())) column = nb::float_(column);
        else expect(nb::len(column) == cells, "a statistic is not of every cell");
        columns.push_back(column);
    }
    nb::list rows;
    bool finite = true;
    for (size_t i = 0; i < cells; ++i) {
        nb::object values = nb::steal(PyTuple_New(Py_ssize_t(columns.size())));
        for (size_t k = 0; k < columns.size(); ++k) {
            const nb::object& column = columns[k];
            nb::float_ value(PyList_Check(column.ptr()) ? nb::object(column[i]) : column);
            finite &= std::isfinite(PyFloat_AS_DOUBLE(value.ptr()));
            PyTuple_SET_ITEM(values.ptr(), Py_ssize_t(k), value.release().ptr());
        }
        rows.append(nb::make_tuple(slot, key, names, values, squared));
    }
    return nb::make_tuple(rows, finite);
}

nb::tuple limbs_of(double x, bool squared) {
    const Value value(x, squared);
    int64_t* limbs;
    nb::object result = give<int64_t>({1, 1, value.size}, &limbs);
    std::copy(value.limbs(), value.limbs() + value.size, limbs);
    return nb::make_tuple(result, value.low);
}

}  // namespace

void bind_tallies(nb::module_& m) {
    limbs_name = PyUnicode_InternFromString("limbs");
    low_name = PyUnicode_InternFromString("low");
    m.def("add_sums", &add_sums);
    m.def("add_values", &add_values);
    m.def("row_values", &row_values);
    m.def("limbs_of", &limbs_of);
}

}  // namespace tallybayes
