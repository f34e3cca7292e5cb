#include "capture/core/scope.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"

namespace kernloop::capture {

Error recorder_lost() {
  return {"RECORDER_LOST", "the recorder stopped taking data in the middle of a capture",
          "see the recorder's own error; when it was killed, run the capture again"};
}

Scope::Scope(const AllocationList& allocations, uint64_t byte_budget, DeviceCapture& device, CaptureSink& sink)
    : allocations_(allocations),
      byte_budget_(byte_budget),
      device_(device),
      sink_(sink),
      scan_(allocations),
      in_scope_(allocations.size(), false),
      left_out_(allocations.size()),
      left_out_bytes_(tracked_bytes(allocations)) {}

void Scope::add(size_t allocation, const Origin& origin) {
  if (in_scope_[allocation]) return;
  in_scope_[allocation] = true;
  --left_out_;
  regions_.push_back({allocations_[allocation], origin});
  bytes_ += allocations_[allocation].size;
  left_out_bytes_ -= allocations_[allocation].size;
}

void Scope::add_opaque(uint32_t id, uint64_t offset, std::span<const uint8_t> bytes) {
  if (left_out_ == 0) return;
  opaque_.clear();
  device_.find_opaque(regions_[id].allocation, offset, bytes, &opaque_);
  for (uint64_t address : opaque_) {
    if (const Allocation* hit = find_allocation(allocations_, address))
      add(static_cast<size_t>(hit - allocations_.data()), {Reached::kRegion, id});
  }
}

void Scope::add_pointers_in(std::span<const uint8_t> bytes) {
  scan_.restart(bytes.size());
  scan_.feed(bytes, [this](size_t hit) { add(hit, {Reached::kArguments}); });
}

void Scope::add_at(uint64_t address) {
  if (const Allocation* hit = find_allocation(allocations_, address))
    add(static_cast<size_t>(hit - allocations_.data()), {Reached::kWidened});
}

void Scope::add_all(uint64_t except_address) {
  takes_all_ = true;
  const Allocation* except = find_allocation(allocations_, except_address);
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (&allocations_[i] != except) add(i, {Reached::kAll});
  }
}

void Scope::add_module_variable(const ByteRange& variable, uint64_t ordinal, std::optional<bool> address_told) {
  if (variable.size == 0) return;
  Allocation allocation;
  allocation.base = variable.base;
  allocation.size = variable.size;
  allocation.memory_class = MemoryClass::kModule;
  allocation.ordinal = ordinal;
  allocation.address_told = address_told;
  regions_.push_back({allocation, {Reached::kVariable}});
  bytes_ += variable.size;
}

std::optional<Error> Scope::over_budget() const {
  if (byte_budget_ == 0 || bytes_ <= byte_budget_) return std::nullopt;
  return Error{"BYTE_BUDGET",
               "the scope takes at least " + std::to_string(bytes_) + " bytes in " + std::to_string(regions_.size()) +
                   " regions, the budget is " + std::to_string(byte_budget_) + " bytes: it needs --max-bytes " +
                   std::to_string(bytes_) + " or more" + (takes_all_ ? ", or --scope reachable" : ""),
               "--dry-run tells what it takes in all"};
}

std::optional<Error> Scope::obstacle(const Allocation& allocation) {
  if (!allocation.of_others) return std::nullopt;
  return Error{"IPC_MEMORY",
               "the memory at " + to_hex_number(allocation.base) + " comes from another process or API (" +
                   std::string(allocation.api) + "), which may write it at any time",
               "capture a dispatch that does not reach such memory"};
}

// Reads the chunks of an allocation that are wanted, by index; `use(offset, bytes)` returns false when the sink is
// gone.
template <typename Wanted, typename Use>
std::optional<Error> Scope::read_chunks(const Allocation& allocation, Wanted&& wanted, Use&& use) {
  if (auto refusal = obstacle(allocation)) return refusal;
  buffer_.resize(kSnapshotChunkBytes);
  for (uint64_t offset = 0; offset < allocation.size; offset += kSnapshotChunkBytes) {
    if (!wanted(offset / kSnapshotChunkBytes)) continue;
    const std::span<uint8_t> chunk(buffer_.data(), std::min(kSnapshotChunkBytes, allocation.size - offset));
    if (auto refusal = device_.read(allocation, offset, chunk)) return refusal;
    if (!use(offset, std::span<const uint8_t>(chunk))) return recorder_lost();
  }
  return std::nullopt;
}

// Done before any byte is copied: the scope is then complete, and exceeding the budget costs nothing.
std::optional<Error> Scope::search_on_device() {
  std::vector<size_t> hits;
  for (; asked_ < regions_.size() && left_out_ != 0; ++asked_) {
    Region& region = regions_[asked_];
    hits.clear();
    region.searched = true;
    if (auto refusal = device_.find_pointers(region.allocation, allocations_, &hits, &region.searched)) return refusal;
    if (!region.searched) continue;
    ++searched_;
    for (size_t hit : hits) add(hit, {Reached::kRegion, static_cast<uint32_t>(asked_)});
  }
  return std::nullopt;
}

std::optional<Error> Scope::search_on_host(uint32_t id) {
  Region& region = regions_[id];
  if (region.searched || left_out_ == 0) return std::nullopt;
  region.searched = true;
  ++searched_;
  scan_.restart(region.allocation.size);
  return read_chunks(
      region.allocation, [](size_t) { return true; },
      [&](uint64_t offset, std::span<const uint8_t> bytes) {
        scan_.feed(bytes, [&](size_t hit) { add(hit, {Reached::kRegion, id}); });
        add_opaque(id, offset, bytes);
        return true;
      });
}

std::optional<Error> Scope::find_all() {
  for (uint32_t id = 0; id < regions_.size(); ++id) {
    if (auto refusal = search_on_device()) return refusal;
    if (auto refusal = over_budget()) return refusal;
    if (auto refusal = search_on_host(id)) return refusal;
  }
  return over_budget();
}

std::optional<Error> Scope::read_pre() {
  for (uint32_t id = 0; id < regions_.size(); ++id) {
    // Each time: pointers that the host has found lead to memory that the device has not searched yet.
    if (auto refusal = search_on_device()) return refusal;
    // Checked before any byte of the region that exceeds the budget is copied.
    if (auto refusal = over_budget()) return refusal;
    if (auto refusal = tell_total()) return refusal;
    if (auto refusal = read_pre_of(id)) return refusal;
  }
  return over_budget();
}

bool Scope::is_complete() const {
  return left_out_ == 0 || (searched_ == regions_.size() && !device_.may_hold_opaque());
}

// If bytes are searched while they are read, their total is unknown before the end. If everything is taken, only the
// kernel arguments' own memory can still be added.
std::optional<Error> Scope::tell_total() {
  if (bytes_ == told_ || !(takes_all_ || is_complete())) return std::nullopt;
  told_ = bytes_;
  return sink_.total(bytes_) ? std::nullopt : std::optional(recorder_lost());
}

std::optional<Error> Scope::read_pre_of(uint32_t id) {
  Region& region = regions_[id];
  if (region.allocation.memory_class != MemoryClass::kModule) device_.look_at_region(region.allocation);
  if (!sink_.region(id, region.allocation, region.origin)) return recorder_lost();
  const bool by_device = device_.has_device_checksums();
  if (by_device) {
    if (auto refusal = device_.checksums(region.allocation, &region.chunks)) return refusal;
  }
  scan_.restart(region.allocation.size);
  return read_chunks(
      region.allocation, [](size_t) { return true; },
      [&](uint64_t offset, std::span<const uint8_t> bytes) {
        if (!by_device) region.chunks.push_back(checksum(bytes));
        if (!region.searched && left_out_ != 0)
          scan_.feed(bytes, [&](size_t hit) { add(hit, {Reached::kRegion, id}); });
        add_opaque(id, offset, bytes);
        return sink_.pre(id, offset, bytes);
      });
}

std::optional<Error> Scope::read_post() {
  for (uint32_t id = 0; id < regions_.size(); ++id) {
    if (auto refusal = read_post_of(id)) return refusal;
  }
  return std::nullopt;
}

std::optional<Error> Scope::read_post_of(uint32_t id) {
  const Region& region = regions_[id];
  std::vector<Checksum> now;
  const bool by_device = device_.has_device_checksums();
  if (by_device) {
    if (auto refusal = device_.checksums(region.allocation, &now)) return refusal;
    if (now.size() != region.chunks.size())
      return Error{"READ_FAILED", "the device gave checksums of other chunks than before",
                   "report this with the log in .kernloop/logs"};
  }
  return read_chunks(
      region.allocation, [&](size_t chunk) { return !by_device || now[chunk] != region.chunks[chunk]; },
      [&](uint64_t offset, std::span<const uint8_t> bytes) {
        if (!by_device && checksum(bytes) == region.chunks[offset / kSnapshotChunkBytes]) return true;
        return sink_.post(id, offset, bytes);
      });
}

}  // namespace kernloop::capture
