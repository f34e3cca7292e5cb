#include "replay/cuda/kernel_activity.h"

#include <cstdlib>
#include <mutex>
#include <vector>

namespace kernloop::replay {

using namespace cuda;

namespace {

constexpr size_t kBufferBytes = 256 << 10;
constexpr size_t kAlignment = 8;

struct Record {
  std::string name;
  uint64_t start = 0, end = 0;  // ns
};

struct Records {
  std::mutex mutex;
  const Cupti* cupti = nullptr;
  std::vector<Record> kernels;
};

// Never destroyed: CUPTI may hand out buffers while the process ends.
Records& records() {
  static Records& all = *new Records;
  return all;
}

void request_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;  // as many as fit
}

void take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  Records& all = records();
  {
    const std::lock_guard lock(all.mutex);
    CUpti_Activity* activity = nullptr;
    while (all.cupti && all.cupti->cuptiActivityGetNextRecord(buffer, valid_bytes, &activity) == CUPTI_SUCCESS) {
      if (activity->kind != CUPTI_ACTIVITY_KIND_KERNEL && activity->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        continue;
      const auto& kernel = *reinterpret_cast<const KernelActivityPrefix*>(activity);
      all.kernels.push_back({kernel.name ? kernel.name : "", kernel.start, kernel.end});
    }
  }
  std::free(buffer);
}

}  // namespace

Result<std::unique_ptr<KernelActivity>> KernelActivity::start(int driver_version) {
  auto cupti = Cupti::load(driver_version);
  if (!cupti) return cupti.error();
  const auto failed = [&](const char* call, CUptiResult result) {
    return Error{"DEVICE_ERROR", std::string(call) + ": " + (*cupti)->describe(result),
                 "set KERNLOOP_CUPTI=off to time with events"};
  };
  records().cupti = cupti->get();
  CUptiResult result = (*cupti)->cuptiActivityRegisterCallbacks(request_buffer, take_buffer);
  if (result != CUPTI_SUCCESS) return failed("cuptiActivityRegisterCallbacks", result);
  result = (*cupti)->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) return failed("cuptiActivityEnable", result);
  return std::unique_ptr<KernelActivity>(new KernelActivity(*cupti));
}

KernelActivity::~KernelActivity() {
  cupti_->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cupti_->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void KernelActivity::forget() {
  cupti_->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(records().mutex);
  records().kernels.clear();
}

std::optional<uint64_t> KernelActivity::duration_ns(const std::string& symbol) {
  if (cupti_->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != CUPTI_SUCCESS) return std::nullopt;
  const std::lock_guard lock(records().mutex);
  const Record* found = nullptr;
  for (const Record& record : records().kernels) {
    if (record.name != symbol) continue;  // launched by the kernel itself
    if (found) return std::nullopt;
    found = &record;
  }
  if (!found || found->start == 0 || found->end < found->start) return std::nullopt;  // 0: not measured
  return found->end - found->start;
}

}  // namespace kernloop::replay
