// Chunks read ahead equal the requested chunks, in any order.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "verdict/content_cache.h"

namespace kernloop::replay {
namespace {

constexpr uint64_t kChunk = archive::kChunkBytes;
constexpr size_t kChunks = 24;
constexpr size_t kNoisy = 15;  // the pack keeps it uncompressed

class ReadAheadTest : public testing::Test {
 protected:
  // One region of many chunks, some of them zero, some of them the same.
  void SetUp() override {
    const auto directory = directory_.path() / "capture";
    auto writer = archive::CaptureWriter::create({directory, std::nullopt});
    ASSERT_TRUE(writer) << writer.error().message;
    archive::Manifest manifest = archive::sample_manifest(**writer, {});
    archive::Region region = manifest.regions[0];
    region.size = kChunks * kChunk - 100;
    region.pre = put(**writer, pre_, 500, region.size);
    region.post = put(**writer, post_, 1000, region.size);
    manifest.regions = {region};
    manifest.kernarg.slots.clear();
    manifest.module_variables.clear();
    manifest.code_objects[0].content.chunks.resize(1);
    const auto finished = (*writer)->finish(manifest, archive::Json::object());
    ASSERT_TRUE(finished) << finished.error().message;
    open();
  }

  void open() {
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    ASSERT_TRUE(reader) << reader.error().message;
    reader_ = std::move(*reader);
    pre_view_ = archive::pre_of(reader_->manifest().regions[0]);
    post_view_ = archive::post_of(reader_->manifest().regions[0]);
  }

  archive::Content put(archive::CaptureWriter& writer, std::vector<Buffer>& chunks, uint32_t seed, uint64_t size) {
    Buffer all;
    for (size_t i = 0; i < kChunks; ++i) {
      const uint64_t bytes = std::min(kChunk, size - i * kChunk);
      Buffer chunk(bytes, 0);
      if (i % 7 != 3) std::memcpy(chunk.data(), archive::noise(64, seed + (i % 5 == 1 ? 0 : i)).data(), 64);
      chunks.push_back(i == kNoisy ? archive::noise(bytes, seed) : std::move(chunk));
      all.insert(all.end(), chunks.back().begin(), chunks.back().end());
    }
    const auto content = writer.put(all);
    EXPECT_TRUE(content) << content.error().message;
    return *content;
  }

  void expect_chunk(ContentCache& cache, const archive::ContentView& view, size_t index,
                    const std::vector<Buffer>& chunks) {
    const auto chunk = cache.chunk(view, index);
    ASSERT_TRUE(chunk) << chunk.error().message;
    EXPECT_TRUE(std::equal(chunk->begin(), chunk->end(), chunks[index].begin(), chunks[index].end()))
        << view.what << " chunk " << index;
  }

  archive::TemporaryDirectory directory_;
  std::vector<Buffer> pre_, post_;
  std::unique_ptr<archive::Reader> reader_;
  archive::ContentView pre_view_, post_view_;
};

TEST_F(ReadAheadTest, GivesEveryChunkInOrderAndAgain) {
  for (const uint64_t budget : {uint64_t{0}, 5 * kChunk, uint64_t{1} << 30}) {
    ContentCache cache(*reader_, budget);
    for (int round = 0; round < 2; ++round) {
      for (size_t i = 0; i < kChunks; ++i) expect_chunk(cache, pre_view_, i, pre_);
    }
  }
}

TEST_F(ReadAheadTest, KeepsTwoContentsApartThatAreReadInTurn) {
  ContentCache cache(*reader_, 0);
  for (size_t i = 0; i < kChunks; ++i) {
    const auto pre = cache.chunk(pre_view_, i);
    const auto post = cache.chunk(post_view_, i);
    ASSERT_TRUE(pre && post);
    EXPECT_TRUE(std::equal(pre->begin(), pre->end(), pre_[i].begin(), pre_[i].end())) << "still valid, " << i;
    EXPECT_TRUE(std::equal(post->begin(), post->end(), post_[i].begin(), post_[i].end())) << i;
  }
}

TEST_F(ReadAheadTest, FollowsJumps) {
  std::mt19937 random(5);
  ContentCache cache(*reader_, 0);
  for (int i = 0; i < 60; ++i) {
    const bool pre = random() % 2 == 0;
    expect_chunk(cache, pre ? pre_view_ : post_view_, random() % kChunks, pre ? pre_ : post_);
  }
}

TEST_F(ReadAheadTest, ReportsDamageWhereItLies) {
  Digest damaged = *reader_->manifest().regions[0].pre.chunks[kNoisy];
  reader_.reset();
  const auto pack = directory_.path() / "capture" / archive::kPackFile;
  const auto text = archive::read_text(pack, 1 << 30);
  ASSERT_TRUE(text);
  const std::string wanted(pre_[kNoisy].begin() + 1000, pre_[kNoisy].begin() + 1064);
  const size_t at = text->find(wanted);
  ASSERT_NE(at, std::string::npos);
  std::fstream(pack, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<long>(at)).put('!');
  open();
  ContentCache cache(*reader_, 0);
  for (size_t i = 0; i < kNoisy; ++i) expect_chunk(cache, pre_view_, i, pre_);
  const auto broken = cache.chunk(pre_view_, kNoisy);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, "CHUNK_CORRUPT");
  EXPECT_NE(broken.error().message.find(damaged.hex().substr(0, 12)), std::string::npos) << broken.error().message;
  expect_chunk(cache, pre_view_, kNoisy + 1, pre_);
}

}  // namespace
}  // namespace kernloop::replay
