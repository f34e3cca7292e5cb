// Which bytes of an allocation have been written: one bit a byte, for the checker (checker.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace kernloop::softgpu {

class ByteShadow {
 public:
  // What a checked allocation is filled with. A byte that is not marked and holds something else was written by the
  // host through its own pointer, which nothing tells us of.
  static constexpr uint8_t kFiller = 0xcb;

  ByteShadow(uint64_t base, uint64_t size) : base_(base), size_(size), words_((size + 63) / 64) {}

  // What lies outside is left alone.
  void mark(uint64_t address, uint64_t bytes);
  bool is_marked(uint64_t address) const;

 private:
  const uint64_t base_, size_;
  std::vector<std::atomic<uint64_t>> words_;
};

}  // namespace kernloop::softgpu
