#include "signals.hpp"

#include <nanobind/nanobind.h>

#include <stdexcept>

namespace tallybayes {
namespace {

thread_local const volatile uint8_t* stopped = nullptr;

}  // namespace

void heed_signals() {
    if (stopped) {
        if (*stopped) throw std::runtime_error("The work was stopped.");
        return;
    }
    nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals()) throw nanobind::python_error();
}

void heed_flag(const uint8_t* flag) { stopped = flag; }

}  // namespace tallybayes
