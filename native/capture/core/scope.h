// The regions of one capture: grows from the kernel arguments to everything reachable, reads each region once, and on
// that one pass streams it, searches it for pointers and takes a checksum of each chunk for the comparison afterwards.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/checksum.h"
#include "capture/core/device_capture.h"
#include "capture/core/pointer_scan.h"
#include "capture/core/sink.h"

namespace kernloop::capture {

class Scope {
 public:
  Scope(const AllocationList& allocations, uint64_t byte_budget, DeviceCapture& device, CaptureSink& sink);

  // Each adds what it finds; read_pre() then follows it to a fixed point.
  void add_pointers_in(std::span<const uint8_t> bytes);
  void add_at(uint64_t address);
  void add_all(uint64_t except_address);
  void add_module_variable(const ByteRange& variable, uint64_t ordinal);

  std::optional<Refusal> read_pre();
  std::optional<Refusal> read_post();

  bool contains(size_t allocation) const { return in_scope_[allocation]; }

 private:
  struct Region {
    Allocation allocation;
    std::vector<Checksum> chunks;
  };
  void add(size_t allocation);
  std::optional<Refusal> over_budget() const;
  template <typename Use>
  std::optional<Refusal> read_chunks(const Allocation& allocation, Use&& use);

  const AllocationList& allocations_;
  const uint64_t byte_budget_;
  DeviceCapture& device_;
  CaptureSink& sink_;
  PointerScan scan_;
  std::vector<bool> in_scope_;
  std::deque<Region> regions_;  // a deque: it grows while one of its elements is read
  uint64_t bytes_ = 0;
  std::vector<uint8_t> buffer_;
};

Refusal recorder_lost();

}  // namespace kernloop::capture
