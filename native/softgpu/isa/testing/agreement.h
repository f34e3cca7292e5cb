// Whether the decoder and LLVM agree about instruction words.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "softgpu/isa/instruction.h"
#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

struct Agreement {
  size_t accepted = 0;
  size_t refused = 0;
  std::map<std::string, size_t> deliberate;
  std::set<Op> seen;
  // Whether an instruction that LLVM's disassembler reads and its assembler does not know needs a reason to be refused,
  // too.
  bool reading_counts = false;
  size_t unwritten = 0;  // accepted, though LLVM 15's assembler does not know it
};

// The claims, for each item:
//  - an instruction that we accept assembles to its own bytes (LLVM knows it, with this length); if LLVM 15's
//    assembler is known to lag behind its disassembler (literals that name lanes), the latter writes the same text;
//  - we accept every item that LLVM disassembles to text that assembles to the same bytes; with `reading_counts` also
//    items whose text its assembler refuses, unless for a known reason;
//  - cut short, an accepted instruction is truncated.
void expect_agreement(LlvmOracle& oracle, std::span<const Words> items, Agreement& agreement);

}  // namespace kernloop::softgpu::testing
