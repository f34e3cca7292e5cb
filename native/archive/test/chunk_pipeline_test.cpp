// Many chunks at a time: their names, their order, the memory held, and errors of the disk.
#include "archive/chunks/chunk_pipeline.h"

#include <gtest/gtest.h>

#include <map>

#include "archive/test/sample_capture.h"

namespace kernloop::archive {
namespace {

class Collector : public ChunkDestination {
 public:
  std::vector<Digest> placed;
  std::map<Digest, int> written;
  std::optional<size_t> fail_at;  // the n-th write

  void place(StoredChunk& chunk) override {
    std::lock_guard lock(mutex_);
    chunk.place = placed.size();
    placed.push_back(chunk.digest);
  }
  Status write(const StoredChunk& chunk) override {
    std::unique_lock lock(mutex_);
    gate_.wait(lock, [this] { return open_; });
    EXPECT_EQ(placed.at(chunk.place), chunk.digest);
    if (fail_at && writes_++ >= *fail_at) return Error{"DISK_FULL", "no space", "free some"};
    Buffer raw(chunk.raw_bytes);
    EXPECT_TRUE(decode_chunk(chunk.encoding, chunk.stored, raw));
    EXPECT_EQ(sha256(raw), chunk.digest);
    ++written[chunk.digest];
    return Unit{};
  }
  void close() { set(false); }
  void open() { set(true); }

 private:
  void set(bool open) {
    {
      std::lock_guard lock(mutex_);
      open_ = open;
    }
    gate_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable gate_;
  bool open_ = true;
  size_t writes_ = 0;
};

ChunkBuffer chunk_of(const Buffer& bytes) {
  ChunkBuffer chunk(bytes.size());
  EXPECT_EQ(chunk.append(bytes), bytes.size());
  return chunk;
}

// Noise, zeros, slowly and well compressible data, and repetitions of each.
std::vector<Buffer> mixed() {
  std::vector<Buffer> chunks;
  for (uint32_t i = 0; i < 40; ++i) {
    switch (i % 4) {
      case 0:
        chunks.push_back(noise(20000, i % 12));
        break;
      case 1:
        chunks.push_back(Buffer(50000, 0));
        break;
      case 2:
        chunks.push_back(Buffer(1 << 20, static_cast<uint8_t>(1 + i % 3)));
        break;
      default:
        chunks.push_back(noise(5000 + i, i));
    }
  }
  return chunks;
}

TEST(ChunkPipeline, NamesEveryChunkAndStoresEachOnce) {
  Collector collector;
  ChunkPipeline pipeline({8, 1 << 30}, collector);
  const auto chunks = mixed();
  std::vector<ChunkPipeline::Ticket> tickets;
  uint64_t bytes = 0;
  for (const Buffer& chunk : chunks) {
    tickets.push_back(*pipeline.put(chunk_of(chunk)));
    bytes += chunk.size();
  }
  ASSERT_TRUE(pipeline.settle());
  std::map<Digest, int> expected;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const ChunkName name = is_all_zero(chunks[i]) ? ChunkName() : ChunkName(sha256(chunks[i]));
    EXPECT_EQ(pipeline.name(tickets[i]), name) << i;
    if (name) expected[*name] = 1;
  }
  EXPECT_EQ(collector.written, expected);
  EXPECT_EQ(pipeline.bytes_raw(), bytes);
}

// The same chunks, one after the other and on eight threads: in the order in which each first came.
TEST(ChunkPipeline, TheOrderDoesNotDependOnTheThreads) {
  std::vector<Digest> expected;
  for (const Buffer& chunk : mixed()) {
    const Digest digest = sha256(chunk);
    if (!is_all_zero(chunk) && std::find(expected.begin(), expected.end(), digest) == expected.end())
      expected.push_back(digest);
  }
  for (uint32_t threads : {1, 2, 8, 8, 8, 8, 8, 8, 8, 8}) {
    Collector collector;
    ChunkPipeline pipeline({threads, 1 << 30}, collector);
    for (const Buffer& chunk : mixed()) ASSERT_TRUE(pipeline.put(chunk_of(chunk)));
    ASSERT_TRUE(pipeline.settle());
    EXPECT_EQ(collector.placed, expected);
  }
}

TEST(ChunkPipeline, HoldsNoMoreThanItMay) {
  constexpr uint64_t kLimit = 1 << 20;
  constexpr uint32_t kChunks = 200;
  for (const uint64_t limit : {kLimit, uint64_t{1} << 30}) {
    Collector collector;
    collector.close();
    ChunkPipeline pipeline({4, limit}, collector);
    std::thread producer([&] {
      for (uint32_t seed = 0; seed < kChunks; ++seed) EXPECT_TRUE(pipeline.put(chunk_of(noise(64 << 10, seed))));
    });
    if (limit != kLimit) producer.join();  // all of it fits: nothing waits for the disk
    collector.open();
    if (limit == kLimit) producer.join();
    ASSERT_TRUE(pipeline.settle());
    if (limit == kLimit) {
      EXPECT_LE(pipeline.peak_in_flight_bytes(), kLimit);
    } else {
      EXPECT_EQ(pipeline.peak_in_flight_bytes(), kChunks * (64u << 10)) << "the count counts";
    }
    EXPECT_EQ(collector.written.size(), kChunks);
  }
}

TEST(ChunkPipeline, AChunkLargerThanTheLimitGoesAlone) {
  Collector collector;
  ChunkPipeline pipeline({2, 4096}, collector);
  for (uint32_t seed = 0; seed < 5; ++seed) ASSERT_TRUE(pipeline.put(chunk_of(noise(100000, seed))));
  ASSERT_TRUE(pipeline.settle());
  EXPECT_EQ(collector.written.size(), 5u);
  EXPECT_LE(pipeline.peak_in_flight_bytes(), 102400u);
}

TEST(ChunkPipeline, SmallChunksDoNotKeepTheMemoryOfLargeOnes) {
  Collector collector;
  collector.close();
  ChunkPipeline pipeline({2, 1 << 20}, collector);
  for (uint32_t seed = 0; seed < 100; ++seed) {
    ChunkBuffer chunk = pipeline.buffer();
    chunk.append(noise(100, seed));
    ASSERT_TRUE(pipeline.put(std::move(chunk)));
  }
  collector.open();
  ASSERT_TRUE(pipeline.settle());
  EXPECT_LE(pipeline.peak_in_flight_bytes(), 100u * kDirectAlignment);
}

TEST(ChunkPipeline, AFailedWriteReachesWhoeverPutsOrSettles) {
  Collector collector;
  collector.fail_at = 3;
  ChunkPipeline pipeline({4, 256 << 10}, collector);
  // More than may be in flight: this ends only because the failure releases the waiting caller.
  std::optional<Error> failure;
  for (uint32_t seed = 0; seed < 100 && !failure; ++seed) {
    if (auto put = pipeline.put(chunk_of(noise(64 << 10, seed))); !put) failure = put.error();
  }
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "DISK_FULL");
  EXPECT_EQ(pipeline.settle().error().code, "DISK_FULL");
  EXPECT_LE(collector.written.size(), 3u);
}

TEST(ChunkPipeline, MayBeGivenUpWithChunksInFlight) {
  Collector collector;
  collector.fail_at = 0;
  ChunkPipeline pipeline({2, 1 << 30}, collector);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    if (!pipeline.put(chunk_of(noise(64 << 10, seed)))) break;
  }
}

}  // namespace
}  // namespace kernloop::archive
