#include "replay/core/launch/own_state.h"

#include <algorithm>

#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// A variant may keep state from launch to launch in memory of its own, which each process begins anew: a later launch
// in a process may then give another result than the first. Memory that a lens reads may be such state, too.
//
// Further launches follow the last one, each of which begins with the state that the one before left, until one leaves
// a state that another one began with: from there on states repeat.
class KeptState final : public Step {
 public:
  explicit KeptState(Run& run) : run_(run) {}

  Result<bool> launch_again(Judgement& judgement) override {
    if (own().is_empty() && !has_lens_variables()) return true;
    std::vector<Buffer> loaded;
    for (const OwnState::Piece& piece : own().pieces) loaded.push_back(piece.loaded);
    std::vector<std::vector<Digest>> begun = {own().digests_of(loaded)};
    auto state = read_state();
    if (!state) return state.error();
    const uint64_t changed = changed_bytes(own(), state->own);
    for (uint64_t launches = 1;; ++launches) {
      const std::vector<Digest> left = own().digests_of(state->own);
      const bool is_known = std::find(begun.begin(), begun.end(), left) != begun.end();
      if ((is_known && launches >= fewest_launches()) || launches == kMostLaunches) {
        if (Json facts = state_facts(own(), changed, launches); !facts.is_null()) judgement.facts["state"] = facts;
        if (!is_known)
          judgement.total.undecided =
              "it keeps state (" + state_name() + "): after " + std::to_string(launches) +
              " launches in a row what it leaves there is still new, and nobody knows what a later launch "
              "makes of it";
        return true;
      }
      begun.push_back(left);
      auto completed = launch_from(*state, judgement.total);
      if (!completed || !*completed) return completed;
      if (judgement.total.differing_bytes > 0) {
        const std::string right = launches == 1 ? "launch gives" : std::to_string(launches) + " launches give";
        judgement.facts["reason"] =
            "only the first " + right + " what the app computed: the next one finds what was left in " + state_name();
        return true;
      }
      state = read_state();
      if (!state) return state.error();
    }
  }

 private:
  static constexpr uint64_t kMostLaunches = 8;

  struct State {
    std::vector<Buffer> own, lens;
  };

  const OwnState& own() const { return run_.program.own_state; }
  bool has_lens_variables() const { return run_.program.lens && !run_.program.lens->variables.empty(); }

  uint64_t fewest_launches() const {
    if (!own().out_of_reach.empty()) return kMostLaunches;
    // A lens's counters only count on: one more launch is enough.
    return has_lens_variables() ? 2 : 1;
  }

  Result<State> read_state() const {
    auto own_part = read_own_state(own(), run_.device);
    if (!own_part) return own_part.error();
    auto lens_part = read_variables(run_.program.lens.value_or(LensState{}), run_.device);
    if (!lens_part) return lens_part.error();
    return State{std::move(*own_part), std::move(*lens_part)};
  }

  Status write_state(const State& state) const {
    if (auto written = write_own_state(own(), state.own, run_.device); !written) return written;
    return write_variables(run_.program.lens.value_or(LensState{}), state.lens, run_.device);
  }

  // False: the launch did not end by itself.
  Result<bool> launch_from(const State& state, Comparison& total) const {
    if (auto restored = run_.restore(Fill::kCaptured); !restored) return restored.error();
    if (auto written = write_state(state); !written) return written.error();
    return run_.launch_and_compare(total);
  }

  std::string state_name() const {
    if (!own().names.empty()) return own().names.front() + ", which the captured code does not have";
    if (!own().out_of_reach.empty()) return own().out_of_reach.front();
    return "memory of its own that no symbol names";
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> own_state_step(Run& run) {
  return std::make_unique<KeptState>(run);
}

}  // namespace kernloop::replay
