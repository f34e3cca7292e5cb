// Waiting in tests for what other threads and processes do.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace kernloop {

// A condition that takes this long to hold never will.
constexpr std::chrono::seconds kLongest{30};

// Returns once `holds` does.
template <typename F>
::testing::AssertionResult soon(F&& holds) {
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end)
      return ::testing::AssertionFailure() << "not within " << kLongest.count() << " s";
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return ::testing::AssertionSuccess();
}

// Whether the kernel has put a thread of this process to sleep: it waits for a lock, a condition or a signal.
inline bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');  // a name may contain anything
  return name_end != std::string::npos && text.compare(name_end + 1, 2, " S") == 0;
}

}  // namespace kernloop
