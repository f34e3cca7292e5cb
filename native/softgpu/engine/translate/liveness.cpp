#include "softgpu/engine/translate/liveness.h"

#include <vector>

namespace kernloop::softgpu {

namespace {

using Exec = RegisterUse::Exec;
using Way = RegisterUse::Way;

// Instructions looked at for one answer; those of a page are 1024 at most, and few are looked at more than twice.
constexpr unsigned kMostPlaces = 4096;

// Registers on a path, by what they hold: `open` ones the value of the beginning, in any lane; `hidden` ones not in
// lanes that are active now. Others do not hold it any more.
struct RegisterPath {
  VectorRegisterSet open, hidden;
  bool covers;  // all lanes that count are active

  void write(const VectorRegisterSet& registers) {
    if (!covers) hidden |= open & registers;
    open &= ~registers;
  }
  void change(Exec exec) {
    if (exec == Exec::kKept) return;
    if (exec != Exec::kShrinks) {
      open |= hidden;
      hidden.reset();
    }
    if (exec != Exec::kGrows) covers = false;
  }
  // False if nothing is new.
  bool join(const RegisterPath& other) {
    const RegisterPath before = *this;
    open |= other.open;
    hidden = (hidden | other.hidden) & ~open;
    covers &= other.covers;
    return open != before.open || hidden != before.hidden || covers != before.covers;
  }
};

}  // namespace

const Liveness::Known& Liveness::look_at(uint64_t address) {
  const auto [at, is_new] = known_.try_emplace(address);
  Known& known = at->second;
  if (!is_new) return known;
  known.instruction = find_(address);
  if (known.instruction) known.use = register_use_of(*known.instruction);
  return known;
}

VectorRegisterSet Liveness::from(uint64_t address, bool covers) {
  VectorRegisterSet live;
  std::unordered_map<uint64_t, RegisterPath> states;  // before the instruction at an address
  std::vector<uint64_t> work;
  const auto reach = [&](uint64_t next, const RegisterPath& state) {
    const auto [at, is_new] = states.try_emplace(next, state);
    if (is_new || at->second.join(state)) work.push_back(next);
  };
  reach(address, RegisterPath{VectorRegisterSet().set(), {}, covers});
  for (unsigned steps = 0; !work.empty(); ++steps) {
    const uint64_t here = work.back();
    work.pop_back();
    const Known& known = look_at(here);
    RegisterPath state = states.at(here);
    if (known.use.way == Way::kUnknown || steps == kMostPlaces) {
      live |= state.open | state.hidden;
      if (live.all() || steps == kMostPlaces) return VectorRegisterSet().set();
      continue;
    }
    const RegisterUse& use = known.use;
    live |= use.reads & (use.crosses_lanes ? state.open | state.hidden : state.open);
    state.write(use.writes);
    state.change(use.exec);
    const DecodedInstruction& i = *known.instruction;
    if (use.way == Way::kOn || use.way == Way::kBranches) reach(here + i.size_bytes, state);
    if (use.way == Way::kJumps || use.way == Way::kBranches)
      reach(here + 4 + static_cast<uint64_t>(int64_t{i.simm16} * 4), state);
  }
  return live;
}

}  // namespace kernloop::softgpu
