#include "capture/cuda/profiler.h"

#include <cstdlib>
#include <ctime>

#include "capture/cuda/agent.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

// CUPTI asks for another one when one is full; it keeps few at a time.
constexpr size_t kBufferBytes = 1u << 20;
constexpr size_t kBufferAlignment = 8;
constexpr uint32_t kFlushPeriodMs = 1000;

uint32_t positive(int32_t value) {
  return value > 0 ? static_cast<uint32_t>(value) : 0u;
}

int64_t host_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

LaunchGeometry geometry_of(const KernelActivityPrefix& record) {
  LaunchGeometry geometry;
  geometry.grid_blocks = {positive(record.gridX), positive(record.gridY), positive(record.gridZ)};
  geometry.block_threads = {positive(record.blockX), positive(record.blockY), positive(record.blockZ)};
  for (size_t i = 0; i < 3; ++i) {
    geometry.grid_work_items[i] = uint64_t{geometry.grid_blocks[i]} * geometry.block_threads[i];
    if (geometry.grid_work_items[i] > 1) geometry.dimensions = static_cast<uint32_t>(i + 1);
  }
  geometry.group_segment_bytes = positive(record.staticSharedMemory) + positive(record.dynamicSharedMemory);
  geometry.private_segment_bytes = record.localMemoryPerThread;
  return geometry;
}

}  // namespace

void CudaProfiler::start() {
  CUptiResult result = cupti_->cuptiActivityRegisterCallbacks(on_buffer_wanted, on_buffer_done);
  if (result == CUPTI_SUCCESS) result = cupti_->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  // Bounds the records that a killed program loses.
  if (result == CUPTI_SUCCESS && cupti_->cuptiActivityFlushPeriod != nullptr) {
    cupti_->cuptiActivityFlushPeriod(kFlushPeriodMs);
  }
  if (result != CUPTI_SUCCESS) {
    const Error error = subscription_error(*cupti_, result, "cuptiActivityEnable");
    agent_.note(error.code.c_str(), "kernels cannot be measured: " + error.message + "; " + error.hint);
  }
}

void CudaProfiler::finish() {
  const OwnCalls own;
  if (agent_.contexts.wait_idle(Deadline::in(std::chrono::milliseconds(agent_.welcome.run_limit_ms)))) {
    agent_.note("NOT_MEASURED", "kernels were still running, or had failed, when the program ended");
  }
  cupti_->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (const uint64_t lost = dropped_.load(); lost != 0) {
    agent_.note("RECORDS_DROPPED", "CUPTI dropped " + std::to_string(lost) +
                                       " records of kernels: counts and totals are lower than what ran");
  }
}

void CudaProfiler::on_buffer_wanted(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *max_records = 0;
}

void CudaProfiler::on_buffer_done(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  const std::unique_ptr<uint8_t, decltype(&std::free)> owned(buffer, &std::free);
  CudaAgent* agent = CudaAgent::get();
  if (agent == nullptr || buffer == nullptr) return;
  const OwnCalls own;
  agent->guarded([&] {
    CudaProfiler& self = agent->profiler;
    CUpti_Activity* record = nullptr;
    const int64_t offset = self.clock_offset();
    while (valid != 0 && self.cupti_->cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL) continue;
      self.take(*reinterpret_cast<const KernelActivityPrefix*>(record), offset);
    }
    size_t dropped = 0;
    if (self.cupti_->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
      self.dropped_ += dropped;
    }
  });
}

const KernelEntry* CudaProfiler::kernel_named(const std::string& symbol) {
  const auto known = kernels_.find(symbol);
  if (known != kernels_.end()) return known->second;
  // A record names no module: the code is known only if a single one has such a kernel.
  const KernelEntry* entry = agent_.kernel(kernels_.size() + 1, [&]() -> Result<ResolvedKernel> {
    ResolvedKernel resolved;
    resolved.symbol = symbol;
    const auto candidates = agent_.cubins.with_kernel(symbol);
    if (candidates.size() == 1 && !candidates.front()->bytes.empty()) {
      Cubin& cubin = *candidates.front();
      agent_.cubins.send_once(cubin, [&] { agent_.send_code_object(cubin.number, cubin.bytes); });
      resolved.objects.push_back(cubin.number);
    }
    return resolved;
  });
  return kernels_[symbol] = entry;
}

const MultiprocessorLimits& CudaProfiler::limits_of(uint32_t device) {
  const auto [entry, is_new] = limits_.try_emplace(device);
  if (is_new) entry->second = capture::limits_of(*driver_, static_cast<CUdevice>(device));
  return entry->second;
}

// CUPTI's clock is adjusted like CLOCK_REALTIME: its relation to CLOCK_MONOTONIC is measured with every buffer. The
// shortest of a few tries is within some hundred nanoseconds.
int64_t CudaProfiler::clock_offset() const {
  int64_t offset = 0, shortest = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    uint64_t cupti = 0;
    const int64_t before = host_clock_ns();
    if (cupti_->cuptiGetTimestamp(&cupti) != CUPTI_SUCCESS) continue;
    const int64_t after = host_clock_ns();
    if (after - before >= shortest) continue;
    shortest = after - before;
    offset = before + shortest / 2 - static_cast<int64_t>(cupti);
  }
  return offset;
}

void CudaProfiler::take(const KernelActivityPrefix& record, int64_t offset) {
  if (record.name == nullptr) return;
  std::lock_guard lock(mutex_);
  const KernelEntry* kernel = kernel_named(record.name);
  kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
  agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
  ProfileMessage message;
  message.kernel = kernel->id;
  message.geometry = geometry_of(record);
  message.value = record.end > record.start ? record.end - record.start : 0;
  if (record.start != 0 && record.end >= record.start) {
    message.start_ns = record.start + static_cast<uint64_t>(offset);
    message.end_ns = record.end + static_cast<uint64_t>(offset);
  }
  message.device = record.deviceId;
  message.stream = record.streamId;
  LaunchResources& resources = message.resources;
  resources.registers_per_thread = record.registersPerThread;
  resources.static_shared_bytes = positive(record.staticSharedMemory);
  resources.dynamic_shared_bytes = positive(record.dynamicSharedMemory);
  resources.local_bytes_per_thread = record.localMemoryPerThread;
  const auto& block = message.geometry.block_threads;
  const LaunchNeeds needs{block[0] * block[1] * block[2], record.registersPerThread,
                          message.geometry.group_segment_bytes};
  const MultiprocessorLimits& limits = limits_of(record.deviceId);
  resources.resident_blocks_per_multiprocessor = resident_blocks(limits, needs);
  resources.occupancy_percent = occupancy_percent(limits, needs);
  agent_.recorder->send(FrameType::kProfile, message.encode());
}

}  // namespace kernloop::capture
