// kernloop-pgo in a process of its own: from the variables of a unit to its profile, as it is shown.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/testing/seen_events.h"
#include "pgo/collect/test/run.h"
#include "pgo/format/test/image.h"

namespace kernloop::pgo {
namespace {

using nlohmann::json;

std::vector<json> events_of(const std::string& arguments) {
  std::istringstream lines(test::run({}, KERNLOOP_TEST_PGO " " + arguments).said);
  std::vector<json> events;
  for (std::string line; std::getline(lines, line);) {
    events.push_back(json::parse(line));
    saw_event("kernloop-pgo", events.back());
  }
  return events;
}

std::string file_in(const test::Folder& folder, const std::string& name) {
  return (folder.path() / name).string();
}

TEST(Program, ConvertsMergesAndShowsAUnit) {
  const test::Folder folder;
  const DeviceImage image = test::sample_image();
  for (const ImagePart& part : image_parts()) {
    std::ofstream file(file_in(folder, std::string(part.prefix) + image.cuid + ".bin"), std::ios::binary);
    const Buffer& bytes = image.*part.bytes;
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string raw = file_in(folder, "out.profraw"), merged = file_in(folder, "out.proftext");

  const auto converted = events_of("convert --input " + folder.path().string() + " --output " + raw);
  ASSERT_EQ(converted.size(), 1u);
  EXPECT_EQ(converted[0]["event"], "converted");
  EXPECT_EQ(converted[0]["sampling"], "blocks:8");
  const std::string profile = converted[0].at("files").at(0);

  const auto sums = events_of("merge --weighted-input 3," + profile + " --output " + merged + " --waves " +
                              file_in(folder, "out.waves.json"));
  ASSERT_FALSE(sums.empty());
  EXPECT_EQ(sums.back()["event"], "merged");
  EXPECT_EQ(sums.back()["counters"], 4);

  const auto shown = events_of("show --input " + profile);
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0]["name"], "kern");
  EXPECT_EQ(shown[0]["counters"][2]["lanes"], 1000);
  EXPECT_EQ(shown[0]["counters"][0]["waves"], 4);
  EXPECT_EQ(shown[1]["name"], "other");
  EXPECT_EQ(shown[2]["functions"], 2);
}

TEST(Program, NotesACounterThatIsFull) {
  const test::Folder folder;
  const std::string raw = file_in(folder, "plain.profraw");
  const Buffer bytes = test::raw_file({.functions = {{"kern", 77, {UINT64_MAX, 2}}}});
  std::ofstream(raw, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto sums = events_of("merge --weighted-input 2," + raw + " --output " + file_in(folder, "out.proftext"));
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0]["event"], "note");
  EXPECT_EQ(sums[0]["code"], "PGO_COUNTER_SATURATED");
  EXPECT_EQ(sums[1]["functions"], 1);
}

}  // namespace
}  // namespace kernloop::pgo
