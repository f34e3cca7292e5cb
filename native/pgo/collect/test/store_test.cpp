#include <gtest/gtest.h>

#include "pgo/collect/test/run.h"
#include "pgo/collect/unit_store.h"
#include "pgo/collect/units.h"
#include "pgo/format/files.h"
#include "pgo/format/test/image.h"

namespace kernloop::pgo {
namespace {

namespace fs = std::filesystem;

UnitProfile sample(uint64_t times) {
  const auto unit = read_device_image(test::sample_image());
  EXPECT_TRUE(unit);
  UnitProfile sum = *unit;
  for (uint64_t i = 1; i < times; ++i) EXPECT_TRUE(add(sum, *unit));
  return sum;
}

class Store : public testing::Test {
 protected:
  UnitStore store(const std::string& name) {
    const auto pattern = parse_file_pattern((folder_.path() / name).string(), {1, "h", "t", "b"});
    EXPECT_TRUE(pattern);
    return UnitStore(*pattern);
  }
  // The first counter of the only file, which is 10 for one run of the sample.
  uint64_t written(const std::string& extension = ".profraw") {
    uint64_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.path().extension() != extension) continue;
      const auto profiles = read_profiles(entry.path());
      EXPECT_TRUE(profiles) << profiles.error().message;
      count += profiles->front().functions[0].counters[0];
    }
    return count;
  }
  test::Folder folder_;
  int module_ = 0, other_ = 0;
};

TEST_F(Store, WhatIsReadTwiceCountsOnce) {
  UnitStore all = store("p.profraw");
  all.set_live({&module_, 0}, sample(1));
  EXPECT_TRUE(all.write());
  EXPECT_EQ(written(), 10u);
  all.set_live({&module_, 0}, sample(3));
  EXPECT_TRUE(all.write());
  EXPECT_EQ(written(), 30u);
}

TEST_F(Store, ModulesAndDevicesAreOneSumAndWhatIsGoneStays) {
  UnitStore all = store("p.profraw");
  all.set_live({&module_, 0}, sample(1));
  all.set_live({&module_, 1}, sample(2));
  all.set_live({&other_, 0}, sample(4));
  EXPECT_TRUE(all.write());
  EXPECT_EQ(written(), 70u);
  all.retire_all(&module_);
  all.set_live({&module_, 0}, sample(1));  // another one at the same address
  EXPECT_TRUE(all.write());
  EXPECT_EQ(written(), 80u);
}

TEST_F(Store, CountersThatBeganAgainAreAddedToWhatTheyHad) {
  UnitStore all = store("p.profraw");
  all.set_live({&module_, 0}, sample(5));
  all.set_live({&module_, 0}, sample(2));
  EXPECT_TRUE(all.write());
  EXPECT_EQ(written(), 70u);
}

TEST_F(Store, AnotherUnitOfTheSameCuidHasAFileOfItsOwn) {
  UnitStore all = store("p.profraw");
  all.set_live({&module_, 0}, sample(1));
  UnitProfile other = sample(1);
  other.waves.sampling = {};
  all.set_live({&other_, 0}, other);
  EXPECT_TRUE(all.write());
  EXPECT_TRUE(fs::exists(folder_.path() / "p.amdgcn-amd-amdhsa.0a1b2c3d.profraw"));
  EXPECT_TRUE(fs::exists(folder_.path() / "p.amdgcn-amd-amdhsa.0a1b2c3d-2.profraw"));
}

TEST_F(Store, APoolGetsWhatIsNewSinceItWasLastWritten) {
  for (int process = 0; process < 2; ++process) {
    UnitStore all = store("deep/er/p-%m.profraw");
    all.set_live({&module_, 0}, sample(1));
    EXPECT_TRUE(all.write());
    EXPECT_TRUE(all.write());
    all.set_live({&module_, 0}, sample(3));
    EXPECT_TRUE(all.write());
  }
  EXPECT_EQ(written(), 60u);
}

TEST(Image, ACompressedBundleIsNamedAndNotRead) {
  const char image[64] = "CCOB\x02";
  const auto pieces = code_objects_at(image, "module m");
  ASSERT_FALSE(pieces);
  EXPECT_EQ(pieces.error().code, "CODE_OBJECT_COMPRESSED");
  EXPECT_NE(pieces.error().message.find("module m"), std::string::npos);
}

}  // namespace
}  // namespace kernloop::pgo
