// Real device code: disassembled by us, assembled by LLVM, the same bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "softgpu/isa/testing/llvm_oracle.h"
#include "softgpu/isa/testing/round_trip.h"

namespace kernloop::softgpu::testing {
namespace {

std::vector<uint32_t> to_words(const Bytes& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

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

void expect_round_trip(LlvmOracle& oracle, const Bytes& text, size_t at_least) {
  const Disassembly disassembly = disassemble_section(oracle.subject().target, text);
  EXPECT_GE(disassembly.instructions, at_least);
  const Bytes assembled = oracle.assemble_section(disassembly.source);
  ASSERT_EQ(assembled.size(), disassembly.expected.size());
  for (size_t i = 0; i < assembled.size(); ++i) {
    ASSERT_EQ(assembled[i], disassembly.expected[i]) << "at byte " << i;
  }
}

class Corpus : public ::testing::TestWithParam<Subject> {};

std::string subject_name(const ::testing::TestParamInfo<Subject>& info) {
  return info.param.mcpu;
}
INSTANTIATE_TEST_SUITE_P(Targets, Corpus, ::testing::Values(kSubjectGfx90a, kSubjectGfx1030), subject_name);

TEST_P(Corpus, OptimisedKernelsAssembleBackToTheSameBytes) {
  LlvmOracle oracle(GetParam());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  const auto sections = oracle.text_sections(oracle.compile_hip(KERNLOOP_ISA_TESTDATA "/kernels.hip", "-O3"));
  ASSERT_EQ(sections.size(), 1u);
  expect_round_trip(oracle, sections[0], 1500);
}

TEST_P(Corpus, UnoptimisedKernelsAssembleBackToTheSameBytes) {
  LlvmOracle oracle(GetParam());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  const auto sections = oracle.text_sections(oracle.compile_hip(KERNLOOP_ISA_TESTDATA "/kernels.hip", "-O0"));
  ASSERT_EQ(sections.size(), 1u);
  expect_round_trip(oracle, sections[0], 10000);
}

TEST_P(Corpus, RocRandAsDebianShipsItAssemblesBackToTheSameBytes) {
  LlvmOracle oracle(GetParam());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  const Bytes library = read_file(KERNLOOP_ROCRAND);
  ASSERT_FALSE(library.empty()) << KERNLOOP_ROCRAND << ": install librocrand-dev and configure the build again";
  const auto sections = oracle.text_sections(library);
  ASSERT_FALSE(sections.empty());
  for (const Bytes& section : sections) expect_round_trip(oracle, section, 40000);
}

TEST_P(Corpus, AnInstructionCutAtAnyDwordIsTruncated) {
  LlvmOracle oracle(GetParam());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  const auto sections = oracle.text_sections(oracle.compile_hip(KERNLOOP_ISA_TESTDATA "/kernels.hip", "-O3"));
  ASSERT_EQ(sections.size(), 1u);
  const std::vector<uint32_t> words = to_words(sections[0]);
  size_t longer = 0;
  for (size_t i = 0; i < words.size();) {
    const auto rest = std::span<const uint32_t>(words).subspan(i);
    const DecodeResult whole = decode(GetParam().target, rest);
    if (whole.status != DecodeStatus::kOk) {
      ++i;
      continue;
    }
    const size_t size = whole.instruction.size_bytes / 4;
    EXPECT_EQ(decode(GetParam().target, rest.first(size)).status, DecodeStatus::kOk);
    for (size_t cut = 0; cut < size; ++cut) {
      EXPECT_EQ(decode(GetParam().target, rest.first(cut)).status, DecodeStatus::kTruncated)
          << disassemble(whole.instruction) << " cut to " << cut << " dwords";
    }
    longer += size > 1;
    i += size;
  }
  EXPECT_GT(longer, 500u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
