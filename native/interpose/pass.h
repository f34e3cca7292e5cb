// Gates that pass calls of any signature on, before and after which a result may be put in place of the function's:
// rows `pass name` (pass.S).
#pragma once

#include <atomic>

// Both are the library's own. While the first is not 0, each gate returns it: without a call, or in place of what the
// call returned. The second is returned where no library has the function.
extern "C" {
__attribute__((visibility("hidden"))) extern std::atomic<int> kernloop_pass_result;
__attribute__((visibility("hidden"))) extern const int kernloop_pass_absent;
}

namespace kernloop::interpose {

// Whether the app calls functions through such gates.
bool are_gates_used();

}  // namespace kernloop::interpose
