// A detached thread in which names are matched: std::regex recurses with the length of a name, and the stack has room
// for the longest that the protocol lets through. Other threads keep the usual size: a capture in work has many.
#pragma once

#include <functional>

namespace kernloop::recorder {

// Throws std::system_error if the system cannot create such a thread. `work` must not throw.
void start_deep_thread(std::function<void()> work);

}  // namespace kernloop::recorder
