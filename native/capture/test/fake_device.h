// A device that is a few byte arrays, and a kernel that is a lambda over them.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/capture.h"
#include "capture/core/device_capture.h"
#include "capture/core/sink.h"

namespace kernloop::capture {

class FakeDevice : public DeviceCapture {
 public:
  explicit FakeDevice(AllocationMap& allocations) : allocations_(allocations) {}

  uint64_t allocate(uint64_t base, std::vector<uint8_t> bytes, MemoryClass memory_class = MemoryClass::kDevice,
                    bool host_owned = false) {
    Allocation allocation;
    allocation.base = base;
    allocation.size = bytes.size();
    allocation.memory_class = memory_class;
    allocation.api = "fake_allocate";
    allocation.host_owned = host_owned;
    allocations_.add(allocation);
    memory_[base] = std::move(bytes);
    return base;
  }
  // Not an allocation: module variables.
  void place(uint64_t base, std::vector<uint8_t> bytes) { memory_[base] = std::move(bytes); }
  std::vector<uint8_t>& at(uint64_t base) { return memory_.at(base); }
  void put(uint64_t base, uint64_t offset, uint64_t value) {
    std::memcpy(at(base).data() + offset, &value, sizeof value);
  }

  std::vector<uint8_t> kernarg;
  std::function<void(FakeDevice&)> kernel = [](FakeDevice&) {};
  std::function<std::optional<Error>(Deadline)> on_drain = [](Deadline) { return std::nullopt; };
  std::function<std::optional<Error>()> on_check_alone = [] { return std::nullopt; };
  std::optional<Error> run_refusal;
  std::set<uint64_t> unmapped;  // bases of allocations that cannot be read
  std::vector<std::string> calls;
  std::map<std::string, uint64_t> variables;  // by name
  bool opaque = false;                        // find_opaque() may find any
  bool accelerated = false;                   // takes checksums and searches device memory itself
  uint64_t bytes_read = 0;

  std::optional<Error> drain(Deadline deadline) override {
    calls.push_back("drain");
    return on_drain(deadline);
  }
  std::optional<Error> check_alone() override { return on_check_alone(); }
  bool may_wait_for_held_calls() const override { return true; }
  std::optional<Error> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) override {
    if (unmapped.contains(from.base)) return Error{"READ_FAILED", "it is unmapped", ""};
    const std::vector<uint8_t>& bytes = at(from.base);
    if (offset + into.size() > bytes.size()) throw std::logic_error("read beyond the allocation");
    std::memcpy(into.data(), bytes.data() + offset, into.size());
    bytes_read += into.size();
    return std::nullopt;
  }
  std::optional<Error> read_kernarg(std::span<uint8_t> into) override {
    calls.push_back("kernarg");
    std::copy_n(kernarg.begin(), into.size(), into.begin());
    return std::nullopt;
  }
  std::optional<Error> find_variable(const ModuleVariable& variable, uint64_t* address) override {
    const auto found = variables.find(variable.name);
    if (found == variables.end()) return DeviceCapture::find_variable(variable, address);
    *address = found->second;
    return std::nullopt;
  }
  bool has_device_checksums() const override { return accelerated; }
  std::optional<Error> checksums(const Allocation& of, std::vector<Checksum>* per_chunk) override {
    if (!accelerated) return DeviceCapture::checksums(of, per_chunk);
    per_chunk->clear();
    const std::span<const uint8_t> bytes(at(of.base));
    for (size_t offset = 0; offset < bytes.size(); offset += kSnapshotChunkBytes) {
      per_chunk->push_back(
          checksum(bytes.subspan(offset, std::min<size_t>(kSnapshotChunkBytes, bytes.size() - offset))));
    }
    return std::nullopt;
  }
  // Aligned addresses only: fewer than the core's own search finds, which shows which of them searched.
  std::optional<Error> find_pointers(const Allocation& in, const AllocationList& all, std::vector<size_t>* hits,
                                     bool* searched) override {
    *searched = accelerated && in.memory_class != MemoryClass::kHost;
    if (!*searched) return std::nullopt;
    const std::vector<uint8_t>& bytes = at(in.base);
    for (size_t offset = 0; offset + 8 <= bytes.size(); offset += 8) {
      uint64_t value;
      std::memcpy(&value, bytes.data() + offset, 8);
      if (const Allocation* hit = find_allocation(all, value)) hits->push_back(static_cast<size_t>(hit - all.data()));
    }
    return std::nullopt;
  }
  bool may_hold_opaque() override { return opaque; }
  std::optional<Error> run(RunReport* report) {
    calls.push_back("run");
    if (run_refusal) return run_refusal;
    kernel(*this);
    report->wave_instructions = 42;
    return std::nullopt;
  }

 private:
  AllocationMap& allocations_;
  std::map<uint64_t, std::vector<uint8_t>> memory_;
};

// Both halves with the dispatch between them, on one thread that is inside the gate meanwhile.
inline CaptureOutcome capture_dispatch(const CaptureRequest& request, const AllocationMap& allocations, HoldGate& hold,
                                       FakeDevice& device, CaptureSink& sink) {
  const HoldScope inside(hold);
  CaptureRun run(request, allocations, hold, device, sink);
  if (run.before()) {
    RunReport report;
    auto refusal = device.run(&report);
    run.after(std::move(refusal), report);
  }
  return run.outcome();
}

// Collects what a capture sends, as the recorder would put it together.
class CollectingSink : public CaptureSink {
 public:
  struct Region {
    Allocation allocation;
    std::vector<uint8_t> pre, post;
    Origin origin;
  };
  std::map<uint64_t, Region> regions;  // by base
  std::vector<uint64_t> order;
  std::vector<Allocation> outside, violations;
  std::vector<uint8_t> kernarg_bytes;
  std::optional<RunReport> committed;
  std::optional<Error> aborted;
  uint64_t tracked_bytes = 0, post_bytes = 0;
  std::vector<std::pair<size_t, uint64_t>> totals;  // regions that had come, bytes in all
  int aborts = 0;
  // Becomes false: the recorder is gone.
  std::function<bool()> alive = [] { return true; };

  bool kernarg(std::span<const uint8_t> bytes) override {
    kernarg_bytes.assign(bytes.begin(), bytes.end());
    return alive();
  }
  bool region(uint32_t region, const Allocation& allocation, const Origin& origin) override {
    if (region != order.size()) throw std::logic_error("region numbers");
    order.push_back(allocation.base);
    regions[allocation.base] = {allocation, {}, {}, origin};
    return alive();
  }
  bool pre(uint32_t id, uint64_t offset, std::span<const uint8_t> bytes) override {
    Region& region = regions.at(order.at(id));
    if (offset != region.pre.size()) throw std::logic_error("pre out of order");
    region.pre.insert(region.pre.end(), bytes.begin(), bytes.end());
    region.post = region.pre;
    return alive();
  }
  bool post(uint32_t id, uint64_t offset, std::span<const uint8_t> bytes) override {
    std::memcpy(regions.at(order.at(id)).post.data() + offset, bytes.data(), bytes.size());
    post_bytes += bytes.size();
    return alive();
  }
  bool scope(uint64_t, uint64_t bytes) override {
    tracked_bytes = bytes;
    return alive();
  }
  bool total(uint64_t bytes) override {
    totals.emplace_back(order.size(), bytes);
    return alive();
  }
  bool outside_changed(const Allocation& allocation) override {
    outside.push_back(allocation);
    return alive();
  }
  bool violation(const Allocation& allocation) override {
    violations.push_back(allocation);
    return alive();
  }
  bool commit(const RunReport& report) override {
    committed = report;
    return alive();
  }
  bool abort(const Error& refusal) override {
    aborted = refusal;
    ++aborts;
    return alive();
  }
};

}  // namespace kernloop::capture
