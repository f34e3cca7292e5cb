#include "archive/chunks/pack.h"

#include <gtest/gtest.h>

#include <fstream>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "base/little_endian.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

void put(PackWriter& pack, const Buffer& raw) {
  const EncodedChunk chunk = encode_chunk(raw);
  ASSERT_TRUE(pack.put(sha256(raw), chunk.raw_bytes, chunk.encoding, chunk.stored(raw)));
}

Buffer read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Pack, HasTheDocumentedLayout) {
  TemporaryDirectory directory;
  const fs::path path = directory.path() / kPackFile;
  const Buffer first = noise(1000, 1), second = noise(500, 2);
  auto pack = PackWriter::create(path);
  ASSERT_TRUE(pack);
  put(**pack, first);
  put(**pack, second);
  put(**pack, first);
  ASSERT_TRUE((*pack)->finish());

  // Read by hand from docs/archive-format.md.
  const Buffer file = read_file(path);
  const size_t index = 8 + 1000 + 500;
  ASSERT_EQ(file.size(), index + 2 * 56 + 56);
  EXPECT_EQ(std::string(file.begin(), file.begin() + 8), "KLPACK1\n");
  EXPECT_TRUE(std::equal(first.begin(), first.end(), file.begin() + 8));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), file.begin() + 1008));
  const bool first_is_lower = sha256(first) < sha256(second);
  const uint8_t* lower = file.data() + index;
  EXPECT_EQ(to_hex({lower, 32}), (first_is_lower ? sha256(first) : sha256(second)).hex());
  EXPECT_EQ(load_little_endian<uint64_t>(lower + 32), first_is_lower ? 8u : 1008u);
  EXPECT_EQ(load_little_endian<uint64_t>(lower + 40), first_is_lower ? 1000u : 500u);
  EXPECT_EQ(load_little_endian<uint32_t>(lower + 48), first_is_lower ? 1000u : 500u);
  EXPECT_EQ(load_little_endian<uint32_t>(lower + 52), 0u);
  const uint8_t* footer = file.data() + index + 2 * 56;
  EXPECT_EQ(load_little_endian<uint64_t>(footer), index);
  EXPECT_EQ(load_little_endian<uint64_t>(footer + 8), 2u);
  EXPECT_EQ(to_hex({footer + 16, 32}), sha256({file.data() + index, 112}).hex());
  EXPECT_EQ(std::string(footer + 48, footer + 56), "KLPKEND\n");
}

TEST(Pack, GivesBackWhatWasPut) {
  TemporaryDirectory directory;
  const fs::path path = directory.path() / kPackFile;
  auto pack = PackWriter::create(path);
  const Buffer raw = noise(1000, 1), compressible(100000, 5);
  put(**pack, raw);
  put(**pack, compressible);
  ASSERT_TRUE((*pack)->finish());
  auto reader = PackReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  for (const Buffer& chunk : {raw, compressible}) {
    Buffer read(chunk.size());
    ASSERT_TRUE(*(*reader)->get(sha256(chunk), read));
    EXPECT_EQ(read, chunk);
  }
  Buffer other(10);
  EXPECT_FALSE(*(*reader)->get(sha256(noise(10, 9)), other));
  EXPECT_FALSE((*reader)->get(sha256(raw), other)) << "a chunk of another size than the manifest says is damage";
}

TEST(Pack, LeavesNoFileBehindWhenItIsNotFinished) {
  TemporaryDirectory directory;
  {
    auto pack = PackWriter::create(directory.path() / kPackFile);
    put(**pack, noise(1000, 1));
  }
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Pack, MayBeEmpty) {
  TemporaryDirectory directory;
  auto pack = PackWriter::create(directory.path() / kPackFile);
  ASSERT_TRUE((*pack)->finish());
  auto reader = PackReader::open(directory.path() / kPackFile);
  ASSERT_TRUE(reader);
  EXPECT_TRUE((*reader)->entries().empty());
}

}  // namespace
}  // namespace kernloop::archive
