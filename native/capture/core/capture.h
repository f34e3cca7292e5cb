// One capture, from "its dispatch is at the queue head" to "released": armed → at queue head → drain → hold → run →
// release. Holding comes before draining in code, or new work would keep the device busy for ever. A deadline bounds
// every edge; whatever happens, everything held is released, and a capture that is not committed is aborted.
//
// It has two halves, because the app's own call may run the dispatch: before() leaves it at the head of its queue, with
// everything else held; after() takes it up once the dispatch has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/device_capture.h"
#include "capture/core/hold.h"
#include "capture/core/protocol.h"
#include "capture/core/sink.h"

namespace kernloop::capture {

struct CaptureRequest {
  ScopeMode scope = ScopeMode::kReachable;
  uint64_t byte_budget = 0;  // 0: unlimited
  std::chrono::milliseconds drain_limit{10000};
  uint64_t kernarg_address = 0;  // 0: the kernel arguments are in no allocation
  uint32_t kernarg_bytes = 0;
  std::vector<ByteRange> ignored_kernarg;
  std::vector<ModuleVariable> module_variables;
  std::vector<ByteRange> widened;  // regions to include even if no pointer leads to them
};

struct CaptureOutcome {
  bool ran = false;                  // before() succeeded: the dispatch ran within the capture
  std::optional<Error> refusal;      // empty: committed
  std::vector<ByteRange> violation;  // device regions outside the scope that changed
};

class CaptureRun {
 public:
  // The calling thread is inside `hold` once, until the outcome is there. The others live at least as long.
  CaptureRun(CaptureRequest request, const AllocationMap& allocations, HoldGate& hold, DeviceCapture& device,
             CaptureSink& sink);
  // Between the halves: released, and aborted as AGENT_FAILED.
  ~CaptureRun();
  CaptureRun(const CaptureRun&) = delete;
  CaptureRun& operator=(const CaptureRun&) = delete;

  // True: the dispatch must run now, alone, and after() must follow on this thread. False: nothing is held any more,
  // and the dispatch runs as without a capture.
  bool before() noexcept;
  // The dispatch has ended, as `report` says, or was refused and may still be running.
  void after(std::optional<Error> run_refusal, const RunReport& report) noexcept;

  // Once before() was false, or after() was called.
  const CaptureOutcome& outcome() const { return outcome_; }

 private:
  struct Snapshot;
  std::optional<Error> steps_before();
  std::optional<Error> steps_after(const RunReport& report);
  std::optional<Error> hold_and_drain();
  std::optional<Error> seed(Snapshot& snapshot);
  std::optional<Error> add_module_variables(Snapshot& snapshot);
  std::optional<Error> judge(const std::vector<Allocation>& changed);
  template <typename Steps>
  std::optional<Error> guarded(Steps&& steps) noexcept;
  void settle(std::optional<Error> refusal) noexcept;

  const CaptureRequest request_;
  const AllocationMap& allocations_;
  HoldGate& hold_;
  DeviceCapture& device_;
  CaptureSink& sink_;
  bool held_ = false;
  bool settled_ = true;  // nothing has begun, or the sink knows how it ended
  std::unique_ptr<Snapshot> snapshot_;
  CaptureOutcome outcome_;
};

}  // namespace kernloop::capture
