// Facts of the table of operations (operations.def) beyond the decoding of words.
#pragma once

#include <cstdint>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// Class under which the interpreter loop counts an instruction. Memory instructions count themselves
// (engine/access/memory_port.h).
enum class InstructionClass : uint8_t { kOther, kValu, kMfma, kSalu, kSmem, kBranch, kBarrier, kVectorMemory, kCount };

constexpr bool is_vector_alu(InstructionClass counted_as) {
  return counted_as == InstructionClass::kValu || counted_as == InstructionClass::kMfma;
}

// Effects of an operation besides writing its destinations.
enum class OpEffect : uint8_t {
  kEndsRun,     // changes the wave's state or next pc, or reads its place or its clock; the default
  kNone,        // "straight"
  kWritesExec,  // without naming it
};

// When a conditional branch is taken.
enum class BranchCondition : uint8_t { kNone, kScc0, kScc1, kVccz, kVccnz, kExecz, kExecnz };

// Memory instructions of the wave that it waits for, by the counter that it names.
enum class MemoryWait : uint8_t { kNone, kWaitcnt, kVmcnt, kVscnt, kLgkmcnt, kAll };

enum OpTrait : uint16_t {
  kAddsLanes = 1 << 0,    // to EXEC, as functions do that save registers of inactive lanes, too
  kNearestOnly = 1 << 1,  // rounds to nearest as far as is known: the effect of other modes is undocumented
  kOneScalar = 1 << 2,    // reads at most one scalar register, although others of its target read two
  kLowHalf = 1 << 3,      // a load of 16 bits, which leaves the other half alone without SRAM ECC
  kHighHalf = 1 << 4,
  kIndexable = 1 << 5,    // compilers use it with VGPR indexing
  kAccumulates = 1 << 6,  // the equivalent names its destination as the last source
  kReadsScc = 1 << 7,
  kKeepsScc = 1 << 8,     // others that are counted as scalar write it
  kReadsResult = 1 << 9,  // uses the old value of its destination, or keeps a part of it
  kSavesExec = 1 << 10,   // to its destination
  kPassesTime = 1 << 11,  // changes nothing else that this wave or another one sees
};

struct OpFacts {
  InstructionClass counted_as = InstructionClass::kOther;
  OpEffect effect = OpEffect::kEndsRun;
  BranchCondition branch = BranchCondition::kNone;
  MemoryWait waits_for = MemoryWait::kNone;
  uint16_t traits = 0;
  Op equivalent = Op::kInvalid;   // the same operation under another target's name, with operands in its order
  const char* refused = nullptr;  // reason why it is not executed, if it is not

  constexpr bool has(OpTrait trait) const { return (traits & trait) != 0; }
};

const OpFacts& facts_of(Op op);

}  // namespace kernloop::softgpu
