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
};

// The claims, for each item:
//  - what we accept assembles to the bytes it came from (so LLVM knows it, with this length);
//  - what LLVM disassembles to text that assembles to the same bytes, we accept;
//  - cut short, an accepted instruction is truncated.
void expect_agreement(LlvmOracle& oracle, std::span<const Words> items, Agreement& agreement);

}  // namespace kernloop::softgpu::testing
