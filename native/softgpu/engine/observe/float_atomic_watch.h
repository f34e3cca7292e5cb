// Watched memory that a dispatch accesses with floating-point atomics. On fine-grained memory some devices ignore them
// (AMD, "Hardware atomics operation support"; clang, -munsafe-fp-atomics); the software GPU executes them everywhere,
// and reports them.
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/wave/fault.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

// One a dispatch. Tells the first access to each range.
class FloatAtomicWatch {
 public:
  explicit FloatAtomicWatch(std::span<const AddressRange> ranges);

  // `addresses` are the device's.
  void note(const Wave& wave, const Instruction& instruction, const LaneAddresses& addresses, uint64_t lanes,
            uint32_t bytes);
  std::vector<Fault> findings(const std::string& kernel) const;

 private:
  const std::vector<AddressRange> ranges_;  // sorted by base
  std::vector<std::atomic<bool>> is_told_;
  std::atomic<size_t> untold_;
  mutable std::mutex mutex_;
  std::vector<Fault> findings_;
};

}  // namespace kernloop::softgpu
