// Written bytes of an allocation: one bit a byte, for the checker (checker.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace kernloop::softgpu {

class ByteShadow {
 public:
  // Fill of a checked allocation. An unmarked byte that holds something else was written by the host through its own
  // pointer, which is not observed.
  static constexpr uint8_t kFiller = 0xcb;

  ByteShadow(uint64_t base, uint64_t size) : base_(base), size_(size), words_((size + 63) / 64) {}

  // Bytes outside are ignored.
  void mark(uint64_t address, uint64_t bytes);
  bool is_marked(uint64_t address) const;

 private:
  const uint64_t base_, size_;
  std::vector<std::atomic<uint64_t>> words_;
};

}  // namespace kernloop::softgpu
