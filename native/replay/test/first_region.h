// The region "in" of a capture, which a test fills with values of its own, as often as it likes.
#pragma once

#include <memory>
#include <string>

#include "replay/test/fill_capture.h"
#include "verdict/content_cache.h"
#include "verdict/target.h"

namespace kernloop::replay {

class FirstRegionTest : public testing::Test {
 protected:
  // Writes `capture_` and opens it: `target_` is its first region, whose bytes `cache_` reads.
  void open() {
    const auto folder = directory_.path() / std::to_string(captures_++);
    capture_.write(folder);
    auto opened = archive::Reader::open(folder, {});
    EXPECT_TRUE(opened) << opened.error().message;
    cache_.reset();
    reader_ = std::move(*opened);
    cache_ = std::make_unique<ContentCache>(*reader_, ContentCache::kUsualBudget);
    const archive::Region& region = reader_->manifest().regions[0];
    target_ = {false, region.id, region.base, region.size, archive::pre_of(region), archive::post_of(region)};
  }

  archive::TemporaryDirectory directory_;
  FillCapture capture_;
  int captures_ = 0;
  std::unique_ptr<archive::Reader> reader_;
  std::unique_ptr<ContentCache> cache_;
  Target target_;
};

}  // namespace kernloop::replay
