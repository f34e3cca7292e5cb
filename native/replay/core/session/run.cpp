#include "replay/core/session/run.h"

#include <chrono>

#include "replay/core/memory/guard.h"
#include "replay/core/session/replaying.h"
#include "verdict/untouched.h"

namespace kernloop::replay {

namespace {

bool repeats(const Options& options) {
  return options.warmup + options.iterations > 1 || options.calibrate.size() > 1 || options.fills.size() > 1 ||
         options.search_overwritten;
}

void tell_accesses(const std::vector<Access>& accesses, EventSink& sink) {
  for (const Access& access : accesses) {
    sink.emit({{"event", ReplayEvent::access},
               {"write", access.is_write},
               {"base", to_hex_number(access.base)},
               {"size", access.size}});
  }
}

}  // namespace

Run::Run(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
    : options(options),
      reader(reader),
      device(device),
      sink(sink),
      cache(reader, ContentCache::kUsualBudget),
      snapshot(cache, device, options.poison, repeats(options), !options.leave_padding),
      disturbs_untouched(options.disturb_untouched == Disturbed::kAll) {}

Status Run::load() {
  if (auto mapped = snapshot.map(options.dropped); !mapped) return mapped;
  if (options.guard) {
    if (auto raised = raise_guard(device, snapshot, sink); !raised) return raised;
  }
  const auto variant = named_variant(options);
  if (!variant) return variant.error();
  auto loaded = load_for_replay(options, cache, device, *variant, sink);
  if (!loaded) return loaded.error();
  program = std::move(*loaded);
  program.launch.is_compared = options.compare || options.dump || options.lens || !options.calibrate.empty();
  snapshot.attend(program);
  if (auto checked = prepare_lens(options, device, program); !checked) return checked;
  auto marked = targets_of(options, snapshot, program);
  if (!marked) return marked.error();
  targets = std::move(*marked);
  return Unit{};
}

Status Run::restore(Fill fill) {
  last.fill = fill;
  if (auto restored = snapshot.restore(program, sink); !restored) return restored;
  if (auto poisoned = poison_overwritten(fill, device, cache, targets); !poisoned) return poisoned;
  return disturbs_untouched ? disturb_untouched(device, cache, targets) : Status(Unit{});
}

Result<bool> Run::launch(uint64_t index, bool is_measured) {
  const auto started = std::chrono::steady_clock::now();
  set_lens_parameters(program, index);
  auto launched = launch_and_tell(device, snapshot, program, is_measured ? Json{{"index", index}} : Json(),
                                  index + 1 == options.iterations, sink);
  if (!launched) return launched.error();
  last.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  last.wave_instructions = launched->wave_instructions;
  last.accesses = std::move(launched->accesses);
  if (options.record_accesses) tell_accesses(last.accesses, sink);
  if (launched->is_complete && (options.guard || options.lens) && !options.compare) {
    auto intact = is_poison_intact(device, cache, snapshot, program, sink);
    if (!intact) return intact.error();
    launched->is_complete = *intact;
  }
  if (launched->is_complete) return true;
  Json numbers = circumstances;
  if (last.fill != Fill::kCaptured) numbers["fill"] = name_of(last.fill);
  emit_result(launched->verdict(), std::move(numbers));
  end = {kExitDevice, launched->device_lost};
  return false;
}

Result<Comparison> Run::compare(EventSink& to) {
  uint64_t stray = 0;
  if (disturbs_untouched) {
    const auto settled = settle_untouched(device, cache, targets, to);
    if (!settled) return settled.error();
    stray = *settled;
  }
  auto compared = compare_replay(device, cache, program, targets, snapshot, snapshot.poison(), varying, to);
  if (compared) compared->differing_bytes += compared->stray_bytes = stray;
  return compared;
}

Result<bool> Run::launch_and_compare(Comparison& total) {
  auto completed = launch(options.iterations, false);
  if (!completed || !*completed) return completed;
  HeldBack told;
  auto compared = compare(told);
  if (!compared) return compared.error();
  if (compared->differing_bytes == 0) return true;
  told.tell(sink);
  total = std::move(*compared);
  return true;
}

Result<bool> Run::launch_once_more(Fill fill, Comparison& total) {
  if (auto restored = restore(fill); !restored) return restored.error();
  return launch_and_compare(total);
}

void Run::emit_result(const char* verdict, Json numbers) {
  Json event = std::move(numbers);
  event["event"] = ReplayEvent::result;
  event["verdict"] = verdict;
  if (last.wave_instructions) event["wave_instructions"] = *last.wave_instructions;
  if (program.lens) event["lens_bytes"] = program.lens->bytes();
  sink.emit(event);
}

SessionEnd Run::conclude(bool differs, bool is_meaningful, Json numbers) {
  emit_result(differs ? "fail" : is_meaningful ? "pass" : "vacuous", std::move(numbers));
  return {differs ? kExitFail : is_meaningful ? kExitPass : kExitVacuous, false};
}

}  // namespace kernloop::replay
