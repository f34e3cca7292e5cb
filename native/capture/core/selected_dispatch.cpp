#include "capture/core/selected_dispatch.h"

#include <utility>

namespace kernloop::capture {

SelectedDispatch::SelectedDispatch(AgentBase& agent, DispatchFacts facts, std::vector<Due> due)
    : agent_(agent), facts_(std::move(facts)), due_(std::move(due)) {}

SelectedDispatch::~SelectedDispatch() {
  if (settled_) return;
  const bool aborted = run_ != nullptr;
  run_.reset();  // says so to the recorder
  if (aborted || !sink_) {
    settle({});
  } else {
    refuse({"AGENT_FAILED", "the agent failed before the capture", "see the agent's log"});
  }
}

Error SelectedDispatch::failure(const std::exception& error) {
  return {"AGENT_FAILED", std::string("the agent failed: ") + error.what(), "see the agent's log"};
}

bool SelectedDispatch::begin() noexcept {
  try {
    for (size_t i = 1; i < due_.size(); ++i) refuse_second(due_[i]);
    const BeginMessage message = message_for(due_.front());
    answer_ = ask(message);
    if (answer_) sink_.emplace(*agent_.recorder, message.capture);
  } catch (const std::exception& error) {
    agent_.log.line("capture failed: %s", error.what());
    answer_.reset();
  }
  if (!answer_) settle({});
  return answer_.has_value();
}

bool SelectedDispatch::before(DeviceCapture& device) noexcept {
  try {
    run_ = std::make_unique<CaptureRun>(request(), agent_.allocations, agent_.hold, device, *sink_);
  } catch (const std::exception& error) {
    refuse(failure(error));
    return false;
  }
  if (run_->before()) return true;
  settle(run_->outcome());
  return false;
}

void SelectedDispatch::after(std::optional<Error> run_refusal, const RunReport& report) noexcept {
  if (run_ == nullptr || settled_) return;
  run_->after(std::move(run_refusal), report);
  settle(run_->outcome());
}

void SelectedDispatch::refuse(const Error& why) noexcept {
  if (!sink_ || settled_) return;
  try {
    sink_->abort(why);
    CaptureOutcome outcome;
    outcome.refusal = why;
    settle(outcome);
  } catch (const std::exception&) {
    settle({});
  }
}

BeginMessage SelectedDispatch::message_for(const Due& due) {
  BeginMessage begin;
  begin.capture = agent_.next_capture();
  begin.selection = due.selection;
  begin.kernel = facts_.kernel->id;
  begin.ordinal = due.ordinal;
  begin.index = facts_.index;
  begin.queue = facts_.queue;
  begin.scope = agent_.selections.request(due.selection).scope;
  begin.widened = !due.widened.empty();
  begin.geometry = facts_.geometry;
  begin.launch_attributes = facts_.attributes;
  return begin;
}

std::optional<BeginReply> SelectedDispatch::ask(BeginMessage begin) {
  auto reply = agent_.recorder->request<BeginReply>(FrameType::kBegin, [&](uint32_t request) {
    begin.request = request;
    return begin;
  });
  if (!reply) agent_.retire(agent_.recorder->why_lost());
  if (!reply || !reply->granted) return std::nullopt;
  return reply;
}

// A dispatch can be captured once only.
void SelectedDispatch::refuse_second(const Due& due) {
  const BeginMessage begin = message_for(due);
  if (ask(begin)) {
    RecorderSink(*agent_.recorder, begin.capture)
        .abort({"SELECTION_CONFLICT",
                "another selection (number " + std::to_string(due_.front().selection) + ") captures this very dispatch",
                "give the two selections different ordinals, or keep one of them"});
  }
  agent_.selections.settle_done(due);
}

CaptureRequest SelectedDispatch::request() const {
  const Due& due = due_.front();
  const SelectionRequest& selection = agent_.selections.request(due.selection);
  CaptureRequest request;
  request.scope = selection.scope;
  request.byte_budget = selection.byte_budget;
  request.drain_limit = std::chrono::milliseconds(agent_.welcome.drain_limit_ms);
  request.kernarg_address = facts_.kernarg_address;
  request.kernarg_bytes = facts_.has_kernarg ? answer_->kernarg_bytes : 0;
  request.ignored_kernarg = answer_->ignored_kernarg;
  request.module_variables = answer_->module_variables;
  request.widened = due.widened;
  request.widened.insert(request.widened.end(), facts_.reached.begin(), facts_.reached.end());
  return request;
}

void SelectedDispatch::settle(const CaptureOutcome& outcome) noexcept {
  settled_ = true;
  const Due& due = due_.front();
  try {
    refusal_ = outcome.refusal;
    if (refusal_) {
      agent_.log.line("selection %u, match %llu: refused: %s: %s", due.selection,
                      static_cast<unsigned long long>(due.ordinal), refusal_->code.c_str(), refusal_->message.c_str());
    }
    if (!outcome.violation.empty()) {
      agent_.selections.settle_widen(due, outcome.violation);
      return;
    }
  } catch (const std::exception& error) {
    agent_.log.line("capture failed: %s", error.what());
  }
  agent_.selections.settle_done(due);
}

}  // namespace kernloop::capture
