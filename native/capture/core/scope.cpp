#include "capture/core/scope.h"

#include <algorithm>
#include <string>

namespace kernloop::capture {

Refusal recorder_lost() {
  return {"RECORDER_LOST", "the recorder stopped taking data in the middle of a capture",
          "see the recorder's own error; when it was killed, run the capture again"};
}

Scope::Scope(const AllocationList& allocations, uint64_t byte_budget, DeviceCapture& device, CaptureSink& sink)
    : allocations_(allocations),
      byte_budget_(byte_budget),
      device_(device),
      sink_(sink),
      scan_(allocations),
      in_scope_(allocations.size(), false) {}

void Scope::add(size_t allocation) {
  if (in_scope_[allocation]) return;
  in_scope_[allocation] = true;
  regions_.push_back({allocations_[allocation], {}});
  bytes_ += allocations_[allocation].size;
}

void Scope::add_pointers_in(std::span<const uint8_t> bytes) {
  scan_.restart();
  scan_.feed(bytes, [this](size_t hit) { add(hit); });
}

void Scope::add_at(uint64_t address) {
  if (const Allocation* hit = find_allocation(allocations_, address))
    add(static_cast<size_t>(hit - allocations_.data()));
}

void Scope::add_all(uint64_t except_address) {
  const Allocation* except = find_allocation(allocations_, except_address);
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (&allocations_[i] != except) add(i);
  }
}

void Scope::add_module_variable(const ByteRange& variable, uint64_t ordinal) {
  if (variable.size == 0) return;
  Allocation allocation;
  allocation.base = variable.base;
  allocation.size = variable.size;
  allocation.memory_class = MemoryClass::kModule;
  allocation.ordinal = ordinal;
  regions_.push_back({allocation, {}});
  bytes_ += variable.size;
}

std::optional<Refusal> Scope::over_budget() const {
  if (byte_budget_ == 0 || bytes_ <= byte_budget_) return std::nullopt;
  return Refusal{"BYTE_BUDGET",
                 "the scope takes at least " + std::to_string(bytes_) + " bytes in " + std::to_string(regions_.size()) +
                     " regions, the budget is " + std::to_string(byte_budget_) + " bytes",
                 "raise the byte budget, or choose scope \"reachable\" if this was scope \"all\""};
}

// Reads an allocation chunk by chunk; `use(offset, bytes)` returns false when the sink is gone.
template <typename Use>
std::optional<Refusal> Scope::read_chunks(const Allocation& allocation, Use&& use) {
  buffer_.resize(kSnapshotChunkBytes);
  for (uint64_t offset = 0; offset < allocation.size; offset += kSnapshotChunkBytes) {
    const std::span<uint8_t> chunk(buffer_.data(), std::min(kSnapshotChunkBytes, allocation.size - offset));
    if (auto refusal = device_.read(allocation, offset, chunk)) return refusal;
    if (!use(offset, std::span<const uint8_t>(chunk))) return recorder_lost();
  }
  return std::nullopt;
}

std::optional<Refusal> Scope::read_pre() {
  for (uint32_t id = 0; id < regions_.size(); ++id) {
    // Before any byte of the region that breaks the budget is copied.
    if (auto refusal = over_budget()) return refusal;
    Region& region = regions_[id];
    if (!sink_.region(id, region.allocation)) return recorder_lost();
    scan_.restart();
    auto refusal = read_chunks(region.allocation, [&](uint64_t offset, std::span<const uint8_t> bytes) {
      region.chunks.push_back(checksum(bytes));
      scan_.feed(bytes, [this](size_t hit) { add(hit); });
      return sink_.pre(id, offset, bytes);
    });
    if (refusal) return refusal;
  }
  return over_budget();
}

std::optional<Refusal> Scope::read_post() {
  for (uint32_t id = 0; id < regions_.size(); ++id) {
    const Region& region = regions_[id];
    auto refusal = read_chunks(region.allocation, [&](uint64_t offset, std::span<const uint8_t> bytes) {
      if (checksum(bytes) == region.chunks[offset / kSnapshotChunkBytes]) return true;
      return sink_.post(id, offset, bytes);
    });
    if (refusal) return refusal;
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
