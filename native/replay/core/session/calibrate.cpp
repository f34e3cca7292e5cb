#include "replay/core/session/calibrate.h"

#include <chrono>

#include "replay/core/session/proof.h"
#include "verdict/calibration.h"

namespace kernloop::replay {

namespace {

constexpr size_t kFewestReplays = 8;

// Hardware takes no seed: its order of waves differs from launch to launch.
Status choose_order(Run& run, size_t replay) {
  SoftwareExecution* const execution = run.device.software_execution();
  if (execution == nullptr) return Unit{};
  const Options& options = run.options;
  if (auto seeded = execution->set_seed(options.calibrate[replay]); !seeded) return seeded;
  if (options.adverse == 0) return Unit{};
  // Every second replay runs in the adverse order, to see its effect on results; races are not checked.
  return execution->set_adverse(replay % 2 == 1 ? options.adverse : 0, false);
}

// The requested number of replays, then twice and four times as many if the last half still showed something new.
bool is_enough(const Settling& settle, const Calibration& calibration, std::chrono::steady_clock::time_point started) {
  const size_t replays = calibration.replays(), least = settle.replays;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  if (spent.count() > settle.seconds) return replays >= kFewestReplays;
  const bool is_step = replays == least || replays == 2 * least || replays == 4 * least;
  return is_step && calibration.is_settled();
}

void tell_found(const CalibrationResult& found, EventSink& sink) {
  for (const VaryingRange& range : found.varying) {
    Json event = to_json(range);
    event["event"] = ReplayEvent::varying;
    sink.emit(event);
  }
  for (const Unexplained& element : found.unexplained) {
    sink.emit({{"event", ReplayEvent::unexplained},
               {element.is_variable ? "variable" : "region", element.target},
               {"offset", element.offset},
               {"dtype", name_of(element.type)},
               {"post", number_to_json(element.type, element.post)},
               {"min", number_to_json(element.type, element.min)},
               {"max", number_to_json(element.type, element.max)}});
  }
}

// Replays until there are enough; `padding` counts what they wrote beside the regions. A value: the end of a
// calibration that cannot succeed.
Result<std::optional<SessionEnd>> replay_all(Run& run, Steps& steps, Calibration& calibration, Comparison& padding) {
  const Options& options = run.options;
  const auto started = std::chrono::steady_clock::now();
  for (size_t i = 0; i < options.calibrate.size(); ++i) {
    if (auto ordered = choose_order(run, i); !ordered) return ordered.error();
    if (auto restored = run.snapshot.restore(run.program, run.sink); !restored) return restored.error();
    auto completed = run.launch(i, true);
    if (!completed) return completed.error();
    if (!*completed) return std::optional(run.end);
    for (const auto& step : steps) step->after_launch();
    auto recorded = calibration.record_replay(run.device);
    if (!recorded) return recorded.error();
    if (!*recorded && calibration.replays() > kFewestReplays) {
      calibration.forget_last_replay();
      break;
    }
    if (!*recorded) {
      return std::optional(
          run.conclude(true, true,
                       {{"replays", i + 1},
                        {"reason", "far more differs from the app's result than the order of execution can explain"}}));
    }
    auto compared = compare_with_post(run.device, run.cache, {}, run.snapshot.padding(), options.poison, {}, run.sink);
    if (!compared) return compared.error();
    padding.differing_bytes += compared->differing_bytes;
    padding.padding_bytes = compared->padding_bytes;
    if (options.settle && is_enough(*options.settle, calibration, started)) break;
  }
  return std::optional<SessionEnd>();
}

}  // namespace

Result<SessionEnd> calibrate(Run& run, Steps& steps) {
  const Options& options = run.options;
  Calibration calibration(run.cache, run.targets);
  if (options.calibration_file && std::filesystem::exists(*options.calibration_file)) {
    if (auto loaded = calibration.load(*options.calibration_file); !loaded) return loaded.error();
  }
  Comparison padding;
  const auto end = replay_all(run, steps, calibration, padding);
  if (!end) return end.error();
  if (*end) return **end;
  if (options.calibration_file) {
    if (auto saved = calibration.save(*options.calibration_file); !saved) return saved.error();
  }
  for (const auto& step : steps) {
    if (auto reported = step->report(); !reported) return reported.error();
  }
  auto found = calibration.finish();
  if (!found) return found.error();
  tell_found(*found, run.sink);
  auto changed = changed_bytes(run, {});
  if (!changed) return changed.error();
  uint64_t compared = 0;
  for (const Target& target : run.targets) compared += target.size - target.dropped_bytes();
  Json numbers = {{"compared_bytes", compared},
                  {"changed_bytes", *changed},
                  {"differing_bytes", padding.differing_bytes},
                  {"varying_bytes", found->varying_bytes},
                  {"padding_bytes", padding.padding_bytes},
                  {"unexplained_elements", found->unexplained_elements},
                  {"order_dependent_bytes", found->order_dependent_bytes},
                  {"confidence", kConfidence},
                  {"miss_per_replay", kMissPerReplay},
                  {"is_settled", calibration.is_settled()},
                  {"replays", calibration.replays()}};
  if (found->unexplained_elements > 0) {
    numbers["reason"] =
        "the app's result lies outside of what the replays gave by more than they vary: the order of execution does "
        "not explain it";
  }
  return run.conclude(found->unexplained_elements > 0 || padding.differing_bytes > 0, compared > 0 && *changed > 0,
                      std::move(numbers));
}

}  // namespace kernloop::replay
