#include "signals.hpp"

#include <nanobind/nanobind.h>

namespace tallybayes {

void heed_signals() {
    nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals()) throw nanobind::python_error();
}

}  // namespace tallybayes
