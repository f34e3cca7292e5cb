// Oracle: the host's printf, line by line; lines of different lanes come in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "softgpu/corpus/harness/device.h"

namespace kernloop::softgpu::corpus {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(print, print_formats) {
  std::vector<int> in;
  for (int i = 0; i < 150; ++i) in.push_back(i % 7 == 3 ? i * 31 : -1);
  const DeviceArray<int> din(in);
  testing::internal::CaptureStdout();
  launch("print", "print_formats", cover(200, 64), din.get(), static_cast<unsigned>(in.size()));
  const auto got = lines_of(testing::internal::GetCapturedStdout());
  std::vector<std::string> expected;
  for (int i = 0; i < 150; ++i) {
    if (in[i] < 0) continue;
    char line[200];
    std::snprintf(line, sizeof line, "lane %u: int %d hex %08x long %lld double %.3f char %c string %s %%", i, in[i],
                  in[i], 1000000000000ll * in[i], in[i] * 0.25, 'a' + in[i] % 26, in[i] % 2 ? "odd" : "even");
    expected.emplace_back(line);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
}

TEST(print, print_loop) {
  constexpr unsigned kThreads = 70;
  const DeviceArray<int> returned(std::vector<int>(kThreads, 0));
  testing::internal::CaptureStdout();
  launch("print", "print_loop", Shape{dim3(1), dim3(kThreads)}, returned.get());
  const auto got = lines_of(testing::internal::GetCapturedStdout());
  std::vector<std::string> expected;
  const auto counts = returned.download();
  for (unsigned i = 0; i < kThreads; ++i) {
    for (unsigned k = 0; k < i % 3; ++k)
      expected.push_back("loop " + std::to_string(k) + " of thread " + std::to_string(i));
    EXPECT_EQ(counts[i] > 0, i % 3 > 0);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
