#include "replay/core/session.h"

#include <algorithm>
#include <array>

#include "archive/file.h"
#include "replay/core/calibration.h"
#include "replay/core/compare.h"
#include "replay/core/differences.h"
#include "replay/core/dump.h"
#include "replay/core/injection.h"
#include "replay/core/layout.h"
#include "replay/core/program.h"
#include "replay/core/stale_pointers.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kCacheBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxCodeObjectFile = uint64_t{1} << 30;

class Session {
 public:
  Session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
      : options_(options), reader_(reader), device_(device), sink_(sink), cache_(reader, kCacheBytes) {}

  Result<SessionEnd> run() {
    if (auto prepared = prepare(); !prepared) return prepared.error();
    return options_.calibrate.empty() ? replay() : calibrate();
  }

 private:
  Status prepare() {
    const archive::Manifest& manifest = reader_.manifest();
    auto layout = lay_out(manifest.regions, [this](const archive::Region& region) {
      const archive::RegionClass home = device_.home_of(region);
      return Home{home, device_.granule(home)};
    });
    if (!layout) return layout.error();
    layout_ = std::move(*layout);
    if (auto prepared = device_.prepare(layout_.mappings); !prepared) return prepared;
    for (const Mapping& mapping : layout_.mappings) {
      if (auto mapped = device_.map(mapping); !mapped) return mapped;
    }
    VariantOptions variant;
    variant.symbol = options_.symbol;
    if (options_.code_object) {
      auto file = archive::read_text(*options_.code_object, kMaxCodeObjectFile);
      if (!file) return file.error();
      variant.file.emplace(file->begin(), file->end());
      variant.file_name = options_.code_object->string();
    }
    auto program = load_program(cache_, device_, variant, sink_);
    if (!program) return program.error();
    program_ = std::move(*program);
    if (auto overridden = override_launch(); !overridden) return overridden;
    program_.launch.limit_seconds = options_.limit_seconds;
    program_.launch.is_compared = options_.compare || options_.dump || !options_.calibrate.empty();

    for (const archive::Region& region : manifest.regions) {
      targets_.push_back({false, region.id, region.base, region.size, pre_of(region), post_of(region)});
    }
    if (auto marked = mark_ignored(); !marked) return marked;
    targets_.insert(targets_.end(), program_.variables.begin(), program_.variables.end());
    if (auto marked = mark_tolerances(); !marked) return marked;

    if (options_.known_varying) {
      auto varying = read_varying(*options_.known_varying, targets_);
      if (!varying) return varying.error();
      varying_ = std::move(*varying);
    }
    return configure_device();
  }

  Status override_launch() {
    if (!options_.overrides.any()) return Unit{};
    auto changes = apply_overrides(options_.overrides, reader_.manifest(), program_.kernel, program_.launch);
    if (!changes) return changes.error();
    (*changes)["event"] = "overridden";
    sink_.emit(*changes);
    return Unit{};
  }

  Status mark_ignored() {
    for (const IgnoredBytes& ignored : options_.ignored) {
      const auto target = std::find_if(targets_.begin(), targets_.end(),
                                       [&](const Target& candidate) { return candidate.name == ignored.region; });
      if (target == targets_.end() || ignored.offset > target->size || ignored.size > target->size - ignored.offset) {
        return Error{"USAGE", "--ignore names bytes of " + ignored.region + " that the capture does not have",
                     "give REGION:OFFSET:SIZE of a captured region"};
      }
      target->ignored.push_back({ignored.offset, ignored.size});
    }
    for (Target& target : targets_) target.ignored = merge_ranges(std::move(target.ignored));
    return Unit{};
  }

  Status mark_tolerances() {
    for (ElementTolerance tolerance : options_.tolerances) {
      const auto target = std::find_if(targets_.begin(), targets_.end(),
                                       [&](const Target& candidate) { return candidate.name == tolerance.target; });
      if (target == targets_.end()) return bad_tolerance(tolerance, "the capture has no such region or variable");
      if (tolerance.offset > target->size) return bad_tolerance(tolerance, "it begins beyond the end");
      if (tolerance.size == UINT64_MAX) tolerance.size = target->size - tolerance.offset;
      if (tolerance.size > target->size - tolerance.offset) return bad_tolerance(tolerance, "it ends beyond the end");
      if (tolerance.offset % size_of(tolerance.type) != 0)
        return bad_tolerance(tolerance, "its offset is no multiple of the element's size");
      target->tolerances.push_back(tolerance);
    }
    for (Target& target : targets_) {
      std::vector<ElementTolerance>& list = target.tolerances;
      std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
      for (size_t i = 1; i < list.size(); ++i) {
        if (list[i].offset < list[i - 1].offset + list[i - 1].size)
          return bad_tolerance(list[i], "it overlaps another one");
      }
    }
    return Unit{};
  }

  static Error bad_tolerance(const ElementTolerance& tolerance, const std::string& why) {
    return {"USAGE",
            "--tolerance of " + tolerance.target + " at offset " + std::to_string(tolerance.offset) + ": " + why,
            "give NAME[:OFFSET:SIZE]=TYPE,… of a captured region or module variable"};
  }

  // What was not asked for stays as the environment has it.
  Status configure_device() {
    if (options_.limit_wave_instructions != 0) {
      if (auto set = device_.set_wave_instruction_limit(options_.limit_wave_instructions); !set) return set;
    }
    if (options_.threads != 0) {
      if (auto set = device_.set_threads(options_.threads); !set) return set;
    }
    if (options_.record_accesses) {
      if (auto set = device_.record_accesses(); !set) return set;
    }
    if (options_.profile) {
      if (auto set = device_.profile(); !set) return set;
    }
    if (options_.seed) {
      if (auto set = device_.set_seed(*options_.seed); !set) return set;
    }
    return device_.set_cache(options_.cache);
  }

  Status restore() {
    const bool first = !restored_once_;
    if (!first) {
      if (auto restored = device_.restore_kept(); !restored) return restored;
    }
    uint64_t stale_in_memory = 0;
    RestoreVisitor count_stale;
    if (first && !program_.stale_ranges.empty()) {
      count_stale = [&](uint64_t address, Bytes pre) {
        stale_in_memory += count_pointers_into(program_.stale_ranges, address, pre);
      };
    }
    for (const Target& target : targets_) {
      if (is_kept({target.address, target.size})) continue;
      // Code objects come with their variables initialised: only regions start as fresh memory.
      if (auto restored = restore_target(device_, cache_, target, first && !target.is_variable, count_stale); !restored)
        return restored;
    }
    for (const KeptVariable& variable : program_.kept) {
      if (auto written = device_.write(variable.address, variable.content); !written) return written;
    }
    for (const AddressRange& padding : layout_.padding) {
      if (is_kept(padding)) continue;
      if (auto poisoned = device_.fill(padding.base, padding.size, options_.poison); !poisoned) return poisoned;
    }
    if (!first) return Unit{};
    restored_once_ = true;
    if (auto kept = keep_restored(); !kept) return kept;
    return report_restored(stale_in_memory);
  }

  // The archive is read once: further iterations put back what the device keeps.
  Status keep_restored() {
    if (options_.warmup + options_.iterations < 2 && options_.calibrate.size() < 2) return Unit{};
    std::vector<AddressRange> ranges;
    for (const Mapping& mapping : layout_.mappings) ranges.push_back(mapping.range);
    for (const Target& variable : program_.variables) ranges.push_back({variable.address, variable.size});
    for (const AddressRange& range : ranges) {
      auto kept = device_.keep(range);
      if (!kept) return kept.error();
      if (*kept) kept_.push_back(range);
    }
    return Unit{};
  }

  bool is_kept(const AddressRange& range) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const AddressRange& kept) { return range.base >= kept.base && range.end() <= kept.end(); });
  }

  Status report_restored(uint64_t stale_in_memory) {
    uint64_t bytes = 0;
    for (const Target& target : targets_) bytes += target.size;
    sink_.emit({{"event", "restored"},
                {"regions", reader_.manifest().regions.size()},
                {"variables", program_.variables.size()},
                {"bytes", bytes},
                {"relocated_kernargs", program_.relocated_kernargs}});
    const uint64_t in_kernargs = count_pointers_into(program_.stale_ranges, 0, program_.launch.kernarg);
    if (stale_in_memory + in_kernargs > 0) {
      sink_.emit({{"event", "stale_code_pointers"}, {"kernargs", in_kernargs}, {"memory", stale_in_memory}});
    }
    return Unit{};
  }

  // True: completed. False: `end_` says how it ended.
  Result<bool> launch(uint64_t index, bool measured) {
    auto outcome = device_.launch(program_.launch);
    if (!outcome) return outcome.error();
    wave_instructions_ = outcome->wave_instructions;
    if (outcome->end == LaunchOutcome::End::kCompleted) {
      if (!measured) return true;
      Json event = {{"event", "iteration"}, {"index", index}};
      if (outcome->duration_ns) event["duration_ns"] = *outcome->duration_ns;
      if (!outcome->timer.empty()) event["timer"] = outcome->timer;
      if (!outcome->counters.empty()) event["counters"] = outcome->counters;
      sink_.emit(event);
      for (const Access& access : outcome->accesses) {
        sink_.emit({{"event", "access"},
                    {"write", access.is_write},
                    {"base", archive::to_hex_number(access.base)},
                    {"size", access.size}});
      }
      if (index + 1 == options_.iterations) emit_hot_spots(outcome->hot_spots);
      return true;
    }
    const bool limit = outcome->end == LaunchOutcome::End::kLimit;
    Json event = outcome->fault.is_object() ? outcome->fault : Json::object();
    event["event"] = "fault";
    if (!event.contains("kind")) event["kind"] = limit ? "limit" : "unknown";
    if (!event.contains("kernel")) event["kernel"] = program_.launch.kernel_name;
    sink_.emit(event);
    emit_result(limit ? "limit" : "fault", {});
    end_ = {kExitDevice, outcome->device_lost};
    return false;
  }

  // Each with where it lies in its code object, relative to that one's load base.
  void emit_hot_spots(const std::vector<HotSpot>& spots) {
    for (const HotSpot& spot : spots) {
      Json event = spot.counts;
      event["event"] = "hot_spot";
      event["pc"] = archive::to_hex_number(spot.address);
      for (const LoadedCodeObject& object : program_.code_objects) {
        if (!object.code.base || spot.address - *object.code.base >= object.info.memory_bytes) continue;
        event["code_object"] = object.info.sha256.hex();
        event["offset"] = archive::to_hex_number(spot.address - *object.code.base);
      }
      sink_.emit(event);
    }
  }

  Result<SessionEnd> replay() {
    Comparison total;
    for (uint64_t i = 0; i < options_.warmup + options_.iterations; ++i) {
      const bool measured = i >= options_.warmup;
      if (auto restored = restore(); !restored) return restored.error();
      auto completed = launch(i - options_.warmup, measured);
      if (!completed) return completed.error();
      if (!*completed) return end_;
      if (!options_.compare || !measured) continue;
      auto compared = compare();
      if (!compared) return compared.error();
      total = *compared;
      if (total.differing_bytes > 0) break;  // one wrong iteration is a wrong kernel
    }
    if (options_.dump) {
      if (auto dumped = dump_targets(device_, targets_, *options_.dump); !dumped) return dumped.error();
    }
    if (!options_.compare) {
      emit_result("ran", {});
      return SessionEnd{kExitPass, false};
    }
    bool missed = false;
    if (options_.inject_bit_flips > 0 && total.differing_bytes == 0) {
      auto noticed = inject();
      if (!noticed) return noticed.error();
      missed = !*noticed;
    }
    auto changed = changed_bytes();
    if (!changed) return changed.error();
    Json numbers = {{"compared_bytes", total.compared_bytes},   {"changed_bytes", *changed},
                    {"differing_bytes", total.differing_bytes}, {"varying_bytes", total.varying_bytes},
                    {"ignored_bytes", total.ignored_bytes},     {"padding_bytes", total.padding_bytes},
                    {"tolerance_bytes", total.tolerance_bytes}};
    const auto discernible = is_change_discernible();
    if (!discernible) return discernible.error();
    if (*changed > 0 && !*discernible) {
      numbers["reason"] = "the tolerance is so wide that memory as it was before the dispatch passes too";
    }
    return conclude(total.differing_bytes > 0 || missed, total.compared_bytes > 0 && *changed > 0 && *discernible,
                    std::move(numbers));
  }

  // Whether every injected error was noticed.
  Result<bool> inject() {
    auto injection = inject_bit_flips(device_, cache_, targets_, layout_.padding, options_.poison, varying_,
                                      options_.inject_bit_flips, options_.seed.value_or(0));
    if (!injection) return injection.error();
    sink_.emit({{"event", "injection"},
                {"flips", injection->flips},
                {"detected", injection->detected},
                {"missed", injection->missed}});
    return injection->detected == injection->flips;
  }

  Result<Comparison> compare() {
    auto comparison = compare_with_post(device_, cache_, targets_, layout_.padding, options_.poison, varying_, sink_);
    if (!comparison) return comparison;
    for (const KeptVariable& kept : program_.kept) {
      archive::Buffer actual(kept.content.size());
      if (auto read = device_.read(kept.address, actual); !read) return read.error();
      const uint64_t differing = count_differences(kept.content, actual);
      comparison->differing_bytes += differing;
      if (differing > 0) {
        sink_.emit({{"event", "differences"},
                    {"variable", kept.name},
                    {"ranges", 1},
                    {"listed", 0},
                    {"differing_bytes", differing}});
      }
    }
    return comparison;
  }

  Result<SessionEnd> calibrate() {
    Calibration calibration(cache_, targets_);
    Comparison padding;
    for (size_t i = 0; i < options_.calibrate.size(); ++i) {
      // Hardware takes no seed, and needs none: its order varies by nature.
      if (auto seeded = device_.set_seed(options_.calibrate[i]);
          !seeded && seeded.error().code != "UNSUPPORTED_OPTION") {
        return seeded.error();
      }
      if (auto restored = restore(); !restored) return restored.error();
      auto completed = launch(i, true);
      if (!completed) return completed.error();
      if (!*completed) return end_;
      auto recorded = calibration.record_replay(device_);
      if (!recorded) return recorded.error();
      if (!*recorded) {
        return conclude(true, true,
                        {{"replays", i + 1},
                         {"reason", "far more differs from the app's result than the order of execution can explain"}});
      }
      auto compared = compare_with_post(device_, cache_, {}, layout_.padding, options_.poison, {}, sink_);
      if (!compared) return compared.error();
      padding.differing_bytes += compared->differing_bytes;
      padding.padding_bytes = compared->padding_bytes;
    }
    auto found = calibration.finish();
    if (!found) return found.error();
    for (const VaryingRange& range : found->varying) {
      Json event = to_json(range);
      event["event"] = "varying";
      sink_.emit(event);
    }
    for (const Unexplained& element : found->unexplained) {
      sink_.emit({{"event", "unexplained"},
                  {element.is_variable ? "variable" : "region", element.target},
                  {"offset", element.offset},
                  {"dtype", name_of(element.type)},
                  {"post", number_to_json(element.type, element.post)},
                  {"min", number_to_json(element.type, element.min)},
                  {"max", number_to_json(element.type, element.max)}});
    }
    auto changed = changed_bytes();
    if (!changed) return changed.error();
    uint64_t compared = 0;
    for (const Target& target : targets_) compared += target.size;
    Json numbers = {{"compared_bytes", compared},
                    {"changed_bytes", *changed},
                    {"differing_bytes", padding.differing_bytes},
                    {"varying_bytes", found->varying_bytes},
                    {"padding_bytes", padding.padding_bytes},
                    {"unexplained_elements", found->unexplained_elements},
                    {"replays", options_.calibrate.size()}};
    if (found->unexplained_elements > 0) {
      numbers["reason"] =
          "the app's result lies outside of what the replays gave by more than their spread: the order of execution "
          "does not explain it";
    }
    return conclude(found->unexplained_elements > 0 || padding.differing_bytes > 0, compared > 0 && *changed > 0,
                    std::move(numbers));
  }

  // A kernel that changes nothing is no proof of anything; a difference is a failure all the same.
  SessionEnd conclude(bool differs, bool meaningful, Json numbers) {
    emit_result(differs ? "fail" : meaningful ? "pass" : "vacuous", std::move(numbers));
    return {differs ? kExitFail : meaningful ? kExitPass : kExitVacuous, false};
  }

  void emit_result(const char* verdict, Json numbers) {
    Json event = numbers.is_object() ? std::move(numbers) : Json::object();
    event["event"] = "result";
    event["verdict"] = verdict;
    if (wave_instructions_) event["wave_instructions"] = *wave_instructions_;
    sink_.emit(event);
  }

  // False where the tolerances would let *pre* itself pass: then nothing is proven.
  Result<bool> is_change_discernible() {
    if (options_.tolerances.empty()) return true;
    for (const Target& target : targets_) {
      const auto bytes = count_discernible_bytes(cache_, target);
      if (!bytes) return bytes.error();
      if (*bytes > 0) return true;
    }
    return false;
  }

  // Of what is compared: a kernel all of whose results are ignored proves nothing.
  Result<uint64_t> changed_bytes() {
    uint64_t changed = 0;
    for (const Target& target : targets_) {
      if (target.is_variable) continue;
      auto count = count_changed_bytes(cache_, target.pre, target.post, target.ignored);
      if (!count) return count;
      changed += *count;
    }
    for (const archive::ModuleVariable& variable : reader_.manifest().module_variables) {
      auto count = count_changed_bytes(cache_, pre_of(variable), post_of(variable), {});
      if (!count) return count;
      changed += *count;
    }
    return changed;
  }

  const Options& options_;
  const archive::Reader& reader_;
  DeviceReplay& device_;
  EventSink& sink_;
  ContentCache cache_;
  Layout layout_;
  Program program_;
  std::vector<Target> targets_;
  std::vector<VaryingRange> varying_;
  std::optional<uint64_t> wave_instructions_;
  bool restored_once_ = false;
  std::vector<AddressRange> kept_;
  SessionEnd end_;
};

}  // namespace

int exit_code_of(const Error& error) {
  constexpr std::array kEnvironment = {"RUNTIME_NOT_FOUND", "RUNTIME_INCOMPLETE", "DEVICE_NOT_FOUND", "DEVICE_MISMATCH",
                                       "DEVICE_ERROR",      "ADDRESS_TAKEN",      "OUT_OF_MEMORY",    "DISK_FULL"};
  if (error.code.starts_with("ENVIRONMENT_")) return kExitEnvironment;
  return std::any_of(kEnvironment.begin(), kEnvironment.end(), [&](const char* code) { return error.code == code; })
             ? kExitEnvironment
             : kExitBadInput;
}

SessionEnd run_session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink) {
  auto end = Session(options, reader, device, sink).run();
  if (end) return *end;
  sink.emit(error_event(end.error()));
  return {exit_code_of(end.error()), false};
}

}  // namespace kernloop::replay
