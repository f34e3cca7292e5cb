#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

void expect_sample(const Reader& reader, const SampleContents& contents) {
  const Manifest& manifest = reader.manifest();
  EXPECT_EQ(*reader.read_all(pre_of(manifest.regions[0]), 1 << 20), contents.r0_pre);
  EXPECT_EQ(*reader.read_all(post_of(manifest.regions[0]), 1 << 20), contents.r0_post);
  EXPECT_EQ(*reader.read_all(post_of(manifest.regions[1]), 1 << 20), contents.r1);
  EXPECT_EQ(*reader.read_all(post_of(manifest.module_variables[0]), 1 << 20), contents.variable_post);
  EXPECT_EQ(*reader.read_code_object(manifest.code_objects[0]), contents.code_object);
}

TEST(Capture, IsSelfContainedWhenSmall) {
  TemporaryDirectory directory;
  write_sample(directory.path() / "capture", {}, directory.path() / "store");
  EXPECT_FALSE(fs::exists(directory.path() / "store"));
  fs::rename(directory.path() / "capture", directory.path() / "moved");
  auto reader = Reader::open(directory.path() / "moved", {});
  ASSERT_TRUE(reader) << reader.error().message;
  expect_sample(**reader, {});
}

TEST(Capture, MovesToTheStoreWhenItOutgrowsThePack) {
  TemporaryDirectory directory;
  const SampleContents contents;
  write_sample(directory.path() / "capture", contents, directory.path() / "store", 6000);
  EXPECT_FALSE(fs::exists(directory.path() / "capture" / kPackFile));
  auto reader = Reader::open(directory.path() / "capture", {directory.path() / "store"});
  ASSERT_TRUE(reader) << reader.error().message;
  expect_sample(**reader, contents);
}

TEST(Capture, KeepsEverythingInThePackWithoutAStore) {
  TemporaryDirectory directory;
  write_sample(directory.path() / "capture", {}, std::nullopt, 10);
  auto reader = Reader::open(directory.path() / "capture", {});
  ASSERT_TRUE(reader);
  expect_sample(**reader, {});
}

TEST(Capture, CutsAStreamIntoTheSameChunksHoweverItArrives) {
  TemporaryDirectory directory;
  auto writer = CaptureWriter::create({directory.path(), std::nullopt});
  Buffer bytes = noise(2 * kChunkBytes + 12345, 4);
  std::fill(bytes.begin() + kChunkBytes, bytes.begin() + 2 * kChunkBytes, uint8_t{0});
  const Content whole = *(*writer)->put(bytes);
  ASSERT_EQ(whole.chunks.size(), 3u);
  EXPECT_FALSE(whole.chunks[1].has_value()) << "a chunk of zeros costs nothing";
  for (size_t piece : {size_t{4095}, size_t{kChunkBytes}, bytes.size()}) {
    ContentStream stream(**writer);
    for (size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_TRUE(stream.append(Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at))));
    }
    const auto pending = stream.finish();
    ASSERT_TRUE(pending);
    ASSERT_TRUE((*writer)->settle());
    EXPECT_EQ((*writer)->names(*pending), whole) << piece;
  }
  EXPECT_LT((*writer)->bytes_stored(), kChunkBytes + 13000u) << "repeated chunks are stored once";
}

TEST(Capture, TakesChunksFromSeveralThreads) {
  TemporaryDirectory directory;
  for (uint64_t limit : {uint64_t{256} << 20, uint64_t{100000}}) {
    auto writer = CaptureWriter::create({directory.path() / std::to_string(limit), directory.path() / "store", limit});
    std::vector<std::thread> threads;
    std::vector<std::vector<ChunkName>> names(4);
    for (size_t t = 0; t < names.size(); ++t) {
      threads.emplace_back([&, t] {
        for (uint32_t seed = 0; seed < 20; ++seed) names[t].push_back((*writer)->put(noise(10000, seed))->chunks.at(0));
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& list : names) EXPECT_EQ(list, names[0]);
    EXPECT_EQ((*writer)->in_store(), limit == 100000);
  }
}

TEST(Capture, IsNotThereUntilItIsFinished) {
  TemporaryDirectory directory;
  auto writer = CaptureWriter::create({directory.path(), std::nullopt});
  sample_manifest(**writer, {});
  auto reader = Reader::open(directory.path(), {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, "CAPTURE_NOT_FOUND");
}

TEST(Capture, NamesTheMissingChunkAndTheWayToGetItBack) {
  TemporaryDirectory directory;
  const Manifest manifest = write_sample(directory.path() / "capture", {}, directory.path() / "store", 10);
  const std::string hex = manifest.regions[0].post.chunks[0]->hex();
  fs::remove(directory.path() / "store" / hex.substr(0, 2) / hex);
  auto reader = Reader::open(directory.path() / "capture", {directory.path() / "store"});
  const auto read = (*reader)->read_all(post_of((*reader)->manifest().regions[0]), 1 << 20);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "CHUNK_MISSING");
  for (const char* part : {"region r0 (post)", hex.c_str(), "store"}) {
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  }
  EXPECT_NE(read.error().hint.find("capture again"), std::string::npos);
}

TEST(Capture, TakesAGoodCopyFromAStoreWhenThePackIsDamaged) {
  TemporaryDirectory directory;
  const SampleContents contents;
  write_sample(directory.path() / "capture", contents);
  write_sample(directory.path() / "other", contents, directory.path() / "store", 10);
  std::fstream(directory.path() / "capture" / kPackFile, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(20)
      .put('!');
  auto alone = Reader::open(directory.path() / "capture", {});
  const auto read = (*alone)->read_all(pre_of((*alone)->manifest().regions[0]), 1 << 20);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "CHUNK_CORRUPT");
  auto helped = Reader::open(directory.path() / "capture", {directory.path() / "store"});
  expect_sample(**helped, contents);
}

TEST(Capture, RefusesACodeObjectThatIsNotTheOneNamed) {
  TemporaryDirectory directory;
  Manifest manifest = write_sample(directory.path());
  // All chunks are good, but they are another content: only the identity tells.
  Json json = to_json(manifest);
  json["code_objects"][0]["content"]["chunks"] = json["module_variables"][0]["pre"]["chunks"];
  json["code_objects"][0]["size"] = 4;
  std::ofstream(directory.path() / kManifestFile) << json.dump();
  auto reader = Reader::open(directory.path(), {});
  ASSERT_TRUE(reader);
  EXPECT_FALSE((*reader)->read_code_object((*reader)->manifest().code_objects[0]));
}

}  // namespace
}  // namespace kernloop::archive
