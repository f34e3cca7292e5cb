#include "fakes/cuda/work/activity.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fakes/cuda/objects.h"

namespace kernloop::cuda::fake {
namespace {

// The filled part of CUpti_ActivityKernel10: a reader must step by its size.
struct __attribute__((packed, aligned(8))) KernelRecord {
  KernelActivityPrefix prefix;
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout[2], padding;
  uint32_t shared_memory_executed;
  uint64_t graph_node_id;
  uint8_t rest[64];
};
static_assert(sizeof(KernelRecord) == 216);

struct Buffers {
  std::mutex mutex;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  uint8_t* buffer = nullptr;
  size_t bytes = 0, used = 0;
  size_t dropped = 0;
  std::atomic<bool> kernels{false}, external_ids{false};
};

Buffers& buffers() {
  static Buffers* const kBuffers = new Buffers;
  return *kBuffers;
}

std::map<CUpti_ExternalCorrelationKind, std::vector<uint64_t>>& external_ids() {
  thread_local std::map<CUpti_ExternalCorrelationKind, std::vector<uint64_t>> ids;
  return ids;
}

void hand_over(Buffers& to, std::unique_lock<std::mutex>& lock) {
  uint8_t* const buffer = std::exchange(to.buffer, nullptr);
  const size_t bytes = to.bytes, used = to.used;
  lock.unlock();
  if (buffer != nullptr) to.complete(nullptr, 0, buffer, bytes, used);
  lock.lock();
}

bool get_buffer(Buffers& to, std::unique_lock<std::mutex>& lock) {
  if (to.request == nullptr) return false;
  uint8_t* buffer = nullptr;
  size_t bytes = 0, most = 0;
  lock.unlock();
  to.request(&buffer, &bytes, &most);
  lock.lock();
  to.buffer = buffer;
  to.bytes = bytes;
  to.used = 0;
  return buffer != nullptr;
}

template <typename Record>
void append(const Record& record) {
  Buffers& to = buffers();
  std::unique_lock lock(to.mutex);
  if (to.buffer != nullptr && to.used + sizeof record > to.bytes) hand_over(to, lock);
  if (to.buffer == nullptr && !get_buffer(to, lock)) {
    ++to.dropped;
    return;
  }
  if (to.used + sizeof record > to.bytes) {
    ++to.dropped;
    return;
  }
  std::memcpy(to.buffer + to.used, &record, sizeof record);
  to.used += sizeof record;
}

void flush_at_exit() {
  (void)flush_activity();
}

}  // namespace

CUptiResult enable_activity(CUpti_ActivityKind kind, bool on) {
  if (kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    static const int registered = std::atexit(flush_at_exit);
    (void)registered;
    buffers().kernels = on;
  } else if (kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
    buffers().external_ids = on;
  } else {
    return CUPTI_ERROR_INVALID_KIND;
  }
  return CUPTI_SUCCESS;
}

CUptiResult register_activity_buffers(CUpti_BuffersCallbackRequestFunc request,
                                      CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(buffers().mutex);
  buffers().request = request;
  buffers().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult flush_activity() {
  std::unique_lock lock(buffers().mutex);
  if (buffers().complete == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  hand_over(buffers(), lock);
  return CUPTI_SUCCESS;
}

CUptiResult next_activity_record(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  size_t offset = 0;
  if (*record != nullptr) {
    const bool external = (*record)->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    offset = static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - buffer);
    offset += external ? sizeof(CUpti_ActivityExternalCorrelation) : sizeof(KernelRecord);
  }
  if (offset >= bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + offset);
  return CUPTI_SUCCESS;
}

size_t take_dropped_records() {
  const std::lock_guard lock(buffers().mutex);
  return std::exchange(buffers().dropped, 0);
}

void push_external_id(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  external_ids()[kind].push_back(id);
}

CUptiResult pop_external_id(CUpti_ExternalCorrelationKind kind, uint64_t* id) {
  std::vector<uint64_t>& ids = external_ids()[kind];
  if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (id != nullptr) *id = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}

void record_external_ids(uint32_t correlation) {
  if (!buffers().external_ids) return;
  for (const auto& [kind, ids] : external_ids()) {
    if (ids.empty()) continue;
    CUpti_ActivityExternalCorrelation record = {};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = kind;
    record.externalId = ids.back();
    record.correlationId = correlation;
    append(record);
  }
}

void record_kernel(CUcontext context, const KernelLaunch& launch, uint64_t start_ns, uint64_t end_ns) {
  if (!buffers().kernels) return;
  const ImageKernel& kernel = *launch.function->kernel;
  KernelRecord record = {};
  KernelActivityPrefix& prefix = record.prefix;
  prefix.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  prefix.registersPerThread = static_cast<uint16_t>(kernel.registers);
  prefix.start = start_ns + kCuptiClockAheadNs;
  prefix.end = end_ns + kCuptiClockAheadNs;
  prefix.deviceId = static_cast<uint32_t>(context->device);
  prefix.contextId = context->uid;
  prefix.streamId = launch.stream_id;
  prefix.gridX = static_cast<int32_t>(launch.shape.grid[0]);
  prefix.gridY = static_cast<int32_t>(launch.shape.grid[1]);
  prefix.gridZ = static_cast<int32_t>(launch.shape.grid[2]);
  prefix.blockX = static_cast<int32_t>(launch.shape.block[0]);
  prefix.blockY = static_cast<int32_t>(launch.shape.block[1]);
  prefix.blockZ = static_cast<int32_t>(launch.shape.block[2]);
  prefix.staticSharedMemory = static_cast<int32_t>(kernel.static_shared_bytes);
  prefix.dynamicSharedMemory = static_cast<int32_t>(launch.shape.dynamic_shared_bytes);
  prefix.localMemoryPerThread = kernel.local_bytes;
  prefix.correlationId = launch.correlation;
  prefix.gridId = static_cast<int64_t>(launch.number);
  prefix.name = kernel.name.c_str();
  record.graph_node_id = launch.graph_node_id;
  append(record);
}

}  // namespace kernloop::cuda::fake
