// Whole sections of code: disassembled by us, assembled by LLVM, the same bytes.
#pragma once

#include "softgpu/isa/testing/round_trip.h"

namespace kernloop::softgpu::testing {

std::vector<uint32_t> to_words(const Bytes& bytes);

// `at_least`: how many instructions the section must hold for the test to mean something.
void expect_round_trip(LlvmOracle& oracle, const Bytes& text, size_t at_least);

}  // namespace kernloop::softgpu::testing
