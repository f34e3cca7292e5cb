#include "replay/core/session/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "replay/core/launch/kernarg.h"
#include "replay/core/launch/launch_check.h"
#include "replay/core/lenses/dump.h"
#include "replay/core/lenses/probes.h"
#include "replay/core/memory/guard.h"
#include "replay/core/memory/injection.h"
#include "replay/core/memory/overwritten_search.h"
#include "replay/core/memory/unused.h"
#include "replay/core/session/derived_inputs.h"
#include "replay/core/session/replaying.h"
#include "replay/core/session/side_by_side.h"
#include "verdict/calibration.h"
#include "verdict/free_order.h"
#include "verdict/given_records.h"
#include "verdict/overwritten.h"
#include "verdict/untouched.h"

namespace kernloop::replay {

namespace {

constexpr size_t kFewestReplays = 8;  // per calibration

bool repeats(const Options& options) {
  return options.warmup + options.iterations > 1 || options.calibrate.size() > 1 || options.fills.size() > 1 ||
         options.search_overwritten;
}

class Session {
 public:
  Session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
      : options_(options),
        reader_(reader),
        device_(device),
        sink_(sink),
        cache_(reader, ContentCache::kUsualBudget),
        snapshot_(cache_, device, options.poison, repeats(options), !options.leave_padding) {}

  Result<SessionEnd> run() {
    if (auto prepared = prepare(); !prepared) return judged(prepared.error());
    auto end = options_.calibrate.empty() ? replay() : calibrate();
    return end ? end : judged(end.error());
  }

 private:
  Status prepare() {
    if (auto mapped = snapshot_.map(options_.dropped); !mapped) return mapped;
    if (options_.guard) {
      if (auto raised = raise_guard(device_, snapshot_, sink_); !raised) return raised;
    }
    const auto variant = named_variant(options_);
    if (!variant) return variant.error();
    auto program = load_for_replay(options_, cache_, device_, *variant, sink_);
    if (!program) return program.error();
    program_ = std::move(*program);
    program_.launch.is_compared = options_.compare || options_.dump || options_.lens || !options_.calibrate.empty();
    snapshot_.attend(program_);
    if (auto checked = prepare_lens(options_, device_, program_); !checked) return checked;
    auto targets = targets_of(options_, snapshot_, program_);
    if (!targets) return targets.error();
    targets_ = std::move(*targets);
    if (options_.dump) {
      if (auto checked = check_dump(*options_.dump, targets_); !checked) return checked;
    }
    if (options_.known_varying) {
      auto varying = read_varying(*options_.known_varying, targets_, options_.expected);
      if (!varying) return varying.error();
      varying_ = std::move(*varying);
      if (auto applied = apply_records(options_.records, varying_); !applied) return applied;
    }
    if (options_.overwritten) {
      if (auto read = read_overwritten(*options_.overwritten, targets_, options_.expected); !read) return read;
      leave_unjudged_untouched(varying_, targets_);
    }
    if (options_.probes) {
      if (auto set = set_probes(*options_.probes, device_); !set) return set;
    }
    return configure_device(options_, device_, sink_);
  }

  // A variant that the app cannot launch is wrong, like one whose result differs.
  Result<SessionEnd> judged(const Error& error) {
    if (!options_.compare || error.code != kLaunchImpossible) return error;
    emit_result("fail", {{"code", error.code}, {"reason", error.message}});
    return SessionEnd{kExitFail, false};
  }

  Status dump(DumpTime time) {
    if (!options_.dump || options_.dump->time != time) return Unit{};
    return dump_targets(*options_.dump, device_, targets_, dump_facts(options_, reader_.manifest(), program_));
  }

  // Reports the probes of the last launch.
  Status tell_probes() {
    if (!options_.probes) return Unit{};
    auto event = write_probes(*options_.probes, device_);
    if (!event) return event.error();
    (*event)["event"] = "probes";
    sink_.emit(*event);
    return Unit{};
  }

  // True: completed. False: `end_` says how it ended.
  Result<bool> launch(uint64_t index, bool is_measured) {
    const auto started = std::chrono::steady_clock::now();
    set_lens_parameters(program_, index);
    auto launched = launch_and_tell(device_, snapshot_, program_, is_measured ? Json{{"index", index}} : Json(),
                                    index + 1 == options_.iterations, sink_);
    if (!launched) return launched.error();
    seconds_of_launch_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    wave_instructions_ = launched->wave_instructions;
    accesses_ = std::move(launched->accesses);
    if (options_.record_accesses) tell_accesses();
    if (launched->is_complete && (options_.guard || options_.lens) && !options_.compare) {
      auto intact = is_poison_intact(device_, cache_, snapshot_, program_, sink_);
      if (!intact) return intact.error();
      launched->is_complete = *intact;
    }
    if (launched->is_complete) return true;
    Json numbers = Json::object();
    if (fill_ != Fill::kCaptured) numbers["fill"] = name_of(fill_);
    if (is_in_use_) numbers["machine_in_use"] = true;
    if (is_disturbed_) numbers["disturbed"] = true;
    emit_result(launched->verdict(), std::move(numbers));
    end_ = {kExitDevice, launched->device_lost};
    return false;
  }

  Result<SessionEnd> replay() {
    Comparison total;
    const auto started = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < options_.warmup + options_.iterations; ++i) {
      const bool measured = i >= options_.warmup;
      if (options_.settle && measured && i - options_.warmup >= options_.settle->replays &&
          std::chrono::steady_clock::now() - started > std::chrono::duration<double>(options_.settle->seconds))
        break;
      if (auto restored = restore(options_.fills.front()); !restored) return restored.error();
      if (i == 0) {
        if (auto dumped = dump(DumpTime::kPre); !dumped) return dumped.error();
      }
      auto completed = launch(i - options_.warmup, measured);
      if (!completed) return completed.error();
      if (!*completed) return end_;
      if (options_.find_overwritten) watch_overwritten();
      if (options_.find_unused > 0) watch_unused();
      if (!options_.compare || !measured) continue;
      auto compared = compare(sink_);
      if (!compared) return compared.error();
      // Bytes that one iteration could not decide stay undecided.
      if (compared->undecided.empty()) {
        compared->undecided = total.undecided;
        compared->undecided_bytes = total.undecided_bytes;
      }
      total = *compared;
      if (total.differing_bytes > 0) break;  // one wrong iteration is a wrong kernel
    }
    tell_conditions(program_, sink_);
    tell_overwritten();
    for (size_t t = 0; t < unused_.size(); ++t) emit_rows("unused", targets_[t], unused_[t], sink_);
    if (auto dumped = dump(DumpTime::kPost); !dumped) return dumped.error();
    if (auto told = tell_lens(options_, device_, program_, reader_.manifest(), sink_); !told) return told.error();
    if (auto told = tell_probes(); !told) return told.error();
    std::string kept_state;
    if (is_to_be_repeated(total)) {
      auto repeated = repeat(total);
      if (!repeated) return repeated.error();
      if (!*repeated) return end_;
      kept_state = std::move(**repeated);
    }
    if (!options_.compare) {
      emit_result("ran", {});
      return SessionEnd{kExitPass, false};
    }
    auto disturbed = replay_disturbed(total);
    if (!disturbed) return disturbed.error();
    if (!*disturbed) return end_;
    auto filled = replay_fills(total);
    if (!filled) return filled.error();
    if (!*filled) return end_;
    auto used = replay_in_use(total);
    if (!used) return used.error();
    if (!*used) return end_;
    bool missed = false;
    if (options_.search_overwritten && total.differing_bytes == 0) {
      const auto searched = search();
      if (!searched) return searched.error();
      if (!*searched) return end_;
    }
    if (options_.inject_bit_flips > 0 && total.differing_bytes == 0) {
      auto noticed = inject();
      if (!noticed) return noticed.error();
      missed = !*noticed;
    }
    auto changed = changed_bytes({});
    if (!changed) return changed.error();
    Json numbers = {{"compared_bytes", total.compared_bytes},   {"changed_bytes", *changed},
                    {"differing_bytes", total.differing_bytes}, {"varying_bytes", total.varying_bytes},
                    {"ignored_bytes", total.ignored_bytes},     {"padding_bytes", total.padding_bytes},
                    {"tolerance_bytes", total.tolerance_bytes}, {"unjudged_bytes", total.unjudged_bytes}};
    const auto rewritten = count_rewritten();
    if (!rewritten) return rewritten.error();
    if (options_.overwritten) {
      numbers["overwritten_bytes"] = rewritten->bytes;
      numbers["rewritten_bytes"] = rewritten->unchanged;
    }
    if (fill_ != Fill::kCaptured && total.differing_bytes > 0) {
      const auto unwritten = count_unwritten(fill_, device_, cache_, targets_);
      if (!unwritten) return unwritten.error();
      numbers["fill"] = name_of(fill_);
      numbers["unwritten_bytes"] = *unwritten;
    }
    auto reason = why_unproven(*changed, rewritten->bytes);
    if (!reason) return reason.error();
    if (!*reason && !total.undecided.empty()) *reason = total.undecided;
    if (total.undecided_bytes > 0) numbers["undecided_bytes"] = total.undecided_bytes;
    if (*reason) numbers["reason"] = **reason;
    if (total.stray_bytes > 0) numbers["stray_bytes"] = total.stray_bytes;
    if (is_in_use_) numbers["machine_in_use"] = true;
    if (is_disturbed_) numbers["disturbed"] = true;
    if (!kept_state.empty()) numbers["reason"] = kept_state;
    if (!state_.is_null()) numbers["state"] = state_;
    return conclude(total.differing_bytes > 0 || missed,
                    total.compared_bytes > 0 && *changed + rewritten->bytes > 0 && !*reason, std::move(numbers));
  }

  // Restores the memory that a launch begins with.
  Status restore(Fill fill) {
    fill_ = fill;
    if (auto restored = snapshot_.restore(program_, sink_); !restored) return restored;
    if (auto poisoned = poison_overwritten(fill, device_, cache_, targets_); !poisoned) return poisoned;
    return disturbs_ ? disturb_untouched(device_, cache_, targets_) : Status(Unit{});
  }

  // A launch each of the further fills, while all is right. False: one did not end by itself.
  Result<bool> replay_fills(Comparison& total) {
    for (size_t i = 1; i < options_.fills.size() && total.differing_bytes == 0; ++i) {
      auto completed = replay_once_more(options_.fills[i], total);
      if (!completed || !*completed) return completed;
    }
    return true;
  }

  // A launch with other values in memory that the last one used and the captured code does not touch. False: a launch
  // did not end by itself.
  Result<bool> replay_disturbed(Comparison& total) {
    if (!takes_accesses(options_.disturb_untouched) || total.differing_bytes > 0) return true;
    if (options_.disturb_untouched == Disturbed::kWritten) {
      disturbs_ = keep_written(accesses_, targets_);
    } else {
      auto kept = keep_zeros_read(accesses_, cache_, targets_, sink_);
      if (!kept) return kept;
      disturbs_ = *kept;
    }
    if (!disturbs_) return true;
    is_disturbed_ = true;
    auto completed = replay_once_more(options_.fills.front(), total);
    is_disturbed_ = completed && (!*completed || total.differing_bytes > 0);
    disturbs_ = false;
    return completed;
  }

  // A launch on a machine in use, if all was right so far: a variant fails there if it relies on the judge's poison,
  // young clocks, compute unit 0 or the absence of other launches. False: a launch did not end by itself.
  Result<bool> replay_in_use(Comparison& total) {
    SoftwareExecution* const execution = device_.software_execution();
    if (options_.machine_in_use == 0 || execution == nullptr || total.differing_bytes > 0) return true;
    if (auto set = execution->set_machine_in_use(options_.machine_in_use); !set) return set.error();
    constexpr uint32_t kFewPoisons = 15;  // small numbers, none of them 0
    snapshot_.set_poison(static_cast<uint8_t>(1 + options_.machine_in_use % kFewPoisons));
    constexpr uint32_t kFewPackets = 37;
    program_.launch.amid_others = {.packets_before = 3 + options_.machine_in_use % kFewPackets,
                                   .services = services_of_apps(program_.kernel, program_.launch.kernarg)};
    is_in_use_ = true;
    auto completed = replay_once_more(options_.fills.front(), total);
    program_.launch.amid_others.reset();
    is_in_use_ = completed && (!*completed || total.differing_bytes > 0);
    return completed;
  }

  // Differences are reported and added to `total`. False: a launch did not end by itself.
  Result<bool> replay_once_more(Fill fill, Comparison& total) {
    if (auto restored = restore(fill); !restored) return restored.error();
    auto completed = launch(options_.iterations, false);
    if (!completed || !*completed) return completed;
    HeldBack told;
    auto compared = compare(told);
    if (!compared) return compared.error();
    if (compared->differing_bytes == 0) return true;
    told.tell(sink_);
    total = *compared;
    return true;
  }

  // False: a launch did not end by itself; the results so far are in the file.
  Result<bool> search() {
    // A kernel may wait forever for a lock that begins with another value.
    double& limit = program_.launch.limit_seconds;
    const double enough = std::max(1.0, 20 * seconds_of_launch_);
    limit = limit > 0 ? std::min(limit, enough) : enough;
    const auto launch_with = [this](Fill fill) -> Result<bool> {
      if (auto restored = restore(fill); !restored) return restored.error();
      return launch(options_.iterations, false);
    };
    auto found = search_overwritten({device_, cache_, targets_, varying_, pointers_in(program_.launch.kernarg),
                                     *options_.search_overwritten, launch_with});
    if (!found) return found.error();
    if (!*found) return false;
    for (size_t t = 0; t < targets_.size(); ++t) emit_rows("overwritten", targets_[t], (**found)[t], sink_);
    return true;
  }

  // Aligned words: other values point nowhere.
  static std::vector<uint64_t> pointers_in(const Buffer& kernarg) {
    std::vector<uint64_t> words(kernarg.size() / 8);
    std::memcpy(words.data(), kernarg.data(), words.size() * 8);
    return words;
  }

  // Bytes that every launch so far overwrote and none read, and bytes that none touched.
  void watch_overwritten() {
    auto untouched = untouched_by(accesses_, targets_);
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (options_.overwritten) untouched[t] = intersection(untouched[t], targets_[t].untouched);
      if (found_) untouched[t] = intersection(untouched[t], untouched_[t]);
    }
    untouched_ = std::move(untouched);
    auto found = overwritten_by(accesses_, targets_);
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (options_.overwritten) found[t] = intersection(found[t], targets_[t].overwritten);
      if (found_) found[t] = intersection(found[t], (*found_)[t]);
    }
    found_ = std::move(found);
  }

  // Bytes that no launch so far touched.
  void watch_unused() {
    auto unused = unused_by(accesses_, targets_, options_.find_unused);
    for (size_t t = 0; t < unused_.size(); ++t) unused[t] = intersection(unused[t], unused_[t]);
    unused_ = std::move(unused);
  }

  void tell_overwritten() {
    if (!found_) return;
    // Bytes that are read and then written with the value they held: a repeated launch cannot show that a variant
    // leaves them out.
    const auto written = written_by(accesses_, targets_);
    for (size_t t = 0; t < targets_.size(); ++t) {
      const Target& target = targets_[t];
      const uint64_t bytes = total_bytes(without(written[t], (*found_)[t]));
      if (bytes > 0 && target.pre.content->chunks == target.post.content->chunks)
        sink_.emit({{"event", "reread"}, {target.kind(), target.name}, {"bytes", bytes}});
    }
    for (size_t t = 0; t < targets_.size(); ++t) emit_rows("overwritten", targets_[t], (*found_)[t], sink_);
    for (size_t t = 0; t < targets_.size(); ++t) emit_rows("untouched", targets_[t], untouched_[t], sink_);
  }

  void tell_accesses() {
    for (const Access& access : accesses_) {
      sink_.emit({{"event", "access"},
                  {"write", access.is_write},
                  {"base", to_hex_number(access.base)},
                  {"size", access.size}});
    }
  }

  // A variant may keep state from launch to launch in memory of its own, which each process begins anew: a later launch
  // in a process may then give another result than the first. Memory that a lens reads may be such state, too.
  bool is_to_be_repeated(const Comparison& total) const {
    const bool has_state = !program_.own_state.is_empty() || (program_.lens && !program_.lens->variables.empty());
    return options_.compare && options_.adverse == 0 && total.differing_bytes == 0 && has_state;
  }

  struct State {
    std::vector<Buffer> own, lens;
  };

  Result<State> read_state() {
    auto own = read_own_state(program_.own_state, device_);
    if (!own) return own.error();
    auto lens = read_variables(program_.lens.value_or(LensState{}), device_);
    if (!lens) return lens.error();
    return State{std::move(*own), std::move(*lens)};
  }

  Status write_state(const State& state) {
    if (auto written = write_own_state(program_.own_state, state.own, device_); !written) return written;
    return write_variables(program_.lens.value_or(LensState{}), state.lens, device_);
  }

  // Further launches behind the last one, each of which begins with the state that the one before left, until one
  // leaves a state that another one began with: from there on states repeat. Differences are added to `total`, and so
  // are undecided bytes. Returns the reason if there is one; none: a launch did not end by itself.
  Result<std::optional<std::string>> repeat(Comparison& total) {
    constexpr uint64_t kMostLaunches = 8;
    const OwnState& own = program_.own_state;
    std::vector<Buffer> loaded;
    for (const OwnState::Piece& piece : own.pieces) loaded.push_back(piece.loaded);
    std::vector<std::vector<Digest>> begun = {own.digests_of(loaded)};
    auto state = read_state();
    if (!state) return state.error();
    const uint64_t changed = replay::changed_bytes(own, state->own);
    // A lens's counters only count on: one more launch is enough.
    uint64_t fewest = program_.lens && !program_.lens->variables.empty() ? 2 : 1;
    if (!own.out_of_reach.empty()) fewest = kMostLaunches;
    for (uint64_t launches = 1;; ++launches) {
      const std::vector<Digest> left = own.digests_of(state->own);
      const bool is_known = std::find(begun.begin(), begun.end(), left) != begun.end();
      if ((is_known && launches >= fewest) || launches == kMostLaunches) {
        state_ = state_facts(own, changed, launches);
        if (!is_known)
          total.undecided =
              "it keeps state (" + state_name() + "): after " + std::to_string(launches) +
              " launches in a row what it leaves there is still new, and nobody knows what a later launch "
              "makes of it";
        return std::optional(std::string());
      }
      begun.push_back(left);
      if (auto restored = restore(Fill::kCaptured); !restored) return restored.error();
      if (auto written = write_state(*state); !written) return written.error();
      auto completed = launch(options_.iterations, false);
      if (!completed) return completed.error();
      if (!*completed) return std::optional<std::string>();
      HeldBack told;
      auto compared = compare(told);
      if (!compared) return compared.error();
      if (compared->differing_bytes > 0) {
        told.tell(sink_);
        total = *compared;
        const std::string right = launches == 1 ? "launch gives" : std::to_string(launches) + " launches give";
        return std::optional("only the first " + right +
                             " what the app computed: the next one finds what was left in " + state_name());
      }
      state = read_state();
      if (!state) return state.error();
    }
  }

  std::string state_name() const {
    const OwnState& own = program_.own_state;
    if (!own.names.empty()) return own.names.front() + ", which the captured code does not have";
    if (!own.out_of_reach.empty()) return own.out_of_reach.front();
    return "memory of its own that no symbol names";
  }

  // Whether every injected error was noticed.
  Result<bool> inject() {
    auto injection = inject_bit_flips(device_, cache_, targets_, snapshot_.padding(), options_.poison, varying_,
                                      options_.inject_bit_flips, options_.seed.value_or(0));
    if (!injection) return injection.error();
    sink_.emit({{"event", "injection"},
                {"flips", injection->flips},
                {"detected", injection->detected},
                {"overwritten", injection->overwritten},
                {"missed", injection->missed}});
    return injection->detected == injection->flips;
  }

  Result<Comparison> compare(EventSink& sink) {
    uint64_t stray = 0;
    if (disturbs_) {
      const auto settled = settle_untouched(device_, cache_, targets_, sink);
      if (!settled) return settled.error();
      stray = *settled;
    }
    auto compared = compare_replay(device_, cache_, program_, targets_, snapshot_, snapshot_.poison(), varying_, sink);
    if (compared) compared->differing_bytes += compared->stray_bytes = stray;
    return compared;
  }

  // Hardware takes no seed: its order of waves differs from launch to launch.
  Status choose_order(size_t replay) {
    SoftwareExecution* const execution = device_.software_execution();
    if (execution == nullptr) return Unit{};
    if (auto seeded = execution->set_seed(options_.calibrate[replay]); !seeded) return seeded;
    if (options_.adverse == 0) return Unit{};
    // Every second replay runs in the adverse order, to see its effect on results; races are not checked.
    return execution->set_adverse(replay % 2 == 1 ? options_.adverse : 0, false);
  }

  Result<SessionEnd> calibrate() {
    Calibration calibration(cache_, targets_);
    if (options_.calibration_file && std::filesystem::exists(*options_.calibration_file)) {
      if (auto loaded = calibration.load(*options_.calibration_file); !loaded) return loaded.error();
    }
    Comparison padding;
    const auto started = std::chrono::steady_clock::now();
    for (size_t i = 0; i < options_.calibrate.size(); ++i) {
      if (auto ordered = choose_order(i); !ordered) return ordered.error();
      if (auto restored = snapshot_.restore(program_, sink_); !restored) return restored.error();
      auto completed = launch(i, true);
      if (!completed) return completed.error();
      if (!*completed) return end_;
      if (options_.find_overwritten) watch_overwritten();
      auto recorded = calibration.record_replay(device_);
      if (!recorded) return recorded.error();
      if (!*recorded && calibration.replays() > kFewestReplays) {
        calibration.forget_last_replay();
        break;
      }
      if (!*recorded) {
        return conclude(true, true,
                        {{"replays", i + 1},
                         {"reason", "far more differs from the app's result than the order of execution can explain"}});
      }
      auto compared = compare_with_post(device_, cache_, {}, snapshot_.padding(), options_.poison, {}, sink_);
      if (!compared) return compared.error();
      padding.differing_bytes += compared->differing_bytes;
      padding.padding_bytes = compared->padding_bytes;
      if (options_.settle && is_enough(calibration, started)) break;
    }
    if (options_.calibration_file) {
      if (auto saved = calibration.save(*options_.calibration_file); !saved) return saved.error();
    }
    tell_overwritten();
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
    auto changed = changed_bytes({});
    if (!changed) return changed.error();
    uint64_t compared = 0;
    for (const Target& target : targets_) compared += target.size - target.dropped_bytes();
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
    return conclude(found->unexplained_elements > 0 || padding.differing_bytes > 0, compared > 0 && *changed > 0,
                    std::move(numbers));
  }

  // The requested number of replays, then twice and four times as many if the last half still showed something new.
  bool is_enough(const Calibration& calibration, std::chrono::steady_clock::time_point started) const {
    const size_t replays = calibration.replays(), least = options_.settle->replays;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    if (spent.count() > options_.settle->seconds) return replays >= kFewestReplays;
    const bool is_step = replays == least || replays == 2 * least || replays == 4 * least;
    return is_step && calibration.is_settled();
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
    if (program_.lens) event["lens_bytes"] = program_.lens->bytes();
    sink_.emit(event);
  }

  // If *pre* itself would pass, a pass proves nothing.
  Result<std::optional<std::string>> why_unproven(uint64_t changed_bytes, uint64_t rewritten_bytes) {
    std::optional<std::string> reason;
    if (changed_bytes + rewritten_bytes == 0) return reason;
    const auto judged = this->changed_bytes(varying_);
    if (!judged) return judged.error();
    if (*judged + rewritten_bytes == 0) {
      return std::optional<std::string>(
          "its outcome depends on the order of waves: what the kernel changed are places and links that come out "
          "otherwise in every replay, and nothing else that could be judged");
    }
    const auto indiscernible = find_indiscernible();
    if (!indiscernible) return indiscernible.error();
    if (*indiscernible) {
      reason = "the tolerance is so wide that " + **indiscernible +
               " as it was before the dispatch passes too: a variant that leaves it alone would not be noticed";
    }
    for (size_t t = 0; t < targets_.size(); ++t) {
      const Target& target = targets_[t];
      bool passes_all = true;
      for (const Fill fill : options_.fills) {
        // Targets that begin with other values prove all that the app's own values would.
        if (fill == Fill::kCaptured && !target.overwritten.empty() && options_.fills.size() > 1) continue;
        const auto passes = passes_unchanged(cache_, targets_, t, varying_, overlay(fill, target));
        if (!passes) return passes.error();
        passes_all = passes_all && *passes;
      }
      if (passes_all) {
        reason = "what varies in " + target.name +
                 " varies so much that memory as it was before the dispatch passes too: a variant that leaves it alone "
                 "would not be noticed";
      }
    }
    return reason;
  }

  // The first array that its tolerance would let pass with the values before the launch; none if there is no such
  // array. An array that the captured code leaves alone proves nothing.
  Result<std::optional<std::string>> find_indiscernible() {
    const auto is_exact = [](const ElementTolerance& tolerance) { return tolerance.bounds.exact; };
    for (const Target& target : targets_) {
      if (std::all_of(target.tolerances.begin(), target.tolerances.end(), is_exact)) continue;
      std::vector<AddressRange> left_out = unjudged_in(target, varying_);
      left_out.insert(left_out.end(), target.ignored.begin(), target.ignored.end());
      left_out = merge_ranges(std::move(left_out));
      std::vector<Discernible> all(target.tolerances.size());
      for (const Fill fill : options_.fills) {
        const auto some = count_discernible_bytes(cache_, target, left_out, overlay(fill, target));
        if (!some) return some.error();
        for (size_t i = 0; i < all.size(); ++i) {
          all[i].differing += (*some)[i].differing;
          all[i].noticed += (*some)[i].noticed;
        }
      }
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].differing > 0 && all[i].noticed == 0)
          return std::optional(describe_place(target, target.tolerances[i]));
      }
    }
    return std::optional<std::string>();
  }

  static std::string describe_place(const Target& target, const ElementTolerance& part) {
    if (part.size == target.size) return target.name;
    return target.name + " at offset " + std::to_string(part.offset) + " (" + std::to_string(part.size) + " bytes)";
  }

  // Overlay of the values that launches began with.
  static Overlay overlay(Fill fill, const Target& target) {
    if (fill == Fill::kCaptured || target.overwritten.empty()) return {};
    return [fill, &target](uint64_t offset, std::span<uint8_t> pre) { poison(fill, target, offset, pre, {}); };
  }

  // Counts bytes that were poisoned before at least one launch.
  Result<Rewritten> count_rewritten() {
    Rewritten all;
    const bool is_poisoned =
        std::any_of(options_.fills.begin(), options_.fills.end(), [](Fill fill) { return fill != Fill::kCaptured; });
    if (!is_poisoned) return all;
    for (const Target& target : targets_) {
      const auto some = replay::count_rewritten(cache_, target, unjudged_in(target, varying_));
      if (!some) return some.error();
      all.bytes += some->bytes;
      all.unchanged += some->unchanged;
    }
    return all;
  }

  // Counts compared bytes, without those that `varying` cannot judge: a kernel whose results are all ignored proves
  // nothing.
  Result<uint64_t> changed_bytes(const std::vector<VaryingRange>& varying) {
    uint64_t changed = 0;
    for (const Target& target : targets_) {
      if (target.is_variable) continue;
      std::vector<AddressRange> left_out = unjudged_in(target, varying);
      left_out.insert(left_out.end(), target.ignored.begin(), target.ignored.end());
      auto count = count_changed_bytes(cache_, target.pre, target.post, merge_ranges(std::move(left_out)));
      if (!count) return count;
      changed += *count;
    }
    for (const archive::ModuleVariable& variable : reader_.manifest().module_variables) {
      Target named;
      named.is_variable = true;
      named.name = variable.name;
      auto count = count_changed_bytes(cache_, pre_of(variable), post_of(variable), unjudged_in(named, varying));
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
  Snapshot snapshot_;
  Program program_;
  std::vector<Target> targets_;
  std::vector<VaryingRange> varying_;
  std::optional<uint64_t> wave_instructions_;
  double seconds_of_launch_ = 0;                                   // including everything around it
  std::vector<Access> accesses_;                                   // accesses of the last launch, if recorded
  std::optional<std::vector<std::vector<AddressRange>>> found_;    // by target
  std::vector<std::vector<AddressRange>> unused_;                  // by target, once there was a launch
  std::vector<std::vector<AddressRange>> untouched_;               // likewise
  bool disturbs_ = options_.disturb_untouched == Disturbed::kAll;  // launches, from now on
  bool is_in_use_ = false;                                         // the reported launch ran on a machine in use
  bool is_disturbed_ = false;    // the reported launch was disturbed by itself (takes_accesses)
  Json state_;                   // state that the variant keeps, to be reported
  Fill fill_ = Fill::kCaptured;  // fill that the last launch began with
  SessionEnd end_;
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
