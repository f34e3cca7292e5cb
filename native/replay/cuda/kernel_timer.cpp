#include "replay/cuda/kernel_timer.h"

#include <cmath>

namespace kernloop::replay {

using namespace cuda;

KernelTimer::~KernelTimer() {
  if (context_.abandoned()) {
    static_cast<void>(activity_.release());  // it would ask the driver
    return;
  }
  if (begin_) context_.driver().cuEventDestroy(begin_);
  if (end_) context_.driver().cuEventDestroy(end_);
}

Status KernelTimer::start() {
  for (CUevent* event : {&begin_, &end_}) {
    if (auto made = context_.check("cuEventCreate", context_.driver().cuEventCreate(event, CU_EVENT_DEFAULT),
                                   "creating an event");
        !made)
      return made;
  }
  return Unit{};
}

void KernelTimer::forget() {
  if (activity_) activity_->forget();
}

CUresult KernelTimer::before(CUstream stream) {
  return context_.driver().cuEventRecord(begin_, stream);
}

CUresult KernelTimer::after(CUstream stream) {
  return context_.driver().cuEventRecord(end_, stream);
}

CUresult KernelTimer::state() const {
  return context_.driver().cuEventQuery(end_);
}

Result<KernelTime> KernelTimer::take(const std::string& symbol) {
  if (activity_) {
    if (const auto duration = activity_->duration_ns(symbol)) return KernelTime{*duration, "cupti"};
  }
  float milliseconds = 0;
  if (auto measured = context_.check(
          "cuEventElapsedTime", context_.driver().cuEventElapsedTime(&milliseconds, begin_, end_), "timing the kernel");
      !measured)
    return measured.error();
  return KernelTime{static_cast<uint64_t>(std::llround(double{milliseconds} * 1e6)), "events"};
}

}  // namespace kernloop::replay
