// Real device code: disassembled by us, assembled by LLVM, the same bytes.
#include <gtest/gtest.h>

#include "softgpu/isa/testing/llvm_oracle.h"
#include "softgpu/isa/testing/section_round_trip.h"

namespace kernloop::softgpu::testing {
namespace {

class Corpus : public ::testing::TestWithParam<Subject> {};

std::string mcpu_of(const ::testing::TestParamInfo<Subject>& info) {
  return info.param.mcpu;
}
INSTANTIATE_TEST_SUITE_P(Targets, Corpus, ::testing::Values(kSubjectGfx90a, kSubjectGfx1030), mcpu_of);

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
