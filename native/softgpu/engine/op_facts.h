// What the engine knows of an operation beside how it executes: one row each in op_facts.def. An operation without a
// row does not compile, so that none is taken for harmless because nobody thought of it.
#pragma once

#include "softgpu/engine/decoded_instruction.h"

namespace kernloop::softgpu {

// What an operation may do beside writing its destinations.
enum class OpEffect : uint8_t {
  kNone,
  kWritesExec,   // without naming it
  kEndsRun,      // changes the state of the wave or where it goes on, or looks at its place or its clock (code_run.h)
  kNotExecuted,  // in no form, so that nothing is known of it; treated as one that ends runs
};

struct OpFacts {
  InstructionClass counted_as = InstructionClass::kOther;
  OpEffect effect = OpEffect::kNotExecuted;
};

const OpFacts& facts_of(Op op);

}  // namespace kernloop::softgpu
