// A device that is a few byte arrays, and a kernel that is a lambda over them.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/device_capture.h"
#include "capture/core/sink.h"

namespace kernloop::capture {

class FakeDevice : public DeviceCapture {
 public:
  explicit FakeDevice(AllocationMap& allocations) : allocations_(allocations) {}

  uint64_t allocate(uint64_t base, std::vector<uint8_t> bytes, MemoryClass memory_class = MemoryClass::kDevice) {
    Allocation allocation;
    allocation.base = base;
    allocation.size = bytes.size();
    allocation.memory_class = memory_class;
    allocation.api = "fake_allocate";
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
  std::function<std::optional<Refusal>(Deadline)> on_drain = [](Deadline) { return std::nullopt; };
  std::optional<Refusal> run_refusal;
  std::vector<std::string> calls;
  uint64_t bytes_read = 0;

  std::optional<Refusal> drain(Deadline deadline) override {
    calls.push_back("drain");
    return on_drain(deadline);
  }
  std::optional<Refusal> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) override {
    const std::vector<uint8_t>& bytes = at(from.base);
    if (offset + into.size() > bytes.size()) throw std::logic_error("read beyond the allocation");
    std::memcpy(into.data(), bytes.data() + offset, into.size());
    bytes_read += into.size();
    return std::nullopt;
  }
  std::optional<Refusal> read_kernarg(std::span<uint8_t> into) override {
    calls.push_back("kernarg");
    std::copy_n(kernarg.begin(), into.size(), into.begin());
    return std::nullopt;
  }
  std::optional<Refusal> run(Deadline, RunReport* report) override {
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

// Collects what a capture sends, as the recorder would put it together.
class CollectingSink : public CaptureSink {
 public:
  struct Region {
    Allocation allocation;
    std::vector<uint8_t> pre, post;
  };
  std::map<uint64_t, Region> regions;  // by base
  std::vector<uint64_t> order;
  std::vector<Allocation> outside, violations;
  std::vector<uint8_t> kernarg_bytes;
  std::optional<RunReport> committed;
  std::optional<Refusal> aborted;
  uint64_t tracked_bytes = 0, post_bytes = 0;
  // Becomes false: the recorder is gone.
  std::function<bool()> alive = [] { return true; };

  bool kernarg(std::span<const uint8_t> bytes) override {
    kernarg_bytes.assign(bytes.begin(), bytes.end());
    return alive();
  }
  bool region(uint32_t region, const Allocation& allocation) override {
    if (region != order.size()) throw std::logic_error("region numbers");
    order.push_back(allocation.base);
    regions[allocation.base] = {allocation, {}, {}};
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
  bool abort(const Refusal& refusal) override {
    aborted = refusal;
    return alive();
  }
};

}  // namespace kernloop::capture
