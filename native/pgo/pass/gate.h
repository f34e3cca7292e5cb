// -kernloop-pgo-gate: which block frequencies AMDGPU's register allocation sees. A profile counts lanes; a spill costs
// once for each wave that comes by, however few of its lanes do. Nothing in LLVM 22 lets spill placement have
// frequencies of its own, but it computes them from the probabilities of the branches right before it begins: so one
// pass sets those, and one behind the allocation puts them back, before anything else (stack slots, shrink wrapping,
// block placement) asks for them.
#pragma once

namespace kernloop::pgo_pass {

// For every code generation of this process, where -kernloop-pgo=use.
void register_gate();

}  // namespace kernloop::pgo_pass
