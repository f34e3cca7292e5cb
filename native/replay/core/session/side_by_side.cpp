#include "replay/core/session/side_by_side.h"

#include <array>

#include "replay/core/lenses/dump.h"
#include "replay/core/memory/guard.h"
#include "replay/core/session/replaying.h"
#include "replay/core/session/turns.h"
#include "verdict/free_order.h"
#include "verdict/given_records.h"
#include "verdict/timed_results.h"

namespace kernloop::replay {

namespace {

// Adds the side to every event.
class SideSink final : public EventSink {
 public:
  SideSink(const char* side, EventSink& inner) : side_(side), inner_(inner) {}
  void emit(const Json& event) override {
    Json marked = event;
    marked["side"] = side_;
    inner_.emit(marked);
  }

 private:
  const char* side_;
  EventSink& inner_;
};

struct Side {
  SideSink sink;
  VariantOptions code;
  Program program = {};
  std::vector<Target> targets = {};
  std::vector<VaryingRange> varying = {};
  std::optional<TimedResults> results = {};  // results of turns; `state` is what the first launch left in its own state
  Json state = {};
  Comparison first = {};
  uint64_t least_ns = 0;  // bound for any launch that changes the app's bytes; 0: unknown
  uint64_t measured = 0;
  std::optional<uint64_t> wave_instructions = {};
};

class SideBySide {
 public:
  SideBySide(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
      : options_(options),
        device_(device),
        sink_(sink),
        cache_(reader, ContentCache::kUsualBudget),
        snapshot_(cache_, device, options.poison, true),
        sides_{Side{SideSink("captured", sink), {}}, Side{SideSink("variant", sink), {}}} {}

  Result<SessionEnd> run() {
    if (auto mapped = snapshot_.map(); !mapped) return mapped.error();
    if (options_.guard) {
      if (auto raised = raise_guard(device_, snapshot_, sink_); !raised) return raised.error();
    }
    auto variant = named_variant(options_);
    if (!variant) return variant.error();
    variant_side().code = std::move(*variant);
    auto completed = device_.measures_time() ? take_turns_on_device() : run_one_after_the_other();
    if (!completed) return completed.error();
    if (!*completed) return end_;
    if (options_.dump) {
      auto dumped = dump();
      if (!dumped) return dumped.error();
      if (!*dumped) return end_;
    }
    if (options_.lens) {
      auto told = tell_lens_of_variant();
      if (!told) return told.error();
      if (!*told) return end_;
    }
    tell_result(variant_side(), "ran");
    return SessionEnd{kExitPass, false};
  }

 private:
  Side& variant_side() { return sides_[1]; }

  // False, here and below: a launch did not end by itself, and `end_` holds the consequence.
  Result<bool> take_turns_on_device() {
    for (Side& side : sides_) {
      if (auto loaded = load(side); !loaded) return loaded.error();
    }
    if (auto configured = configure_device(options_, device_, sink_); !configured) return configured.error();
    for (Side& side : sides_) {
      auto checked = launch(side, Json(), true);
      if (!checked || !*checked) return checked;
      if (auto compared = compare_first(side); !compared) return compared.error();
    }
    for (Side& side : sides_) {
      for (uint64_t i = 0; i < options_.warmup; ++i) {
        auto launched = launch(side, Json(), false);
        if (!launched || !*launched) return launched;
      }
    }
    for (const Turn& turn : take_turns(options_.iterations, options_.order_seed)) {
      Side& side = sides_[static_cast<size_t>(turn.side)];
      auto launched = launch(side, {{"index", side.measured}, {"round", turn.round}}, false);
      if (!launched || !*launched) return launched;
      ++side.measured;
      if (auto compared = compare_timed(side); !compared) return compared.error();
    }
    for (Side& side : sides_) {
      tell_checked(side);
      tell_conditions(side.program, side.sink);
    }
    return true;
  }

  Result<bool> run_one_after_the_other() {
    for (Side& side : sides_) {
      if (&side != &sides_.front()) {
        // Both sides need the captured address.
        snapshot_.forget_programs();
        if (CodePlacement* const placement = device_.code_placement()) {
          if (auto unloaded = placement->unload_code(); !unloaded) return unloaded.error();
        }
      }
      if (auto loaded = load(side); !loaded) return loaded.error();
      if (auto configured = configure_device(options_, device_, sink_); !configured) return configured.error();
      for (uint64_t i = 0; i < options_.warmup + options_.iterations; ++i) {
        const bool is_measured = i >= options_.warmup;
        auto launched = launch(side, is_measured ? Json{{"index", side.measured}} : Json(), true);
        if (!launched || !*launched) return launched;
        if (is_measured) ++side.measured;
      }
      if (auto compared = compare_first(side); !compared) return compared.error();
      tell_checked(side);
    }
    return true;
  }

  Status load(Side& side) {
    auto program = load_for_replay(options_, cache_, device_, side.code, side.sink);
    if (!program) return program.error();
    side.program = std::move(*program);
    snapshot_.attend(side.program);
    if (auto checked = prepare_lens(options_, device_, side.program); !checked) return checked;
    auto targets = targets_of(options_, snapshot_, side.program);
    if (!targets) return targets.error();
    side.targets = std::move(*targets);
    if (options_.dump) {
      if (auto checked = check_dump(*options_.dump, side.targets); !checked) return checked;
    }
    if (!options_.known_varying) return Unit{};
    auto varying = read_varying(*options_.known_varying, side.targets, options_.expected);
    if (!varying) return varying.error();
    side.varying = std::move(*varying);
    if (auto applied = apply_records(options_.records, side.varying); !applied) return applied;
    return Unit{};
  }

  Result<bool> launch(Side& side, Json iteration, bool is_compared) {
    if (auto restored = snapshot_.restore(side.program, side.sink); !restored) return restored.error();
    side.program.launch.is_compared = is_compared;
    auto launched = launch_and_tell(device_, snapshot_, side.program, std::move(iteration),
                                    side.measured + 1 == options_.iterations, side.sink);
    if (!launched) return launched.error();
    side.wave_instructions = launched->wave_instructions;
    if (launched->is_complete && (options_.guard || side.program.lens)) {
      auto intact = is_poison_intact(device_, cache_, snapshot_, side.program, side.sink);
      if (!intact) return intact.error();
      launched->is_complete = *intact;
    }
    if (launched->is_complete) return true;
    for (Side& checked : sides_) tell_checked(checked);
    tell_result(side, launched->verdict());
    end_ = {kExitDevice, launched->device_lost};
    return false;
  }

  bool is_to_be_compared() const { return !options_.overrides.make_another_result(); }

  // Compares the first launch's memory with the app's result.
  Status compare_first(Side& side) {
    if (!is_to_be_compared()) return Unit{};
    auto compared = compare_replay(device_, cache_, side.program, side.targets, snapshot_, options_.poison,
                                   side.varying, side.sink);
    if (!compared) return compared.error();
    side.first = std::move(*compared);
    uint64_t written = 0;
    for (const Target& target : side.targets) {
      const auto changed = count_changed_bytes(cache_, target.pre, target.post, target.ignored);
      if (!changed) return changed.error();
      written += *changed;
    }
    side.least_ns = device_.least_ns_to_write(written);
    // Every launch begins with it as loaded: state that a variant would save for later launches is not saved here.
    const auto left = read_own_state(side.program.own_state, device_);
    if (!left) return left.error();
    side.state = state_facts(side.program.own_state, changed_bytes(side.program.own_state, *left), 1);
    side.results.emplace(device_, side.targets);
    return side.results->begin(side.first);
  }

  Status compare_timed(Side& side) {
    if (!is_to_be_compared()) return Unit{};
    return side.results->check([&]() -> Result<Comparison> {
      HeldBack unsaid;
      return compare_replay(device_, cache_, side.program, side.targets, snapshot_, options_.poison, side.varying,
                            unsaid);
    });
  }

  // Reported once. A difference is reported and is no verdict: tolerances are not judged here. Undecided bytes count as
  // different.
  void tell_checked(Side& side) {
    if (!side.results) return;
    Json event = {{"event", ReplayEvent::checked},
                  {"compared_bytes", side.first.compared_bytes},
                  {"ignored_bytes", side.first.ignored_bytes},
                  {"varying_bytes", side.first.varying_bytes},
                  {"differing_bytes", side.results->differing_bytes()},
                  {"launches", side.results->launches()},
                  {"wrong_launches", side.results->wrong_launches()}};
    if (!side.state.is_null()) event["state"] = side.state;
    if (side.least_ns > 0) event["least_ns"] = side.least_ns;
    side.sink.emit(event);
    side.results.reset();
  }

  // Dumps the variant, whichever side was launched last.
  Result<bool> dump() {
    Side& side = variant_side();
    if (options_.dump->time == DumpTime::kPre) {
      if (auto restored = snapshot_.restore(side.program, side.sink); !restored) return restored.error();
    } else {
      auto launched = launch(side, Json(), true);
      if (!launched || !*launched) return launched;
    }
    auto dumped = dump_targets(*options_.dump, device_, side.targets,
                               dump_facts(options_, cache_.reader().manifest(), side.program));
    if (!dumped) return dumped.error();
    return true;
  }

  // Reports one more launch, which starts from exactly the restored memory.
  Result<bool> tell_lens_of_variant() {
    Side& side = variant_side();
    auto launched = launch(side, Json(), true);
    if (!launched || !*launched) return launched;
    auto told = tell_lens(options_, device_, side.program, cache_.reader().manifest(), side.sink);
    if (!told) return told.error();
    return true;
  }

  void tell_result(Side& side, const char* verdict) {
    Json event = {{"event", ReplayEvent::result}, {"verdict", verdict}};
    if (side.wave_instructions) event["wave_instructions"] = *side.wave_instructions;
    if (side.program.lens) event["lens_bytes"] = side.program.lens->bytes();
    side.sink.emit(event);
  }

  const Options& options_;
  DeviceReplay& device_;
  EventSink& sink_;
  ContentCache cache_;
  Snapshot snapshot_;
  std::array<Side, 2> sides_;
  SessionEnd end_;
};

}  // namespace

Result<SessionEnd> replay_side_by_side(const Options& options, const archive::Reader& reader, DeviceReplay& device,
                                       EventSink& sink) {
  return SideBySide(options, reader, device, sink).run();
}

}  // namespace kernloop::replay
