// Threads in which patterns for names are compiled and matched, because std::regex recurses. With GCC 12, at -O0 to
// -O2, compiling takes at most 860 bytes of stack for each open group and 155 for each term of a pattern; matching
// takes at most 152 for each state that takes no character, and std::regex allows 100,000 states. So a pattern within
// the bounds of name_pattern.h takes 16 MB at most, an eighth of the stack here. Other threads keep the usual size: a
// capture in work has many.
#pragma once

#include <functional>

namespace kernloop::recorder {

// Detached. Throws std::system_error if the system cannot create such a thread. `work` must not throw.
void start_deep_thread(std::function<void()> work);

// The same, and waits until it is done. Rethrows what `work` throws.
void on_deep_thread(const std::function<void()>& work);

}  // namespace kernloop::recorder
