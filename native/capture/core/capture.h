// One capture, from "its dispatch is at the queue head" to "released": armed → at queue head → drain → hold → run →
// release. Holding comes before draining in code, or new work would keep the device busy for ever. A deadline bounds
// every edge; whatever happens, the dispatch runs exactly once (here, or by the caller when `ran` is false) and
// everything held is released.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/device_capture.h"
#include "capture/core/hold.h"
#include "capture/core/sink.h"
#include "capture/protocol/messages.h"

namespace kernloop::capture {

struct CaptureRequest {
  ScopeMode scope = ScopeMode::kReachable;
  uint64_t byte_budget = 0;  // 0: unlimited
  std::chrono::milliseconds drain_limit{10000};
  std::chrono::milliseconds run_limit{60000};
  uint64_t kernarg_address = 0;
  uint32_t kernarg_bytes = 0;
  std::vector<ByteRange> ignored_kernarg;
  std::vector<ByteRange> module_variables;
  std::vector<ByteRange> widened;  // regions to include whatever points to them
};

struct CaptureOutcome {
  bool ran = false;                  // run() was called: the dispatch has been handed to the device
  std::optional<Refusal> refusal;    // empty: committed
  std::vector<ByteRange> violation;  // device regions outside the scope that changed
};

// The calling thread is inside `hold` once.
CaptureOutcome capture_dispatch(const CaptureRequest& request, const AllocationMap& allocations, HoldGate& hold,
                                DeviceCapture& device, CaptureSink& sink);

}  // namespace kernloop::capture
