#include "archive/manifest/dropped.h"
#include "archive/capture/shrink.h"

#include <gtest/gtest.h>

#include <fstream>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "replay/test/program_run.h"

namespace kernloop::archive {
namespace {

class DroppedTest : public testing::Test {
 protected:
  void SetUp() override { write_sample(whole_, contents_); }

  Result<Shrunk> shrink(const std::string& dropped, const std::filesystem::path& from, const char* to) {
    const std::filesystem::path file = directory_.path() / "dropped.json";
    EXPECT_TRUE(write_atomically(file, dropped));
    auto reader = Reader::open(from, {});
    EXPECT_TRUE(reader);
    return shrink_capture(**reader, {{directory_.path() / to, std::nullopt}, file});
  }
  Result<Shrunk> shrink(const std::string& dropped) { return shrink(dropped, whole_, "shrunk"); }

  std::unique_ptr<Reader> open(const char* name = "shrunk") {
    auto reader = Reader::open(directory_.path() / name, {});
    EXPECT_TRUE(reader) << reader.error().message;
    return std::move(*reader);
  }

  const SampleContents contents_;
  TemporaryDirectory directory_;
  const std::filesystem::path whole_ = directory_.path() / "whole";
};

TEST_F(DroppedTest, TheProgramTellsHowMuchItDropped) {
  const auto file = directory_.path() / "dropped.json";
  std::ofstream(file) << R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})";
  const auto run = replay::run_program(
      KERNLOOP_TEST_ARCHIVE,
      {"shrink", whole_.string(), "--dropped", file.string(), "--output", (directory_.path() / "shrunk").string()}, {});
  EXPECT_EQ(run.last()["event"], "shrunk") << run.last();
  EXPECT_EQ(run.last()["dropped_bytes"], 2000);
}

TEST_F(DroppedTest, LeavesOutTheseBytesAndNothingElse) {
  const auto done = shrink(R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->dropped_bytes, 2000u);
  const auto reader = open();
  const Manifest& manifest = reader->manifest();
  Buffer pre = contents_.r0_pre, post = contents_.r0_post;
  std::fill_n(pre.begin() + 1000, 2000, uint8_t{0});
  std::fill_n(post.begin() + 1000, 2000, uint8_t{0});
  EXPECT_EQ(*reader->read_all(pre_of(manifest.regions[0]), 1 << 20), pre);
  EXPECT_EQ(*reader->read_all(post_of(manifest.regions[0]), 1 << 20), post);
  EXPECT_EQ(*reader->read_all(post_of(manifest.regions[1]), 1 << 20), contents_.r1);
  EXPECT_EQ(*reader->read_all(post_of(manifest.module_variables[0]), 1 << 20), contents_.variable_post);
  EXPECT_EQ(*reader->read_code_object(manifest.code_objects[0]), contents_.code_object);
  EXPECT_EQ(dropped_of(manifest.regions[0]), (std::vector<DroppedBytes>{{1000, 2000}}));
  EXPECT_TRUE(dropped_of(manifest.regions[1]).empty());
  EXPECT_EQ(dropped_bytes_of(manifest), 2000u);
}

// A reader that took the zeros for memory would pass a kernel that reads them.
TEST_F(DroppedTest, IsRequiredOfReadersWhereSomethingIsDroppedOnly) {
  ASSERT_TRUE(shrink(R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})"));
  EXPECT_EQ(to_json(open()->manifest())["requires"], Json::array({"dropped"}));
  ASSERT_TRUE(shrink(R"({"dropped": []})", whole_, "same"));
  EXPECT_FALSE(to_json(open("same")->manifest()).contains("requires"));
}

TEST_F(DroppedTest, CapturesShrunkBeforeReadersWereToldAreReadAndThenSayIt) {
  ASSERT_TRUE(shrink(R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})"));
  Json json = to_json(open()->manifest());
  json.erase("requires");
  ASSERT_TRUE(write_atomically(directory_.path() / "shrunk" / kManifestFile, to_text(json)));
  EXPECT_EQ(dropped_bytes_of(open()->manifest()), 2000u);
  ASSERT_TRUE(shrink(R"({"dropped": []})", directory_.path() / "shrunk", "again"));
  EXPECT_EQ(to_json(open("again")->manifest())["requires"], Json::array({"dropped"}));
}

TEST_F(DroppedTest, AddsToWhatIsDroppedAlready) {
  ASSERT_TRUE(shrink(R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})"));
  const auto again = shrink(R"({"dropped": [{"region": "r0", "offset": 4000, "bytes": 500},
                                            {"region": "r0", "offset": 2000, "bytes": 1500}]})",
                            directory_.path() / "shrunk", "smaller");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(dropped_of(open("smaller")->manifest().regions[0]), (std::vector<DroppedBytes>{{1000, 2500}, {4000, 500}}));
}

TEST_F(DroppedTest, RefusesWhatDoesNotFitTheCapture) {
  for (const char* bad : {R"({"dropped": [{"region": "r9", "offset": 0, "bytes": 1}]})",
                          R"({"dropped": [{"region": "r0", "offset": 0, "bytes": 0}]})",
                          R"({"dropped": [{"region": "r0", "offset": 4999, "bytes": 2}]})",
                          R"({"dropped": [{"region": "r0", "offset": 18446744073709551615, "bytes": 2}]})",
                          R"({"dropped": [{"region": "r0", "offset": -1, "bytes": 2}]})", R"({"dropped": 7})", "[]"}) {
    const auto refused = shrink(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, "USAGE") << bad;
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / "shrunk")) << bad;
  }
}

TEST_F(DroppedTest, NeverWritesOverAFolderThatIsThere) {
  std::filesystem::create_directory(directory_.path() / "shrunk");
  EXPECT_EQ(shrink(R"({"dropped": [{"region": "r0", "offset": 0, "bytes": 9}]})").error().code, "TARGET_EXISTS");
}

TEST_F(DroppedTest, AManifestThatLiesAboutItIsRefused) {
  ASSERT_TRUE(shrink(R"({"dropped": [{"region": "r0", "offset": 1000, "bytes": 2000}]})"));
  for (const Json& bad : {Json::array({{{"offset", 4000}, {"bytes", 2000}}}),
                          Json::array({{{"offset", 9}, {"bytes", 9}}, {{"offset", 17}, {"bytes", 1}}}),
                          Json::array({{{"offset", 9}, {"bytes", 0}}}), Json::array({{{"offset", "9"}}}), Json(5)}) {
    Manifest manifest = open()->manifest();
    manifest.regions[0].extra["dropped"] = bad;
    const auto read = parse_manifest(to_text(manifest), "capture.json");
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().code, "CAPTURE_INVALID") << bad;
  }
}

}  // namespace
}  // namespace kernloop::archive
