#include "capture/core/capture.h"

#include <algorithm>
#include <string>
#include <utility>

#include "capture/core/outside.h"
#include "capture/core/scope.h"

namespace kernloop::capture {
namespace {

// Short, so that the app hardly stalls where its work waits for a held call. Each drain may take a quarter longer than
// the one before, and the last one half of the limit.
constexpr std::chrono::milliseconds kFirstDrain{100};

}  // namespace

// State that before() leaves for after().
struct CaptureRun::Snapshot {
  Snapshot(AllocationList list, uint64_t byte_budget, DeviceCapture& device, CaptureSink& sink)
      : allocations(std::move(list)),
        scope(allocations, byte_budget, device, sink),
        outside(allocations, scope, device) {}
  const AllocationList allocations;
  Scope scope;
  Outside outside;
};

CaptureRun::CaptureRun(CaptureRequest request, const AllocationMap& allocations, HoldGate& hold, DeviceCapture& device,
                       CaptureSink& sink)
    : request_(std::move(request)), allocations_(allocations), hold_(hold), device_(device), sink_(sink) {}

CaptureRun::~CaptureRun() {
  if (!settled_)
    settle(Error{"AGENT_FAILED", "the capture was given up while its dispatch ran", "see the agent's log"});
}

bool CaptureRun::before() noexcept {
  settled_ = false;
  auto refusal = guarded([this] { return steps_before(); });
  if (!refusal) return true;
  settle(std::move(refusal));
  return false;
}

void CaptureRun::after(std::optional<Error> run_refusal, const RunReport& report) noexcept {
  if (settled_) return;
  outcome_.ran = true;
  settle(run_refusal ? std::move(run_refusal) : guarded([&] { return steps_after(report); }));
}

// A failure of ours (no memory) is a refused capture, never the app's problem.
template <typename Steps>
std::optional<Error> CaptureRun::guarded(Steps&& steps) noexcept {
  try {
    return steps();
  } catch (const std::exception& error) {
    return Error{"AGENT_FAILED", std::string("the agent failed: ") + error.what(), "see the agent's log"};
  }
}

// Released first: the app does not wait for the recorder.
void CaptureRun::settle(std::optional<Error> refusal) noexcept {
  if (std::exchange(held_, false)) {
    device_.finish();
    hold_.release();
  }
  settled_ = true;
  outcome_.refusal = std::move(refusal);
  if (!outcome_.refusal) return;
  try {
    sink_.abort(*outcome_.refusal);
  } catch (const std::exception&) {  // no memory for the message: the recorder gives up with the connection
  }
}

std::optional<Error> CaptureRun::steps_before() {
  if (auto refusal = hold_and_drain()) return refusal;
  AllocationList accessible = allocations_.snapshot();
  std::erase_if(accessible, [this](const Allocation& allocation) { return !device_.has_access(allocation); });
  snapshot_ = std::make_unique<Snapshot>(std::move(accessible), request_.byte_budget, device_, sink_);
  if (auto refusal = seed(*snapshot_)) return refusal;
  if (snapshot_->scope.may_break_budget()) {
    if (auto refusal = snapshot_->scope.find_all()) return refusal;
  }
  if (auto refusal = snapshot_->scope.read_pre()) return refusal;
  return snapshot_->outside.read_before();
}

std::optional<Error> CaptureRun::steps_after(const RunReport& report) {
  std::vector<Allocation> changed;
  if (auto refusal = snapshot_->outside.compare_after(&changed)) return refusal;
  if (auto refusal = device_.check_alone()) return refusal;
  if (auto refusal = judge(changed)) return refusal;
  if (auto refusal = snapshot_->scope.read_post()) return refusal;
  if (auto refusal = device_.check_alone()) return refusal;
  if (!sink_.commit(report)) return recorder_lost();
  return std::nullopt;
}

std::optional<Error> CaptureRun::hold_and_drain() {
  const Deadline deadline = Deadline::in(request_.drain_limit);
  const Deadline last = Deadline::in(request_.drain_limit / 2);
  for (std::chrono::milliseconds limit = kFirstDrain;; limit += limit / 4) {
    hold_.take_turn();
    held_ = true;
    if (!hold_.wait_alone(deadline)) {
      return Error{"HOLD_LIMIT",
                   "another thread of the app stayed inside a call of the runtime for " +
                       std::to_string(request_.drain_limit.count()) + " ms",
                   "raise --drain-limit-ms if such calls are expected to take longer"};
    }
    if (last.passed() || !device_.may_wait_for_held_calls()) return device_.drain(deadline);
    auto refusal = device_.drain(std::min(deadline, Deadline::in(limit)));
    if (!refusal || refusal->code != "DRAIN_LIMIT" || deadline.passed()) return refusal;
    held_ = false;
    hold_.let_pass(deadline);
  }
}

std::optional<Error> CaptureRun::seed(Snapshot& snapshot) {
  uint64_t tracked_bytes = 0;
  for (const Allocation& allocation : snapshot.allocations) tracked_bytes += allocation.size;
  if (!sink_.scope(snapshot.allocations.size(), tracked_bytes)) return recorder_lost();

  std::vector<uint8_t> kernarg(request_.kernarg_bytes);
  if (auto refusal = device_.read_kernarg(kernarg)) return refusal;
  if (!sink_.kernarg(kernarg)) return recorder_lost();
  if (auto refusal = add_module_variables(snapshot)) return refusal;
  if (request_.scope == ScopeMode::kAll) snapshot.scope.add_all(request_.kernarg_address);
  // Hidden arguments that mean something to the app's process only are not followed.
  for (const ByteRange& range : request_.ignored_kernarg) {
    if (range.base >= kernarg.size()) continue;
    const uint64_t size = std::min<uint64_t>(range.size, kernarg.size() - range.base);
    std::fill_n(kernarg.begin() + static_cast<std::ptrdiff_t>(range.base), size, uint8_t{0});
  }
  device_.look_at_arguments(kernarg, snapshot.allocations);
  snapshot.scope.add_pointers_in(kernarg);
  for (const ByteRange& range : request_.widened) snapshot.scope.add_at(range.base);
  return std::nullopt;
}

std::optional<Error> CaptureRun::add_module_variables(Snapshot& snapshot) {
  for (uint32_t i = 0; i < request_.module_variables.size(); ++i) {
    const ModuleVariable& variable = request_.module_variables[i];
    uint64_t address = variable.address;
    if (address == 0) {
      if (auto refusal = device_.find_variable(variable, &address)) return refusal;
    }
    if (address == 0) continue;
    const ByteRange range{address, variable.size};
    snapshot.scope.add_module_variable(range, i, device_.was_address_told(range));
  }
  return std::nullopt;
}

// Device memory outside the scope belongs to the dispatch alone while it runs; host memory the CPU may have changed.
std::optional<Error> CaptureRun::judge(const std::vector<Allocation>& changed) {
  for (const Allocation& allocation : changed) {
    if (allocation.memory_class == MemoryClass::kHost) {
      if (!sink_.outside_changed(allocation)) return recorder_lost();
      continue;
    }
    outcome_.violation.push_back({allocation.base, allocation.size});
    if (!sink_.violation(allocation)) return recorder_lost();
  }
  if (outcome_.violation.empty()) return std::nullopt;
  return Error{"SCOPE_VIOLATION",
               "the dispatch changed " + std::to_string(outcome_.violation.size()) +
                   " allocation(s) that nothing in its arguments leads to",
               "the next matching dispatch is captured with them; if there is none, capture with scope \"all\""};
}

}  // namespace kernloop::capture
