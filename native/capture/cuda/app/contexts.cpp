#include "capture/cuda/app/contexts.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "capture/cuda/app/poll.h"
#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

Error drain_limit() {
  return {"DRAIN_LIMIT", "the GPU did not become idle within the drain limit",
          "a kernel that waits for the host or for another stream keeps it busy; capture another dispatch, or raise "
          "--drain-limit-ms"};
}

Error driver_failed(const Driver& driver, const char* what, CUresult result) {
  return {"DEVICE_FAULT", std::string(what) + " returned " + driver.describe(result),
          "the program had an error on the GPU before the dispatch; see its own output"};
}

// An event that completes when everything in the current context has.
// Not every kind of context has them.
std::optional<Error> wait_for_event(const Driver& driver, CUcontext context, Deadline deadline, bool* supported) {
  CUevent event = nullptr;
  if (const CUresult result = driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING); result != CUDA_SUCCESS)
    return driver_failed(driver, "cuEventCreate", result);
  CUresult state = driver.cuCtxRecordEvent(context, event);
  if (state == CUDA_ERROR_NOT_SUPPORTED) {
    driver.cuEventDestroy(event);
    *supported = false;
    return std::nullopt;
  }
  bool done = state != CUDA_SUCCESS;
  if (!done) {
    done = poll_until(deadline, [&] { return (state = driver.cuEventQuery(event)) != CUDA_ERROR_NOT_READY; });
  }
  driver.cuEventDestroy(event);
  if (!done) return drain_limit();
  if (state != CUDA_SUCCESS) return driver_failed(driver, "waiting for the context", state);
  return std::nullopt;
}

// Works with drivers before 12.5, too: a thread waits in the driver. It stays there after the deadline, until the GPU
// is idle after all.
std::optional<Error> wait_in_thread(const std::shared_ptr<const Driver>& driver, CUcontext context, Deadline deadline) {
  auto state = std::make_shared<std::atomic<uint32_t>>(CUDA_ERROR_NOT_READY);
  std::thread([driver, context, state] {
    const OwnCalls own;
    CUresult result = driver->cuCtxSetCurrent(context);
    if (result == CUDA_SUCCESS) result = driver->cuCtxSynchronize();
    state->store(result);
  }).detach();
  if (!poll_until(deadline, [&] { return state->load() != CUDA_ERROR_NOT_READY; })) return drain_limit();
  const auto result = static_cast<CUresult>(state->load());
  if (result != CUDA_SUCCESS) return driver_failed(*driver, "cuCtxSynchronize", result);
  return std::nullopt;
}

}  // namespace

ContextScope::ContextScope(const Driver& driver, CUcontext context) : driver_(driver) {
  pushed_ = driver.cuCtxPushCurrent(context) == CUDA_SUCCESS;
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) driver_.cuCtxPopCurrent(&popped);
}

void Contexts::created(CUcontext context) {
  std::lock_guard lock(mutex_);
  if (std::find(contexts_.begin(), contexts_.end(), context) != contexts_.end()) return;
  contexts_.push_back(context);
  new_.push_back(context);
  has_new_.store(true, std::memory_order_release);
}

void Contexts::destroyed(CUcontext context) {
  std::lock_guard lock(mutex_);
  std::erase(contexts_, context);
  std::erase(new_, context);
}

std::vector<CUcontext> Contexts::take_new() {
  if (!has_new_.load(std::memory_order_acquire)) return {};
  std::lock_guard lock(mutex_);
  has_new_.store(false, std::memory_order_release);
  return std::exchange(new_, {});
}

std::vector<CUcontext> Contexts::all() const {
  std::lock_guard lock(mutex_);
  return contexts_;
}

std::optional<Error> Contexts::wait_idle(Deadline deadline) const {
  for (CUcontext context : all()) {
    bool supported = driver_->cuCtxRecordEvent != nullptr;
    if (supported) {
      const ContextScope current(*driver_, context);
      if (!current.ok()) continue;  // destroyed meanwhile, by a call that was on its way
      if (auto refusal = wait_for_event(*driver_, context, deadline, &supported)) return refusal;
    }
    if (supported) continue;
    if (auto refusal = wait_in_thread(driver_, context, deadline)) return refusal;
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
