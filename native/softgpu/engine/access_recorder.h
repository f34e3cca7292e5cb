// The exact bytes of global memory that one worker's waves read and wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/engine.h"

namespace kernloop::softgpu {

class AccessRecorder {
 public:
  void read(uint64_t address, uint64_t bytes) { mark(address, bytes, &Page::read); }
  void written(uint64_t address, uint64_t bytes) { mark(address, bytes, &Page::written); }

  // Sorted and merged over all recorders.
  static AccessSets merge(const std::vector<const AccessRecorder*>& recorders);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  using Bitmap = uint64_t[kPageBytes / 64];
  struct Page {
    Bitmap read = {};
    Bitmap written = {};
  };

  void mark(uint64_t address, uint64_t bytes, Bitmap Page::*which);
  Page& page(uint64_t number);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace kernloop::softgpu
