// Records the exact bytes of global memory that one worker's waves read and wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/memory/address_space.h"

namespace kernloop::softgpu {

class AccessRecorder {
 public:
  // Accesses are this wave's from now on. A number in the grid.
  void begin_wave(uint64_t number) { wave_ = number; }
  // `lane`: kLanes for accesses of the wave as one range, or by a scalar instruction.
  void read(uint64_t address, uint64_t bytes, unsigned lane) {
    mark(address, bytes, &Page::read);
    count(address, bytes, lane, false);
  }
  void written(uint64_t address, uint64_t bytes, unsigned lane) {
    mark(address, bytes, &Page::written);
    count(address, bytes, lane, true);
  }

  // Sorted and merged over all recorders.
  static AccessSets merge(const std::vector<const AccessRecorder*>& recorders);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  using Bitmap = uint64_t[kPageBytes / 64];
  struct Page {
    Bitmap read = {};
    Bitmap written = {};
    uint64_t by_lane = 0;
  };

  void mark(uint64_t address, uint64_t bytes, Bitmap Page::*which);
  void count(uint64_t address, uint64_t bytes, unsigned lane, bool is_write);
  Page& page(uint64_t number);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_page_ = nullptr;
  uint64_t wave_ = 0;
};

}  // namespace kernloop::softgpu
