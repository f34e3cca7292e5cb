// -kernloop-pgo-gate: which block frequencies AMDGPU's register allocation sees. A profile counts lanes; a spill costs
// once for each wave that comes by, however few of its lanes do. LLVM 22 has no separate frequencies for spill
// placement, but computes them from the branch probabilities right before it begins: one pass sets those, and one after
// the allocation restores them, before anything else (stack slots, shrink wrapping, block placement) asks for them.
#pragma once

namespace kernloop::pgo_pass {

// For every code generation of this process with -kernloop-pgo=use.
void register_gate();

}  // namespace kernloop::pgo_pass
