// Device images built from the layout in ../../pass/README.md.
#include <gtest/gtest.h>

#include "pgo/format/device_image.h"
#include "pgo/format/raw.h"
#include "pgo/format/test/fixtures.h"
#include "pgo/format/test/image.h"

namespace kernloop::pgo {
namespace {

TEST(DeviceImage, SlotsAreSummedAndUniformLanesFilledInWhereAllAre) {
  const auto unit = read_device_image(test::sample_image());
  ASSERT_TRUE(unit) << unit.error().message;
  EXPECT_EQ(unit->counters, (std::vector<uint64_t>{10, 100, 1000, 7}));
  // Counter 0 is statically uniform; the others have rows 1, 0 and 2.
  EXPECT_EQ(unit->uniform, (std::vector<uint64_t>{10, 50, 900, 6}));
  ASSERT_EQ(unit->waves.functions.size(), 2u);
  const WaveFunction& first = unit->waves.functions[0];
  EXPECT_EQ(first.counter_class, (std::vector<uint32_t>{0, 1, 1}));
  EXPECT_EQ(first.classes[0], (WaveClass{4, 10, true, 0}));
  EXPECT_EQ(first.classes[1], (WaveClass{40, 50, false, 1}));
  EXPECT_EQ(unit->waves.functions[1].classes[0], (WaveClass{8, 12, false, kNoCounter}));
  EXPECT_EQ(unit->waves.arch, "gfx90a");
  EXPECT_EQ(to_text(unit->waves.sampling), "blocks:8");
}

TEST(DeviceImage, ItsRawProfileIsReadByTheReader) {
  const auto unit = read_device_image(test::sample_image());
  ASSERT_TRUE(unit);
  const auto read = read_raw(write_raw(*unit), "t");
  ASSERT_TRUE(read) << read.error().message;
  const RawProfile& profile = read->front();
  EXPECT_EQ(profile.record_bytes, kRawRecordBytes);
  EXPECT_EQ(profile.functions[1].name, "other");
  EXPECT_EQ(sum_slots(profile.functions[0], profile.values), (std::vector<uint64_t>{10, 100, 1000}));
  EXPECT_EQ(sum_slots(profile.functions[1], profile.values), (std::vector<uint64_t>{7}));
}

TEST(DeviceImage, RunsOfOneUnitAreAddedAndThoseOfAnotherRefused) {
  auto unit = read_device_image(test::sample_image());
  ASSERT_TRUE(unit);
  const UnitProfile once = *unit;
  ASSERT_TRUE(add(*unit, once));
  EXPECT_EQ(unit->counters, (std::vector<uint64_t>{20, 200, 2000, 14}));
  EXPECT_EQ(unit->waves.functions[0].classes[1], (WaveClass{80, 100, false, 1}));
  UnitProfile other = once;
  other.records[0].hash ^= 1;
  EXPECT_FALSE(add(*unit, other));
  EXPECT_EQ(unit->counters, (std::vector<uint64_t>{20, 200, 2000, 14}));
}

TEST(DeviceImage, EveryPartThatIsCutOffIsNamed) {
  for (const ImagePart& part : image_parts()) {
    if (part.bytes == &DeviceImage::names) continue;  // any bytes are names; the reader of the profile notices
    const size_t size = (test::sample_image().*part.bytes).size();
    for (size_t cut = 0; cut < size; ++cut) {
      DeviceImage image = test::sample_image();
      (image.*part.bytes).resize(cut);
      const auto unit = read_device_image(image);
      ASSERT_FALSE(unit) << part.prefix << " " << cut;
      EXPECT_EQ(unit.error().code, "PGO_PROFILE_TRUNCATED") << part.prefix << " " << cut;
    }
  }
}

TEST(DeviceImage, RecordsThatContradictTheDescriptionAreRefused) {
  DeviceImage image = test::sample_image();
  image.data[8] ^= 1;
  EXPECT_EQ(read_device_image(image).error().code, "PGO_PROFILE_INVALID");
  image = test::sample_image();
  image.description[8] = 2;
  EXPECT_EQ(read_device_image(image).error().code, "PGO_PROFILE_VERSION");
}

}  // namespace
}  // namespace kernloop::pgo
