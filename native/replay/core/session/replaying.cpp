#include "replay/core/session/replaying.h"

#include "archive/files/file.h"
#include "replay/core/launch/kernarg.h"
#include "replay/core/launch/launch_check.h"
#include "replay/core/memory/guard.h"
#include "replay/core/memory/stale_pointers.h"
#include "replay/core/session/findings.h"
#include "replay/core/session/float_atomics.h"
#include "replay/core/session/target_marks.h"
#include "verdict/values/differences.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMaxCodeObjectFile = uint64_t{1} << 30;

void tell_iteration(const LaunchOutcome& outcome, Json event, EventSink& sink) {
  event["event"] = ReplayEvent::iteration;
  if (outcome.duration_ns) event["duration_ns"] = *outcome.duration_ns;
  if (!outcome.timer.empty()) event["timer"] = outcome.timer;
  if (!outcome.counters.empty()) event["counters"] = outcome.counters;
  sink.emit(event);
}

// Each spot has its offset in its code object, relative to the load base.
void tell_hot_spots(const std::vector<HotSpot>& spots, const Program& program, EventSink& sink) {
  for (const HotSpot& spot : spots) {
    Json event = spot.counts;
    event["event"] = ReplayEvent::hot_spot;
    event["pc"] = to_hex_number(spot.address);
    for (const LoadedCodeObject& object : program.code_objects) {
      if (!object.code.base || spot.address - *object.code.base >= object.info.memory_bytes) continue;
      event["code_object"] = object.info.sha256.hex();
      event["offset"] = to_hex_number(spot.address - *object.code.base);
    }
    sink.emit(event);
  }
}

// A fault near null may be that of a service: nothing that a kernel can reach has such a low address.
std::optional<std::string> hint_of_services(const Program& program, std::optional<uint64_t> address) {
  constexpr uint64_t kBehindNull = 0x10000;
  if (program.null_services.empty() || (address && *address >= kBehindNull)) return std::nullopt;
  std::string names;
  for (const std::string& name : program.null_services) names += (names.empty() ? "" : ", ") + name;
  return "if the kernel prints, allocates memory or asserts: a direct launch has no such service (" + names +
         (program.null_services.size() == 1 ? " is" : " are") + " null); launch it with --launch hip, which has";
}

// If hardware reports no address, the code may need memory that the capture lacks.
std::optional<std::string> hint_of_dropped(const Snapshot& snapshot, const Json& near) {
  const bool is_there = !near.is_null() && near.value("dropped", false);
  if (snapshot.dropped_bytes() == 0 || (!near.is_null() && !is_there)) return std::nullopt;
  return std::string(is_there ? "this memory was dropped" : "memory that was dropped") +
         " from the capture (--shrink), since the captured code neither reads nor writes it" +
         (is_there ? "" : ", is not there") + ": to judge code that does, capture again without --shrink";
}

// Hardware loads code at another address than the app had it at.
std::optional<std::string> hint_of_stale_pointers(const Program& program) {
  const uint64_t count = program.stale_in_memory + count_pointers_into(program.stale_ranges, 0, program.launch.kernarg);
  if (count == 0) return std::nullopt;
  return "captured memory and arguments hold " + std::to_string(count) + (count == 1 ? " pointer" : " pointers") +
         " to where the app's code was (function pointers, virtual functions), and the code of this replay lies " +
         "elsewhere; captured code can follow them on the software GPU, which loads it where it was";
}

void tell_fault(const LaunchOutcome& outcome, const Program& program, const Snapshot& snapshot, EventSink& sink) {
  Json event = outcome.fault.is_object() ? outcome.fault : Json::object();
  event["event"] = ReplayEvent::fault;
  if (!event.contains("kind")) event["kind"] = outcome.end == LaunchOutcome::End::kLimit ? "limit" : "unknown";
  if (!event.contains("kernel")) event["kernel"] = program.launch.kernel_name;
  std::optional<uint64_t> at;
  const auto address = event.find("address");
  if (address != event.end() && address->is_string()) at = from_hex_number(address->get<std::string>());
  if (at) event["near"] = nearest_region(*at, bounded_memory(snapshot, program));
  const bool is_access = event["kind"] == "memory_access" || event["kind"] == "queue_error";
  if (is_access) {
    if (const auto hint = hint_of_services(program, at)) event["hint"] = *hint;
  }
  if (event["kind"] != "limit" && !event.contains("hint")) {
    if (const auto hint = hint_of_dropped(snapshot, event.value("near", Json())))
      event["hint"] = *hint;
    else if (const auto stale = hint_of_stale_pointers(program))
      event["hint"] = *stale;
  }
  sink.emit(event);
}

const char* name_of(CacheState state) {
  return state == CacheState::kWarm ? "warm" : state == CacheState::kCold ? "cold" : "as-is";
}

Status set_cache(CacheState state, DeviceReplay& device, EventSink& sink) {
  const auto facts = device.set_cache(state);
  if (!facts) return facts.error();
  if (state == CacheState::kAsIs) return Unit{};
  sink.emit({{"event", ReplayEvent::cache},
             {"state", name_of(state)},
             {"is_modelled", facts->is_modelled},
             {"reported_bytes", facts->reported_bytes},
             {"overwritten_bytes", facts->overwritten_bytes}});
  return Unit{};
}

// The first option that only software takes.
std::optional<Error> option_of_software(const Options& options) {
  if (options.limit_wave_instructions != 0)
    return unsupported_option("--limit-wave-instructions", "leave it out, or use --limit-seconds");
  if (options.threads != 0) return unsupported_option("--threads");
  // --find-overwritten uses accesses if they can be recorded.
  if (options.record_accesses || options.find_unused > 0 || takes_accesses(options.disturb_untouched))
    return unsupported_option("--record-accesses");
  if (options.profile) return unsupported_option("--profile");
  if (options.adverse != 0) return unsupported_option("--adverse");
  if (options.machine_in_use != 0) return unsupported_option("--machine-in-use");
  if (options.seed) return unsupported_option("--seed");
  return std::nullopt;
}

Status configure_execution(const Options& options, SoftwareExecution& execution) {
  if (options.limit_wave_instructions != 0) {
    // Waves that meet at an atomic over and over (a compare-and-swap in a loop) execute more in the adverse order: that
    // part is bounded by itself.
    const uint64_t limit = options.limit_wave_instructions + options.adverse;
    if (auto set = execution.set_wave_instruction_limit(limit); !set) return set;
  }
  if (options.threads != 0) {
    if (auto set = execution.set_threads(options.threads); !set) return set;
  }
  if (options.record_accesses || options.find_overwritten || options.find_unused > 0 || options.derivation ||
      takes_accesses(options.disturb_untouched)) {
    if (auto set = execution.record_accesses(); !set) return set;
  }
  if (options.profile) {
    if (auto set = execution.profile(); !set) return set;
  }
  if (options.adverse != 0) {
    if (auto set = execution.set_adverse(options.adverse, true); !set) return set;
    if (auto set = execution.limit_residency(true); !set) return set;
  }
  if (options.seed) {
    if (auto set = execution.set_seed(*options.seed); !set) return set;
  }
  return set_unwritten_fill(options, execution, false);
}

// The launch that counts, after one that only warms the caches if the device needs it.
Result<LaunchOutcome> launch_in_state(DeviceReplay& device, Snapshot& snapshot, Program& program, EventSink& sink) {
  if (device.needs_launch_before()) {
    auto before = device.launch(program.launch);
    if (!before || before->end != LaunchOutcome::End::kCompleted) return before;
    if (auto restored = snapshot.restore_written(program, sink); !restored) return restored.error();
  }
  return device.launch(program.launch);
}

}  // namespace

Result<VariantOptions> named_variant(const Options& options) {
  VariantOptions variant;
  variant.symbol = options.symbol;
  if (!options.code_object) return variant;
  auto file = read_expected(options.expected, *options.code_object, kMaxCodeObjectFile);
  if (!file) return file.error();
  variant.file.emplace(file->begin(), file->end());
  variant.file_name = options.code_object->string();
  if (!options.lens) return variant;
  auto lens = read_lens(options.lens->file);
  if (!lens) return lens.error();
  variant.lens = std::move(*lens);
  return variant;
}

Status set_unwritten_fill(const Options& options, SoftwareExecution& execution, bool is_opposite) {
  // Poison 0xA5 and 0x5A invert each other, and so do the patterns.
  constexpr uint64_t kEachByte = 0x0101010101010101;
  const uint64_t pattern = kEachByte * options.poison;
  return execution.set_unwritten_fill(is_opposite ? ~pattern : pattern);
}

Status configure_device(const Options& options, DeviceReplay& device, EventSink& sink) {
  SoftwareExecution* const execution = device.software_execution();
  if (execution == nullptr) {
    if (auto option = option_of_software(options)) return *option;
  } else if (auto configured = configure_execution(options, *execution); !configured) {
    return configured;
  }
  return set_cache(options.cache, device, sink);
}

Result<Program> load_for_replay(const Options& options, ContentCache& cache, DeviceReplay& device,
                                const VariantOptions& variant, EventSink& sink) {
  auto program = load_program(cache, device, variant, sink);
  if (!program) return program;
  program->launch.limit_seconds = options.limit_seconds;
  if (!options.launches_with_hip) program->null_services = services_left_null(program->kernel, program->launch.kernarg);
  const archive::Manifest& manifest = cache.reader().manifest();
  if (options.overrides.make_another_result()) program->launch_of = LaunchOf::kOverride;
  if (options.overrides.are_of_variant && variant.file) program->launch_of = LaunchOf::kVariant;
  if (program->launch_of != LaunchOf::kApp) {
    auto changes = apply_overrides(options.overrides, manifest, program->kernel, program->launch);
    if (!changes) return changes.error();
    (*changes)["event"] = ReplayEvent::overridden;
    if (program->launch_of == LaunchOf::kVariant) (*changes)["of_variant"] = true;
    sink.emit(*changes);
  }
  if (auto checked = check_launch(device, manifest.geometry, *program); !checked) return checked.error();
  if (auto watched = watch_float_atomics(manifest, device, *program); !watched) return watched.error();
  return program;
}

Result<std::vector<Target>> targets_of(const Options& options, const Snapshot& snapshot, const Program& program) {
  std::vector<Target> targets = snapshot.regions();
  targets.insert(targets.end(), program.variables.begin(), program.variables.end());
  if (auto marked = mark_ignored(options.ignored, targets); !marked) return marked.error();
  if (auto marked = mark_tolerances(options.tolerances, targets); !marked) return marked.error();
  return targets;
}

Status prepare_lens(const Options& options, DeviceReplay& device, const Program& program) {
  if (!program.lens) return Unit{};
  if (auto checked = check_lens_output(*options.lens, *program.lens); !checked) return checked;
  if (!options.guard) return Unit{};
  const auto closed = close_padding(device, program.lens->padding());
  if (!closed) return closed.error();
  return Unit{};
}

Status tell_lens(const Options& options, DeviceReplay& device, const Program& program,
                 const archive::Manifest& manifest, EventSink& sink) {
  if (!program.lens) return Unit{};
  auto event = write_lens(*options.lens, device, *program.lens, dump_facts(options, manifest, program));
  if (!event) return event.error();
  (*event)["event"] = ReplayEvent::lens;
  sink.emit(*event);
  return Unit{};
}

Json dump_facts(const Options& options, const archive::Manifest& manifest, const Program& program) {
  Json facts = {{"kernel", manifest.kernel.name},
                {"symbol", program.launch.kernel_name},
                {"is_overridden", options.overrides.make_another_result()}};
  for (const LoadedCodeObject& object : program.code_objects) {
    if (object.captured->sha256 != manifest.kernel.code_object) continue;
    facts["code_object"] = object.info.sha256.hex();
    facts["is_variant"] = object.is_variant;
  }
  return facts;
}

Result<Launched> launch_and_tell(DeviceReplay& device, Snapshot& snapshot, Program& program, Json iteration,
                                 bool is_last, EventSink& sink) {
  auto outcome = launch_in_state(device, snapshot, program, sink);
  if (!outcome) {
    const Error& error = outcome.error();
    // The earlier checks could not foresee this refusal. A refusal of the captured code, or of another launch, is no
    // verdict on a variant.
    const bool is_of_variant =
        program.is_variant && program.launch_of != LaunchOf::kOverride && error.code == "LAUNCH_REFUSED";
    return is_of_variant ? launch_impossible(program.kernel, error.message, program.launch_of) : error;
  }
  Launched launched;
  launched.is_complete = outcome->end == LaunchOutcome::End::kCompleted;
  launched.is_limit = outcome->end == LaunchOutcome::End::kLimit;
  launched.device_lost = outcome->device_lost;
  launched.wave_instructions = outcome->wave_instructions;
  launched.accesses = std::move(outcome->accesses);
  launched.accesses_by_lane = outcome->accesses_by_lane;
  launched.past_lds = std::move(outcome->past_lds);
  if (!launched.is_complete) {
    tell_fault(*outcome, program, snapshot, sink);
  } else if (!iteration.is_null()) {
    if (const auto conditions = device.conditions()) program.conditions.add(*conditions);
    tell_iteration(*outcome, std::move(iteration), sink);
    if (is_last) tell_hot_spots(outcome->hot_spots, program, sink);
    tell_findings(*outcome, program, snapshot, sink);
    tell_float_atomics(*outcome, program, sink);
    tell_past_lds(launched.past_lds, program, sink);
  }
  return launched;
}

void tell_conditions(const Program& program, EventSink& sink) {
  Json event = program.conditions.facts();
  if (event.is_null()) return;
  event["event"] = ReplayEvent::conditions;
  sink.emit(event);
}

Result<Comparison> compare_replay(DeviceReplay& device, ContentCache& cache, const Program& program,
                                  const std::vector<Target>& targets, const Snapshot& snapshot, uint8_t poison,
                                  const std::vector<VaryingRange>& varying, EventSink& sink) {
  auto comparison = compare_with_post(device, cache, targets, snapshot.padding(), poison, varying, sink);
  if (!comparison) return comparison;
  if (program.lens) {
    if (auto beside = compare_margins(device, program.lens->margins, *comparison, sink); !beside) return beside.error();
  }
  for (const KeptVariable& kept : program.kept) {
    Buffer actual(kept.content.size());
    if (auto read = device.read(kept.address, actual); !read) return read.error();
    const uint64_t differing = count_differences(kept.content, actual);
    comparison->differing_bytes += differing;
    if (differing > 0) {
      sink.emit({{"event", ReplayEvent::differences},
                 {"variable", kept.name},
                 {"ranges", 1},
                 {"listed", 0},
                 {"differing_bytes", differing}});
    }
  }
  return comparison;
}

}  // namespace kernloop::replay
