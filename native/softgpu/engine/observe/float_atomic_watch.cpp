#include "softgpu/engine/observe/float_atomic_watch.h"

#include <algorithm>

#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

std::vector<AddressRange> sorted(std::span<const AddressRange> ranges) {
  std::vector<AddressRange> all(ranges.begin(), ranges.end());
  std::sort(all.begin(), all.end(), [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });
  return all;
}

}  // namespace

FloatAtomicWatch::FloatAtomicWatch(std::span<const AddressRange> ranges)
    : ranges_(sorted(ranges)), is_told_(ranges_.size()), untold_(ranges_.size()) {}

void FloatAtomicWatch::note(const Wave& wave, const Instruction& instruction, const LaneAddresses& addresses,
                            uint64_t lanes, uint32_t bytes) {
  if (untold_.load(std::memory_order_relaxed) == 0) return;
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t address = addresses.at[lane];
    const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                       [](uint64_t value, const AddressRange& range) { return value < range.base; });
    if (next == ranges_.begin() || address - (next - 1)->base >= (next - 1)->size) return;
    if (is_told_[static_cast<size_t>(next - 1 - ranges_.begin())].exchange(true, std::memory_order_relaxed)) return;
    untold_.fetch_sub(1, std::memory_order_relaxed);
    Fault finding;
    finding.kind = Fault::Kind::kFloatAtomic;
    finding.instruction = disassemble(instruction);
    std::copy_n(wave.workgroup->id, 3, finding.workgroup);
    finding.wave = wave.index_in_workgroup;
    finding.lane = static_cast<int32_t>(lane);
    finding.address = address;
    finding.bytes = bytes;
    finding.is_write = true;
    std::lock_guard lock(mutex_);
    findings_.push_back(std::move(finding));
  });
}

std::vector<Fault> FloatAtomicWatch::findings(const std::string& kernel) const {
  std::lock_guard lock(mutex_);
  std::vector<Fault> all = findings_;
  for (Fault& finding : all) finding.kernel = kernel;
  return all;
}

}  // namespace kernloop::softgpu
