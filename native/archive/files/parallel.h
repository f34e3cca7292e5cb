// The same work on many items, on as many threads as the machine offers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace kernloop::archive {

// `work(i)` for each i below `count`, in any order and from any thread; returns when all are done. `threads` 0: one a
// core.
template <typename Work>
void for_each_index(size_t count, size_t threads, Work&& work) {
  constexpr size_t kMaxThreads = 32;
  if (threads == 0) threads = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  std::atomic<size_t> next{0};
  const auto some = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(some);
  some();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace kernloop::archive
