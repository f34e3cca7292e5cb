#include "capture/cuda/app/graphs.h"

#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

using namespace cuda;

void Graphs::capture_began(CUstream stream) {
  std::lock_guard lock(mutex_);
  captured_.insert(stream);
  captured_count_.store(static_cast<uint32_t>(captured_.size()), std::memory_order_release);
}

void Graphs::capture_ended(CUstream stream) {
  std::lock_guard lock(mutex_);
  captured_.erase(stream);
  captured_count_.store(static_cast<uint32_t>(captured_.size()), std::memory_order_release);
}

bool Graphs::is_captured(CUstream stream) const {
  if (!any_captured()) return false;
  {
    std::lock_guard lock(mutex_);
    if (captured_.contains(stream)) return true;
  }
  const OwnCalls own;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

UncapturedCalls::UncapturedCalls(const Driver& driver) : driver_(driver) {
  exchanged_ = driver.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS;
}

UncapturedCalls::~UncapturedCalls() {
  if (exchanged_) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

void Graphs::node_added(const KernelEntry& kernel) {
  std::lock_guard lock(mutex_);
  ++nodes_[&kernel];
}

void Graphs::node_ran(const KernelEntry& kernel) {
  std::lock_guard lock(mutex_);
  ran_.insert(kernel.symbol);
}

std::vector<Graphs::Node> Graphs::nodes() const {
  std::lock_guard lock(mutex_);
  std::vector<Node> nodes;
  for (const auto& [kernel, count] : nodes_) {
    if (!ran_.contains(kernel->symbol)) nodes.push_back({kernel, count});
  }
  return nodes;
}

}  // namespace kernloop::capture
