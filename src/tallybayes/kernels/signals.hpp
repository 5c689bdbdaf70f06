// How a kernel that takes long hears Ctrl-C. Python handles signals between its own steps only, and a kernel is one step.
#pragma once
#include <cstdint>

namespace tallybayes {

// Lets Python handle the signals that have come, and throws what it raises; in a thread that has a flag, throws if that is
// set. Costs a microsecond: to be called every ten milliseconds or so, where nothing is left half done.
void heed_signals();

// From here on this thread heeds the flag, which somebody else may set; a null pointer: signals.
void heed_flag(const uint8_t* flag);

}  // namespace tallybayes
