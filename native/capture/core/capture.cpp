#include "capture/core/capture.h"

#include <algorithm>
#include <string>

#include "capture/core/outside.h"
#include "capture/core/scope.h"

namespace kernloop::capture {
namespace {

class CaptureRun {
 public:
  CaptureRun(const CaptureRequest& request, const AllocationMap& allocations, HoldGate& hold, DeviceCapture& device,
             CaptureSink& sink)
      : request_(request), allocations_(allocations), hold_(hold), device_(device), sink_(sink) {}

  // Also when something throws on the way.
  ~CaptureRun() {
    if (held_) hold_.release();
  }
  CaptureRun(const CaptureRun&) = delete;
  CaptureRun& operator=(const CaptureRun&) = delete;

  CaptureOutcome execute() {
    outcome_.refusal = steps();
    return std::move(outcome_);
  }

 private:
  std::optional<Refusal> steps() {
    if (auto refusal = hold_and_drain()) return refusal;
    const AllocationList allocations = allocations_.snapshot();
    Scope scope(allocations, request_.byte_budget, device_, sink_);
    if (auto refusal = seed(scope, allocations)) return refusal;
    if (auto refusal = scope.read_pre()) return refusal;
    Outside outside(allocations, scope, device_);
    if (auto refusal = outside.read_before()) return refusal;

    RunReport report;
    outcome_.ran = true;
    if (auto refusal = device_.run(Deadline::in(request_.run_limit), &report)) return refusal;

    std::vector<Allocation> changed;
    if (auto refusal = outside.compare_after(&changed)) return refusal;
    if (auto refusal = judge(changed)) return refusal;
    if (auto refusal = scope.read_post()) return refusal;
    if (!sink_.commit(report)) return recorder_lost();
    return std::nullopt;
  }

  std::optional<Refusal> hold_and_drain() {
    hold_.take_turn();
    held_ = true;
    const Deadline deadline = Deadline::in(request_.drain_limit);
    if (!hold_.wait_alone(deadline)) {
      return Refusal{"HOLD_LIMIT",
                     "another thread of the app stayed inside a call of the runtime for " +
                         std::to_string(request_.drain_limit.count()) + " ms",
                     "raise the drain limit if such calls are expected to take longer"};
    }
    return device_.drain(deadline);
  }

  std::optional<Refusal> seed(Scope& scope, const AllocationList& allocations) {
    uint64_t tracked_bytes = 0;
    for (const Allocation& allocation : allocations) tracked_bytes += allocation.size;
    if (!sink_.scope(allocations.size(), tracked_bytes)) return recorder_lost();

    std::vector<uint8_t> kernarg(request_.kernarg_bytes);
    if (auto refusal = device_.read_kernarg(kernarg)) return refusal;
    if (!sink_.kernarg(kernarg)) return recorder_lost();
    for (uint32_t i = 0; i < request_.module_variables.size(); ++i) {
      scope.add_module_variable(request_.module_variables[i], i);
    }
    if (request_.scope == ScopeMode::kAll) scope.add_all(request_.kernarg_address);
    // Hidden arguments that mean something to the app's process only are not followed.
    for (const ByteRange& range : request_.ignored_kernarg) {
      if (range.base >= kernarg.size()) continue;
      const uint64_t size = std::min<uint64_t>(range.size, kernarg.size() - range.base);
      std::fill_n(kernarg.begin() + static_cast<std::ptrdiff_t>(range.base), size, uint8_t{0});
    }
    scope.add_pointers_in(kernarg);
    for (const ByteRange& range : request_.widened) scope.add_at(range.base);
    return std::nullopt;
  }

  // Device memory outside the scope belongs to the dispatch alone while it runs; host memory the CPU may have changed.
  std::optional<Refusal> judge(const std::vector<Allocation>& changed) {
    for (const Allocation& allocation : changed) {
      if (allocation.memory_class == MemoryClass::kHost) {
        if (!sink_.outside_changed(allocation)) return recorder_lost();
        continue;
      }
      outcome_.violation.push_back({allocation.base, allocation.size});
      if (!sink_.violation(allocation)) return recorder_lost();
    }
    if (outcome_.violation.empty()) return std::nullopt;
    return Refusal{"SCOPE_VIOLATION",
                   "the dispatch changed " + std::to_string(outcome_.violation.size()) +
                       " allocation(s) that nothing in its arguments leads to",
                   "the next matching dispatch is captured with them; if there is none, capture with scope \"all\""};
  }

  const CaptureRequest& request_;
  const AllocationMap& allocations_;
  HoldGate& hold_;
  DeviceCapture& device_;
  CaptureSink& sink_;
  bool held_ = false;
  CaptureOutcome outcome_;
};

}  // namespace

CaptureOutcome capture_dispatch(const CaptureRequest& request, const AllocationMap& allocations, HoldGate& hold,
                                DeviceCapture& device, CaptureSink& sink) {
  CaptureOutcome outcome = CaptureRun(request, allocations, hold, device, sink).execute();
  if (outcome.refusal) sink.abort(*outcome.refusal);
  return outcome;
}

}  // namespace kernloop::capture
