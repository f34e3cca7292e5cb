// One dispatch that selections want: asks the recorder, captures it or says why not, and settles with the selections.
// Nothing here throws: the dispatch is the app's, and runs even if the capture fails.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "capture/core/agent_base.h"
#include "capture/core/capture.h"
#include "capture/core/recorder_sink.h"

namespace kernloop::capture {

// A front end's description of the dispatch.
struct DispatchFacts {
  const KernelEntry* kernel = nullptr;
  uint64_t index = 0;  // among all dispatches of the process
  uint32_t queue = 0;  // number in the QueueMessage
  LaunchGeometry geometry;
  std::vector<LaunchAttribute> attributes;
  uint64_t kernarg_address = 0;  // address of the kernel arguments, if they are in an allocation of the app
  bool has_kernarg = true;
  std::vector<ByteRange> reached;  // targets of opaque arguments (tensor maps)
};

class SelectedDispatch {
 public:
  // `due` is not empty; the calling thread is inside the agent's gate.
  SelectedDispatch(AgentBase& agent, DispatchFacts facts, std::vector<Due> due);
  // Settles open selections: a dispatch given up between the halves is refused.
  ~SelectedDispatch();
  SelectedDispatch(const SelectedDispatch&) = delete;
  SelectedDispatch& operator=(const SelectedDispatch&) = delete;

  // False: the recorder does not want it (any more).
  bool begin() noexcept;

  // After begin(). As in CaptureRun, true means: the dispatch must run now, alone, and after() must follow. `device`
  // lives until then.
  bool before(DeviceCapture& device) noexcept;
  void after(std::optional<Error> run_refusal, const RunReport& report) noexcept;
  // Instead of before(): this dispatch cannot be captured.
  void refuse(const Error& why) noexcept;

  // Both halves, for a front end that runs the dispatch itself: `run(RunReport*)` returns a refusal, or nothing.
  template <typename Run>
  void capture(DeviceCapture& device, Run&& run) noexcept {
    if (!before(device)) return;
    RunReport report;
    std::optional<Error> refusal;
    try {
      refusal = run(&report);
    } catch (const std::exception& error) {
      refusal = failure(error);
    }
    after(std::move(refusal), report);
  }

  std::chrono::milliseconds run_limit() const { return std::chrono::milliseconds(agent_.welcome.run_limit_ms); }
  // Given up with this, if it was.
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  static Error failure(const std::exception& error);
  BeginMessage message_for(const Due& due);
  std::optional<BeginReply> ask(BeginMessage begin);
  void refuse_second(const Due& due);
  CaptureRequest request() const;
  void settle(const CaptureOutcome& outcome) noexcept;

  AgentBase& agent_;
  const DispatchFacts facts_;
  const std::vector<Due> due_;
  std::optional<BeginReply> answer_;
  std::optional<RecorderSink> sink_;
  std::unique_ptr<CaptureRun> run_;
  std::optional<Error> refusal_;
  bool settled_ = false;
};

}  // namespace kernloop::capture
