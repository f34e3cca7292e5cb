#include "base/sha256_pair.h"

#include <gtest/gtest.h>

#include <random>

namespace kernloop {
namespace {

Buffer noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Buffer bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// FIPS 180-4's own examples.
TEST(Sha256Pair, KnowsTheStandardsExamples) {
  const std::string abc = "abc", longer = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  const auto bytes = [](const std::string& text) {
    return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const auto [first, second] = sha256_pair(bytes(abc), bytes(longer));
  EXPECT_EQ(first.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(second.hex(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// Around each edge of the padding, and of different lengths, each in both places; OpenSSL is the oracle.
TEST(Sha256Pair, GivesWhatOpenSslGives) {
  const std::vector<size_t> sizes = {0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 4096, 100'003};
  for (size_t a : sizes) {
    for (size_t b : sizes) {
      const Buffer first = noise(a, 1), second = noise(b, 2);
      const auto pair = sha256_pair(first, second);
      EXPECT_EQ(pair[0], sha256(first)) << a << " beside " << b;
      EXPECT_EQ(pair[1], sha256(second)) << b << " beside " << a;
    }
  }
}

TEST(Sha256Pair, ReadsFromAnyAddress) {
  const Buffer bytes = noise(1000, 3);
  for (size_t begin = 0; begin < 17; ++begin) {
    const Bytes first = Bytes(bytes).subspan(begin, 500), second = Bytes(bytes).subspan(2 * begin + 1, 501);
    const auto pair = sha256_pair(first, second);
    EXPECT_EQ(pair[0], sha256(first));
    EXPECT_EQ(pair[1], sha256(second));
  }
}

}  // namespace
}  // namespace kernloop
