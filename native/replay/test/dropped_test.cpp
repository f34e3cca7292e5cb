// Memory that a shrunk capture lacks is not there: nothing restores, compares, or reads it.
#include <gtest/gtest.h>

#include "archive/files/file.h"
#include "replay/core/memory/unused.h"
#include "replay/core/session/session.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

constexpr uint64_t kList = 0x400000100000;  // address of FillCapture::pointers
constexpr uint64_t kPage = 4096;

TEST(Unused, IsWholeGranulesByAddressThatNothingTouched) {
  const auto target = [](uint64_t address, uint64_t size) {
    Target made;
    made.address = address;
    made.size = size;
    return made;
  };
  const std::vector<Target> targets = {target(0x10010, 5 * kPage), target(0x40000, 2 * kPage)};
  const std::vector<Access> accesses = {{false, 0x10010, 4}, {true, 0x12fff, 1}, {false, 0x13000, 1}};
  const auto unused = unused_by(accesses, targets, kPage);
  EXPECT_EQ(unused[0], (std::vector<AddressRange>{{0x11000 - 0x10010, kPage}, {0x14000 - 0x10010, kPage}}));
  EXPECT_EQ(unused[1], (std::vector<AddressRange>{{0, 2 * kPage}}));
}

class DroppedSession : public testing::Test {
 protected:
  // A third region of eight pages, of which the kernel reads a word of the first and of the last.
  void SetUp() override {
    capture_.pointers.assign(8 * kPage / 8, 0x1234);
    capture_.write(directory_.path() / "capture");
    options_.compare = true;
    drop({{"pointers", kPage, 3 * kPage}, {"pointers", 5 * kPage + 8, kPage}});
  }

  struct Range {
    const char* region;
    uint64_t offset, bytes;
  };
  void drop(const std::vector<Range>& ranges) {
    archive::Json list = archive::Json::array();
    for (const Range& range : ranges)
      list.push_back({{"region", range.region}, {"offset", range.offset}, {"bytes", range.bytes}});
    options_.dropped = directory_.path() / "dropped.json";
    ASSERT_TRUE(archive::write_atomically(*options_.dropped, archive::Json{{"dropped", list}}.dump()));
  }

  SessionEnd run(FakeDevice& device) {
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    return run_session(options_, **reader, device, output_);
  }

  // The app's result, computed by the host.
  void compute(FakeDevice& device, const Launch& launch) const {
    for (int i = 0; i < FillCapture::kCount; ++i)
      device.number(FillCapture::kOut + 4 * static_cast<uint64_t>(i)) = capture_.out_post[static_cast<size_t>(i)];
    const auto code = codeobject::read_test_file("baseline.hsaco");
    const auto info = *codeobject::parse_code_object(code, "baseline.hsaco");
    const uint64_t base = launch.kernel - info.find_kernel("fill")->descriptor_address;
    ++*reinterpret_cast<int32_t*>(device.at(base + info.find_variable("d_counter")->address));
  }

  archive::TemporaryDirectory directory_;
  FillCapture capture_;
  Options options_;
  EventList output_;
};

TEST_F(DroppedSession, ThereIsNoMemoryInWholeGranulesOfItAndPoisonInTheRest) {
  options_.iterations = 3;
  FakeDevice device([&](FakeDevice& on, const Launch& launch) {
    for (const uint64_t page : {1, 2, 3}) EXPECT_EQ(on.at(kList + page * kPage), nullptr) << page;
    EXPECT_EQ(*on.at(kList + 5 * kPage + 7), 0) << "kept";
    EXPECT_EQ(*on.at(kList + 5 * kPage + 8), 0xa5);
    EXPECT_EQ(*on.at(kList + 6 * kPage + 7), 0xa5);
    for (const uint64_t word : {uint64_t{0}, kPage - 8, 4 * kPage, 6 * kPage + 8, 8 * kPage - 8})
      EXPECT_EQ(*on.at(kList + word), 0x34) << word;
    compute(on, launch);
  });
  device.in_place_access = false;
  device.keeps = true;
  EXPECT_EQ(run(device).exit_code, kExitPass) << output_.events.back();
  EXPECT_EQ(device.launches.size(), 3u);
  EXPECT_EQ(device.kept_unmapped, (std::vector<AddressRange>{{kList + kPage, 3 * kPage}}));
  EXPECT_EQ(output_.first("restored")["dropped_bytes"], 4 * kPage);
  const archive::Json result = output_.events.back();
  EXPECT_EQ(result["compared_bytes"], 2 * 800 + 4 * kPage + 16 + 32 + 4);
}

TEST_F(DroppedSession, AByteWrittenIntoTheRestOfAGranuleFails) {
  FakeDevice device([&](FakeDevice& on, const Launch& launch) {
    compute(on, launch);
    *on.at(kList + 5 * kPage + 8) = 1;
  });
  EXPECT_EQ(run(device).exit_code, kExitFail);
}

TEST_F(DroppedSession, WhatIsKeptIsJudgedAsEver) {
  for (const uint64_t at : {uint64_t{0}, kPage - 1, 4 * kPage, 5 * kPage + 7, 6 * kPage + 8, 8 * kPage - 1}) {
    FakeDevice device([&](FakeDevice& on, const Launch& launch) {
      compute(on, launch);
      *on.at(kList + at) ^= 1;
    });
    EXPECT_EQ(run(device).exit_code, kExitFail) << at;
  }
  options_.inject_bit_flips = 200;
  FakeDevice device([&](FakeDevice& on, const Launch& launch) { compute(on, launch); });
  EXPECT_EQ(run(device).exit_code, kExitPass);
  EXPECT_EQ(output_.first("injection")["detected"], 200);
}

TEST_F(DroppedSession, AFaultThereSaysWhy) {
  FakeDevice device([](FakeDevice&, const Launch&) {});
  device.outcome.end = LaunchOutcome::End::kFault;
  device.outcome.fault = {{"kind", "memory_access"}, {"address", to_hex_number(kList + kPage + 16)}};
  EXPECT_EQ(run(device).exit_code, kExitDevice);
  archive::Json fault = output_.first("fault");
  EXPECT_EQ(fault["near"]["dropped"], true);
  EXPECT_NE(fault.value("hint", "").find("this memory was dropped"), std::string::npos) << fault;
  // If the device reports no address, dropped memory may be the cause; at another address it is not.
  device.outcome.fault = {{"kind", "memory_access"}};
  run(device);
  EXPECT_NE(output_.first("fault").value("hint", "").find("memory that was dropped"), std::string::npos);
  device.outcome.fault = {{"kind", "memory_access"}, {"address", to_hex_number(kList + 8 * kPage)}};
  run(device);
  EXPECT_EQ(output_.first("fault").value("hint", ""), "");
}

TEST_F(DroppedSession, AllOfARegionMayBeDroppedAndIgnoredAtOnce) {
  drop({{"pointers", 0, 8 * kPage}});
  options_.ignored = {{"pointers", 0, 8 * kPage}};
  FakeDevice device([&](FakeDevice& on, const Launch& launch) {
    EXPECT_EQ(on.at(kList), nullptr);
    compute(on, launch);
  });
  EXPECT_EQ(run(device).exit_code, kExitPass);
  EXPECT_EQ(output_.events.back()["compared_bytes"], 2 * 800 + 16 + 32 + 4);
  EXPECT_EQ(output_.events.back()["ignored_bytes"], 0);
}

TEST_F(DroppedSession, ADumpHasZerosThereAndSaysSo) {
  options_.dump = DumpRequest{directory_.path() / "dump", {"pointers"}, DumpTime::kPost};
  FakeDevice device([&](FakeDevice& on, const Launch& launch) { compute(on, launch); });
  EXPECT_EQ(run(device).exit_code, kExitPass);
  const auto bytes = archive::read_text(directory_.path() / "dump" / "pointers.bin", 1 << 20);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 8 * kPage);
  EXPECT_EQ((*bytes)[kPage - 8], 0x34);
  EXPECT_EQ((*bytes)[kPage], 0);
  const auto facts = parse_json(*archive::read_text(directory_.path() / "dump" / "dump.json", 1 << 20), "dump.json");
  EXPECT_EQ((*facts)["contents"][0]["dropped_bytes"], 4 * kPage);
}

TEST_F(DroppedSession, WhatCannotBeKeptFreeIsAnError) {
  FakeDevice device([](FakeDevice&, const Launch&) {});
  device.keeps_unmapped = false;
  EXPECT_EQ(run(device).exit_code, kExitEnvironment);
  EXPECT_EQ(output_.events.back()["code"], "ADDRESS_TAKEN");
}

}  // namespace
}  // namespace kernloop::replay
