#include "replay/core/session/session.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "replay/core/launch/launch_check.h"
#include "replay/core/session/calibrate.h"
#include "replay/core/session/derived_inputs.h"
#include "replay/core/session/proof.h"
#include "replay/core/session/replaying.h"
#include "replay/core/session/side_by_side.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

class Session {
 public:
  Session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
      : options_(options), run_(options, reader, device, sink), steps_(steps_of(run_)) {}

  Result<SessionEnd> run() {
    if (auto prepared = prepare(); !prepared) return judged(prepared.error());
    auto end = options_.calibrate.empty() ? replay() : calibrate(run_, steps_);
    return end ? end : judged(end.error());
  }

 private:
  Status prepare() {
    if (auto loaded = run_.load(); !loaded) return loaded;
    for (const auto& step : steps_) {
      if (auto prepared = step->prepare(); !prepared) return prepared;
    }
    return configure_device(options_, run_.device, run_.sink);
  }

  // A variant that the app cannot launch is wrong, like one whose result differs.
  Result<SessionEnd> judged(const Error& error) {
    if (!options_.compare || error.code != kLaunchImpossible) return error;
    run_.emit_result("fail", {{"code", error.code}, {"reason", error.message}});
    return SessionEnd{kExitFail, false};
  }

  Result<SessionEnd> replay() {
    Judgement judgement;
    auto completed = iterate(judgement.total);
    if (!completed) return completed.error();
    if (!*completed) return run_.end;
    for (const auto& step : steps_) {
      if (auto reported = step->report(); !reported) return reported.error();
    }
    if (!options_.compare) {
      run_.emit_result("ran", Json::object());
      return SessionEnd{kExitPass, false};
    }
    for (const auto& step : steps_) {
      if (judgement.total.differing_bytes > 0) break;
      completed = step->launch_again(judgement);
      if (!completed) return completed.error();
      if (!*completed) return run_.end;
    }
    for (const auto& step : steps_) {
      if (auto concluded = step->conclude(judgement); !concluded) return concluded.error();
    }
    return conclude(judgement);
  }

  // False: a launch did not end by itself.
  Result<bool> iterate(Comparison& total) {
    const auto started = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < options_.warmup + options_.iterations; ++i) {
      const bool is_measured = i >= options_.warmup;
      if (options_.settle && is_measured && i - options_.warmup >= options_.settle->replays &&
          std::chrono::steady_clock::now() - started > std::chrono::duration<double>(options_.settle->seconds))
        break;
      if (auto restored = run_.restore(options_.fills.front()); !restored) return restored.error();
      if (i == 0) {
        for (const auto& step : steps_) {
          if (auto done = step->before_launches(); !done) return done.error();
        }
      }
      auto completed = run_.launch(i - options_.warmup, is_measured);
      if (!completed || !*completed) return completed;
      for (const auto& step : steps_) step->after_launch();
      if (!options_.compare || !is_measured) continue;
      auto compared = run_.compare(run_.sink);
      if (!compared) return compared.error();
      // Bytes that one iteration could not decide stay undecided.
      if (compared->undecided.empty()) {
        compared->undecided = total.undecided;
        compared->undecided_bytes = total.undecided_bytes;
      }
      total = *compared;
      if (total.differing_bytes > 0) break;  // one wrong iteration is a wrong kernel
    }
    return true;
  }

  Result<SessionEnd> conclude(const Judgement& judgement) {
    const Comparison& total = judgement.total;
    auto changed = changed_bytes(run_, {});
    if (!changed) return changed.error();
    Json numbers = {{"compared_bytes", total.compared_bytes},   {"changed_bytes", *changed},
                    {"differing_bytes", total.differing_bytes}, {"varying_bytes", total.varying_bytes},
                    {"ignored_bytes", total.ignored_bytes},     {"padding_bytes", total.padding_bytes},
                    {"tolerance_bytes", total.tolerance_bytes}, {"unjudged_bytes", total.unjudged_bytes}};
    const uint64_t rewritten_bytes = judgement.rewritten.bytes;
    auto reason = why_unproven(run_, *changed, rewritten_bytes);
    if (!reason) return reason.error();
    if (!*reason && !total.undecided.empty()) *reason = total.undecided;
    if (total.undecided_bytes > 0) numbers["undecided_bytes"] = total.undecided_bytes;
    if (*reason) numbers["reason"] = **reason;
    if (total.stray_bytes > 0) numbers["stray_bytes"] = total.stray_bytes;
    numbers.update(run_.circumstances);
    numbers.update(judgement.facts);
    return run_.conclude(total.differing_bytes > 0 || judgement.is_injection_missed,
                         total.compared_bytes > 0 && *changed + rewritten_bytes > 0 && !*reason, std::move(numbers));
  }

  const Options& options_;
  Run run_;
  Steps steps_;
};

}  // namespace

int exit_code_of(const Error& error) {
  constexpr std::array kEnvironment = {"RUNTIME_NOT_FOUND", "RUNTIME_INCOMPLETE", "DEVICE_NOT_FOUND", "DEVICE_MISMATCH",
                                       "DEVICE_ERROR",      "ADDRESS_TAKEN",      "OUT_OF_MEMORY",    "DISK_FULL"};
  if (error.code.starts_with("ENVIRONMENT_")) return kExitEnvironment;
  if (error.code == kLaunchImpossible) return kExitFail;
  return std::any_of(kEnvironment.begin(), kEnvironment.end(), [&](const char* code) { return error.code == code; })
             ? kExitEnvironment
             : kExitBadInput;
}

SessionEnd run_session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink) {
  const auto manifest = options.capture / archive::kManifestFile;
  if (auto checked = check_expected(options.expected, manifest, reader.capture_digest()); !checked) {
    sink.emit(error_event(checked.error()));
    return {exit_code_of(checked.error()), false};
  }
  if (const Json identity = device.identity(); !identity.is_null()) sink.emit(identity);
  auto end = options.side_by_side ? replay_side_by_side(options, reader, device, sink)
             : options.derivation ? judge_derived_inputs(options, reader, device, sink)
                                  : Session(options, reader, device, sink).run();
  if (end) return *end;
  sink.emit(error_event(end.error()));
  return {exit_code_of(end.error()), false};
}

}  // namespace kernloop::replay
