#include "softgpu/isa/testing/section_round_trip.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kernloop::softgpu::testing {

std::vector<uint32_t> to_words(const Bytes& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

namespace {

// Disassembles a .text section into a source that assembles to the same section. Words that are no instruction are
// padding between functions, and must be zero.
struct Disassembly {
  std::string source;
  Bytes expected;
  size_t instructions = 0;
};

Disassembly disassemble_section(Target target, const Bytes& text) {
  const std::vector<uint32_t> words = to_words(text);
  Disassembly result;
  for (size_t i = 0; i < words.size();) {
    const auto rest = std::span<const uint32_t>(words).subspan(i);
    const DecodeResult decoded = decode(target, rest);
    if (decoded.status != DecodeStatus::kOk) {
      EXPECT_EQ(words[i], 0u) << "unknown instruction at byte " << 4 * i;
      result.source += ".long " + std::to_string(words[i]) + "\n";
      for (int byte = 0; byte < 4; ++byte) result.expected.push_back(static_cast<uint8_t>(words[i] >> (8 * byte)));
      ++i;
      continue;
    }
    Bytes bytes = bytes_of(rest.first(decoded.instruction.size_bytes / 4), decoded.instruction.size_bytes);
    keep_expressible(decoded.instruction, bytes);
    result.expected.insert(result.expected.end(), bytes.begin(), bytes.end());
    result.source += assembler_text(decoded.instruction).text + "\n";
    ++result.instructions;
    i += decoded.instruction.size_bytes / 4;
  }
  result.source += kRelocationLabels;
  return result;
}

}  // namespace

void expect_round_trip(LlvmOracle& oracle, const Bytes& text, size_t at_least) {
  const Disassembly disassembly = disassemble_section(oracle.subject().target, text);
  EXPECT_GE(disassembly.instructions, at_least);
  const Bytes assembled = oracle.assemble_section(disassembly.source);
  ASSERT_EQ(assembled.size(), disassembly.expected.size());
  for (size_t i = 0; i < assembled.size(); ++i) {
    ASSERT_EQ(assembled[i], disassembly.expected[i]) << "at byte " << i;
  }
}

}  // namespace kernloop::softgpu::testing
