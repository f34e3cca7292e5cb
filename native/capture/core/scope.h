// The regions of one capture: grows from the kernel arguments to everything reachable, and streams each region once.
// That one pass over the bytes also does what the device does not do itself: it searches them for pointers, and
// computes a checksum of each chunk for the comparison afterwards.
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

  // Each call adds the regions it finds; find_all() and read_pre() then follow them to a fixed point.
  void add_pointers_in(std::span<const uint8_t> bytes);
  void add_at(uint64_t address);
  void add_all(uint64_t except_address);
  void add_module_variable(const ByteRange& variable, uint64_t ordinal, std::optional<bool> address_told);

  // Whether all memory together would exceed the budget.
  bool may_break_budget() const { return byte_budget_ != 0 && bytes_ + left_out_bytes_ > byte_budget_; }
  // Reads, and sends nothing: the budget is checked before a byte of the capture is written.
  std::optional<Error> find_all();
  std::optional<Error> read_pre();
  std::optional<Error> read_post();

  bool contains(size_t allocation) const { return in_scope_[allocation]; }

 private:
  struct Region {
    Allocation allocation;
    Origin origin;
    std::vector<Checksum> chunks = {};
    bool searched = false;  // for pointers
  };
  void add(size_t allocation, const Origin& origin);
  void add_opaque(uint32_t id, uint64_t offset, std::span<const uint8_t> bytes);
  std::optional<Error> over_budget() const;
  static std::optional<Error> obstacle(const Allocation& allocation);
  std::optional<Error> search_on_device();
  std::optional<Error> search_on_host(uint32_t id);
  // No left-out allocation can be added any more.
  bool is_complete() const;
  std::optional<Error> tell_total();
  std::optional<Error> read_pre_of(uint32_t id);
  std::optional<Error> read_post_of(uint32_t id);
  template <typename Wanted, typename Use>
  std::optional<Error> read_chunks(const Allocation& allocation, Wanted&& wanted, Use&& use);

  const AllocationList& allocations_;
  const uint64_t byte_budget_;
  bool takes_all_ = false;
  DeviceCapture& device_;
  CaptureSink& sink_;
  PointerScan scan_;
  std::vector<bool> in_scope_;
  std::deque<Region> regions_;  // a deque: it grows while one of its elements is read
  size_t left_out_;             // allocations not in scope
  uint64_t left_out_bytes_;
  size_t asked_ = 0;     // number of regions that the device was asked to search
  size_t searched_ = 0;  // number of regions searched before any was read
  uint64_t bytes_ = 0;
  uint64_t told_ = 0;  // total that the sink has received
  std::vector<uint8_t> buffer_;
  std::vector<uint64_t> opaque_;
};

Error recorder_lost();

}  // namespace kernloop::capture
