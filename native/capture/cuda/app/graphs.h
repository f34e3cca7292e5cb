// CUDA graphs: which streams are being captured into one, and which wanted kernels were made nodes of one.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "capture/core/kernel_table.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// A refusal that says: not now, another dispatch.
inline constexpr const char* kDeferred = "CAPTURE_DEFERRED";

class Graphs {
 public:
  explicit Graphs(const cuda::Driver& driver) : driver_(driver) {}

  void capture_began(cuda::CUstream stream);
  void capture_ended(cuda::CUstream stream);
  // Some stream of the process is being captured: nothing may synchronise.
  bool any_captured() const { return captured_count_.load(std::memory_order_acquire) != 0; }
  // Whether this stream is being captured, from its own start or joined by an event.
  bool is_captured(cuda::CUstream stream) const;

  void node_added(const KernelEntry& kernel);
  // It counted as a dispatch.
  void node_ran(const KernelEntry& kernel);
  void graph_launched() { launches_.fetch_add(1, std::memory_order_relaxed); }

  struct Node {
    const KernelEntry* kernel = nullptr;
    uint64_t nodes = 0;
  };
  // Nodes of which no dispatch was seen.
  std::vector<Node> nodes() const;
  uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }

 private:
  const cuda::Driver& driver_;
  mutable std::mutex mutex_;
  std::set<cuda::CUstream> captured_;
  std::map<const KernelEntry*, uint64_t> nodes_;
  std::set<std::string> ran_;
  std::atomic<uint32_t> captured_count_{0};
  std::atomic<uint64_t> launches_{0};
};

// Guards our own calls on this thread while a stream may be captured: a call that loads code would otherwise invalidate
// the app's capture. Another thread may begin one at any time.
class UncapturedCalls {
 public:
  explicit UncapturedCalls(const cuda::Driver& driver);
  ~UncapturedCalls();
  UncapturedCalls(const UncapturedCalls&) = delete;
  UncapturedCalls& operator=(const UncapturedCalls&) = delete;

 private:
  const cuda::Driver& driver_;
  bool exchanged_ = false;
  cuda::CUstreamCaptureMode mode_ = cuda::CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace kernloop::capture
