// How a kernel that takes long hears Ctrl-C. Python handles signals between its own steps only, and a kernel is one step.
#pragma once

namespace tallybayes {

// Lets Python handle the signals that have come, and throws what it raises. In threads other than the main one there are
// none. Costs a microsecond: to be called every ten milliseconds or so, where nothing is left half done.
void heed_signals();

}  // namespace tallybayes
