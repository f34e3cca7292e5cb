// Wave slots are expensive to make (128 KiB of registers, scratch), so engines keep them from dispatch to dispatch.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class SlotPool {
 public:
  std::unique_ptr<WaveSlot> take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<WaveSlot> slot = std::move(free_.back());
        free_.pop_back();
        return slot;
      }
    }
    return std::make_unique<WaveSlot>();
  }

  void give_back(std::unique_ptr<WaveSlot> slot) {
    if (slot->scratch.capacity() > kMaxKeptScratch) slot->scratch = WaveScratch{};
    std::lock_guard lock(mutex_);
    if (free_.size() < kMaxKept) free_.push_back(std::move(slot));
  }

 private:
  static constexpr size_t kMaxKept = 256;
  static constexpr size_t kMaxKeptScratch = size_t{4} << 20;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WaveSlot>> free_;
};

}  // namespace kernloop::softgpu
