// softgpu_corpus --objects=DIR [GoogleTest's options]: runs the checks on the code objects in DIR. Each test records a
// digest of its downloads (--gtest_output=json:FILE), which allows builds to be compared.
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "softgpu/corpus/harness/device.h"

namespace {

class DigestRecorder : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { kernloop::softgpu::corpus::take_digest(); }
  void OnTestEnd(const testing::TestInfo&) override {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, kernloop::softgpu::corpus::take_digest());
    testing::Test::RecordProperty("digest", text);
  }
};

}  // namespace

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  constexpr char kObjects[] = "--objects=";
  if (count != 2 || std::strncmp(words[1], kObjects, sizeof kObjects - 1) != 0) {
    std::fprintf(stderr, "usage: %s --objects=DIR [GoogleTest's options]\n", words[0]);
    return 2;
  }
  kernloop::softgpu::corpus::set_object_directory(words[1] + sizeof kObjects - 1);
  testing::UnitTest::GetInstance()->listeners().Append(new DigestRecorder);
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return failed;
  std::fprintf(stderr, "no test is of that name\n");
  return 1;
}
