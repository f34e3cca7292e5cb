// The property behind every test of the decoder: LLVM assembles accepted instructions back into the same bytes.
#pragma once

#include <string>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

// Text for the assembler. A literal that has a shorter form came from a relocation; it is written as one (the distance
// between two labels plus the value), because a plain number would be encoded inline.
struct AssemblerText {
  std::string text;
  bool relocated = false;
};
AssemblerText assembler_text(const Instruction& instruction);

// Ends a source that has relocated literals.
inline constexpr const char* kRelocationLabels = "isa_test_here:\nisa_test_there:\n";

Bytes bytes_of(std::span<const uint32_t> words, size_t size);

// The bytes without the parts that LLVM's syntax cannot express: flags of buffer_wbl2, the sign extension of 16-bit
// literals, EXEC as the result of v_cmpx.
void keep_expressible(const Instruction& instruction, Bytes& bytes);

}  // namespace kernloop::softgpu::testing
