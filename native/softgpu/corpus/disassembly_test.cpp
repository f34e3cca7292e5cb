// Every instruction of the corpus: disassembled by us, assembled by LLVM, the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "softgpu/isa/testing/section_round_trip.h"

namespace kernloop::softgpu::testing {
namespace {

// One folder of objects a target and level.
class CorpusObjects : public ::testing::TestWithParam<const char*> {};
constexpr const char* kFolders[] = {KERNLOOP_CORPUS_FOLDERS};

INSTANTIATE_TEST_SUITE_P(Built, CorpusObjects, ::testing::ValuesIn(kFolders), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).filename();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(CorpusObjects, AssembleBackToTheSameBytes) {
  const std::filesystem::path folder(GetParam());
  const bool is_gfx1030 = folder.filename().string().starts_with("gfx1030");
  LlvmOracle oracle(is_gfx1030 ? kSubjectGfx1030 : kSubjectGfx90a);
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  size_t objects = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hsaco") continue;
    SCOPED_TRACE(entry.path());
    const auto sections = oracle.text_sections(read_file(entry.path()));
    ASSERT_EQ(sections.size(), 1u);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(oracle, sections[0], 200));
    ++objects;
  }
  EXPECT_GE(objects, 13u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
