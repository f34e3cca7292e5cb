// Captures of earlier releases stay readable. capture-v1 was written by golden/make_capture_v1.py from the format's
// document alone.
#include <gtest/gtest.h>

#include "archive/capture/reader.h"
#include "archive/files/file.h"

namespace kernloop::archive {
namespace {

Buffer pattern(size_t size, unsigned step) {
  Buffer bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(i * i * step + i / 7 + step));
  return bytes;
}

TEST(GoldenCapture, OfVersionOneIsReadAsItWasMeant) {
  const std::filesystem::path directory = std::filesystem::path(KERNLOOP_ARCHIVE_GOLDEN) / "capture-v1";
  auto reader = Reader::open(directory, {});
  ASSERT_TRUE(reader) << reader.error().message;
  const Manifest& manifest = (*reader)->manifest();
  EXPECT_EQ(manifest.kernel.symbol, "_Z6goldenPf");
  EXPECT_EQ(manifest.dispatch.ordinal, 2u);
  EXPECT_EQ(manifest.geometry.grid_work_items[0], 200u);
  EXPECT_EQ(manifest.kernarg.slots[0].region, "r0");
  EXPECT_EQ(manifest.regions[1].memory_class, RegionClass::kHost);

  const auto read = [&](const ContentView& view) {
    auto bytes = (*reader)->read_all(view, 1 << 20);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes ? *bytes : Buffer();
  };
  EXPECT_EQ(read(pre_of(manifest.regions[0])), pattern(5000, 5));
  EXPECT_EQ(read(post_of(manifest.regions[0])), pattern(5000, 9));
  Buffer mostly_zero(4096, 0);
  for (char c : {'t', 'a', 'i', 'l'}) mostly_zero.push_back(static_cast<uint8_t>(c));
  EXPECT_EQ(read(pre_of(manifest.regions[1])), mostly_zero);
  const Buffer table = read(post_of(manifest.module_variables[0]));
  ASSERT_EQ(table.size(), 4800u);
  EXPECT_EQ(std::string(table.begin() + 32, table.begin() + 48), "0123456789abcdef");
  EXPECT_EQ(*(*reader)->read_code_object(manifest.code_objects[0]), pattern(300, 3));

  // Fields that a later minor version added survive rewriting by this one.
  const auto text = read_text(directory / kManifestFile, 1 << 20);
  EXPECT_EQ(to_text(manifest), *text);
}

}  // namespace
}  // namespace kernloop::archive
