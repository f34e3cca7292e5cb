#include "archive/chunks/chunk.h"

#include <gtest/gtest.h>

#include "archive/test/sample_capture.h"

namespace kernloop::archive {
namespace {

TEST(Digest, IsSha256) {
  // FIPS 180-4 example.
  EXPECT_EQ(sha256(bytes_of("abc")).hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.update(bytes_of("a"));
  pieces.update(bytes_of("bc"));
  EXPECT_EQ(pieces.finish(), sha256(bytes_of("abc")));
  EXPECT_FALSE(Digest::parse("ba78"));
  EXPECT_FALSE(Digest::parse(std::string(64, 'g')));
}

TEST(Bytes, ReadsHexNumbersStrictly) {
  EXPECT_EQ(from_hex_number("0x400000001000"), 0x400000001000u);
  EXPECT_EQ(from_hex_number("0xffffffffffffffff"), UINT64_MAX);
  for (const char* bad : {"", "0x", "12", "0x10000000000000000", "0x1g", "-0x1", " 0x1"})
    EXPECT_FALSE(from_hex_number(bad)) << bad;
  EXPECT_EQ(to_hex_number(0), "0x0");
}

TEST(Bytes, FindsASingleNonZeroByteAnywhere) {
  Buffer bytes(4099, 0);
  EXPECT_TRUE(is_all_zero(bytes));
  EXPECT_TRUE(is_all_zero({}));
  for (size_t i : {size_t{0}, size_t{1}, size_t{2048}, bytes.size() - 1}) {
    bytes[i] = 1;
    EXPECT_FALSE(is_all_zero(bytes)) << i;
    bytes[i] = 0;
  }
}

TEST(Chunk, IsCompressedOnlyWhereThatPays) {
  EXPECT_EQ(encode_chunk(noise(kChunkBytes, 1)).encoding, Encoding::kRaw);
  const Buffer same(kChunkBytes, 42);
  const EncodedChunk chunk = encode_chunk(same);
  EXPECT_EQ(chunk.encoding, Encoding::kZstd);
  EXPECT_LT(chunk.compressed.size(), 4096u);
}

TEST(Chunk, DecodesToExactlyItsSize) {
  const Buffer raw(70000, 42);
  const EncodedChunk chunk = encode_chunk(raw);
  Buffer decoded(raw.size());
  ASSERT_TRUE(decode_chunk(chunk.encoding, chunk.stored(raw), decoded));
  EXPECT_EQ(decoded, raw);
  Buffer shorter(raw.size() - 1), longer(raw.size() + 1);
  EXPECT_FALSE(decode_chunk(chunk.encoding, chunk.stored(raw), shorter)) << "a compressed bomb must not overflow";
  EXPECT_FALSE(decode_chunk(chunk.encoding, chunk.stored(raw), longer));
  EXPECT_FALSE(decode_chunk(Encoding::kRaw, Bytes(raw).first(10), shorter));
  EXPECT_FALSE(decode_chunk(static_cast<Encoding>(2), raw, decoded));
}

}  // namespace
}  // namespace kernloop::archive
