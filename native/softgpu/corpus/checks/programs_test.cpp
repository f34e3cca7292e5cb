// Oracle: the textbook algorithm on the host; published test vectors if there are any.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

TEST(programs, matmul) {
  constexpr unsigned kSize = 50;
  const auto a = random_reals<float>(kSize * kSize, -1, 1, 1), b = random_reals<float>(kSize * kSize, -1, 1, 2);
  const DeviceArray<float> da(a), db(b), c(a.size());
  launch("programs", "matmul", Shape{dim3(4, 4), dim3(16, 16)}, da.get(), db.get(), c.get(), kSize);
  const auto got = c.download();
  for (unsigned i = 0; i < kSize; ++i) {
    for (unsigned j = 0; j < kSize; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < kSize; ++k) sum = std::fma(a[i * kSize + k], b[k * kSize + j], sum);
      ASSERT_EQ(got[i * kSize + j], sum);
    }
  }
}

// FIPS 180-4's "abc", and digests that sha256sum gave.
TEST(programs, sha256) {
  const std::string messages = "abcxyz123   ";
  const uint32_t expected[4][8] = {
      {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad},
      {0x3608bca1, 0xe44ea6c4, 0xd268eb6d, 0xb0226026, 0x9892c0b4, 0x2b86bbf1, 0xe77a6fa1, 0x6c3c9282},
      {0xa665a459, 0x20422f9d, 0x417e4867, 0xefdc4fb8, 0xa04a1f3f, 0xff1fa07e, 0x998e86f7, 0xf7a27ae3},
      {0x0aad7da7, 0x7d2ed59c, 0x396c99a7, 0x4e49f3a4, 0x524dcdbc, 0xb5163251, 0xb1433d64, 0x0247aeb4}};
  const DeviceArray<char> dmessages(std::vector<char>(messages.begin(), messages.end()));
  const DeviceArray<uint32_t> digests(32);
  launch("programs", "sha256", cover(4, 64), dmessages.get(), 3u, digests.get(), 4u);
  const auto got = digests.download();
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(got[i], expected[i / 8][i % 8]) << i;
}

TEST(programs, fft) {
  constexpr unsigned kPoints = 256, kBlocks = 2;
  const auto in = random_reals<float>(2 * kPoints * kBlocks, -1, 1, 3);
  const DeviceArray<float> data(in);
  launch("programs", "fft", Shape{dim3(kBlocks), dim3(128)}, data.get());
  const auto got = data.download();
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (unsigned k = 0; k < kPoints; ++k) {
      std::complex<double> sum = 0;
      for (unsigned i = 0; i < kPoints; ++i) {
        const std::complex<double> x(in[2 * (block * kPoints + i)], in[2 * (block * kPoints + i) + 1]);
        sum += x * std::polar(1.0, -2 * std::acos(-1.0) * (i * k % kPoints) / kPoints);
      }
      ASSERT_NEAR(got[2 * (block * kPoints + k)], sum.real(), 2e-5);
      ASSERT_NEAR(got[2 * (block * kPoints + k) + 1], sum.imag(), 2e-5);
    }
  }
}

TEST(programs, mandelbrot) {
  constexpr unsigned kWidth = 45, kHeight = 30;
  const DeviceArray<uint8_t> out(kWidth * kHeight);
  launch("programs", "mandelbrot", Shape{dim3(3, 4), dim3(16, 8)}, out.get(), kWidth, kHeight);
  const auto got = out.download();
  for (unsigned py = 0; py < kHeight; ++py) {
    for (unsigned px = 0; px < kWidth; ++px) {
      const double cx = -2 + 2.5 * px / kWidth, cy = -1.25 + 2.5 * py / kHeight;
      double x = 0, y = 0;
      unsigned steps = 0;
      for (; steps < 200 && x * x + y * y <= 4; ++steps) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
      }
      ASSERT_EQ(got[py * kWidth + px], steps);
    }
  }
}

TEST(programs, spmv) {
  constexpr unsigned kRows = 40;
  std::vector<uint32_t> starts{0}, columns;
  std::vector<double> values, x, expected(kRows, 0);
  for (unsigned k = 0; k < kRows; ++k) x.push_back(k * 0.5 - 7);
  const auto words = random_words(10000, 4);
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned k = 0; k < row * 11 % 180; ++k) {
      columns.push_back(words[columns.size()] % kRows);
      values.push_back(static_cast<int>(words[values.size() + 5000] % 33) - 16);
      expected[row] += values.back() * x[columns.back()];  // exact: halves
    }
    starts.push_back(static_cast<uint32_t>(columns.size()));
  }
  const DeviceArray<uint32_t> dstarts(starts), dcolumns(columns);
  const DeviceArray<double> dvalues(values), dx(x), y(kRows);
  launch("programs", "spmv", cover(kRows * wave_size(), 128), dstarts.get(), dcolumns.get(), dvalues.get(), dx.get(),
         y.get(), kRows);
  EXPECT_EQ(y.download(), expected);
}

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<int>(i + j);
      } else {
        table[i][j] =
            std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      }
    }
  }
  return table[a.size()][b.size()];
}

TEST(programs, edit_distance) {
  constexpr unsigned kCount = 100;
  const std::string other = "the quick brown fox jumps";
  std::vector<std::string> words;
  std::vector<char> text(32 * kCount, '?');
  std::vector<int> lengths;
  for (unsigned i = 0; i < kCount; ++i) {
    std::string word = other.substr(i % 9, i * 5 % 17) + std::string(i % 4, 'q') + other.substr(0, i % 8);
    std::copy(word.begin(), word.end(), text.begin() + 32 * i);
    lengths.push_back(static_cast<int>(word.size()));
    words.push_back(std::move(word));
  }
  const DeviceArray<char> dtext(text), dother(std::vector<char>(other.begin(), other.end()));
  const DeviceArray<int> dlengths(lengths), distances(kCount);
  launch("programs", "edit_distance", cover(kCount, 64), dtext.get(), dlengths.get(), dother.get(),
         static_cast<int>(other.size()), distances.get(), kCount);
  const auto got = distances.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], edit_distance(words[i], other)) << words[i];
}

TEST(programs, softmax) {
  constexpr unsigned kRows = 5, kColumns = 300;
  const auto in = random_reals<float>(kRows * kColumns, -20, 20, 5);
  const DeviceArray<float> din(in), out(in.size());
  launch("programs", "softmax", Shape{dim3(kRows), dim3(128)}, din.get(), out.get(), kColumns);
  const auto got = out.download();
  for (unsigned row = 0; row < kRows; ++row) {
    const float* x = &in[row * kColumns];
    const double largest = *std::max_element(x, x + kColumns);
    double sum = 0;
    for (unsigned k = 0; k < kColumns; ++k) sum += std::exp(x[k] - largest);
    for (unsigned k = 0; k < kColumns; ++k) {
      const double expected = std::exp(x[k] - largest) / sum;
      ASSERT_NEAR(got[row * kColumns + k] / expected, 1, 4e-6);  // exp is within 3 ulp, of arguments rounded to 2^-20
    }
  }
}

TEST(programs, life) {
  constexpr unsigned kWords = 3, kRows = 20, kColumns = 32 * kWords;
  const auto in = random_words(kWords * kRows, 6);
  const DeviceArray<uint32_t> din(in), out(in.size());
  launch("programs", "life", Shape{dim3(1, 3), dim3(4, 8)}, din.get(), out.get(), kWords, kRows);
  const auto got = out.download();
  const auto alive = [](const std::vector<uint32_t>& cells, unsigned x, unsigned y) {
    x %= kColumns, y %= kRows;
    return cells[y * kWords + x / 32] >> (x % 32) & 1;
  };
  for (unsigned y = 0; y < kRows; ++y) {
    for (unsigned x = 0; x < kColumns; ++x) {
      unsigned neighbours = 0;
      for (unsigned dy = kRows - 1; dy <= kRows + 1; ++dy)
        for (unsigned dx = kColumns - 1; dx <= kColumns + 1; ++dx)
          if (dx != kColumns || dy != kRows) neighbours += alive(in, x + dx, y + dy);
      ASSERT_EQ(alive(got, x, y), neighbours == 3 || (neighbours == 2 && alive(in, x, y))) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
