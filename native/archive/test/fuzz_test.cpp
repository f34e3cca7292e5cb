// Damage at every byte of a small capture: never a crash, never wrong content accepted.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

class DamagedCapture : public testing::Test {
 protected:
  void SetUp() override {
    SampleContents contents;
    contents.r0_pre = noise(400, 1), contents.r0_post = noise(400, 2);
    contents.r1 = Buffer(3000, 7);
    write_sample(directory_.path(), contents);
    for (const Buffer& content : {contents.r0_pre, contents.r0_post, contents.r1, contents.variable_pre,
                                  contents.variable_post, contents.code_object}) {
      known_[sha256(content)] = content;
    }
  }

  Buffer load(const char* name) {
    std::ifstream file(directory_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void store(const char* name, Bytes bytes) {
    std::ofstream(directory_.path() / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  // Number of readable contents; each must match its digest in the manifest.
  size_t read_everything(const std::string& what) {
    auto reader = Reader::open(directory_.path(), {});
    if (!reader) {
      EXPECT_FALSE(reader.error().message.empty());
      return 0;
    }
    size_t good = 0;
    for (const ContentView& view : contents_of((*reader)->manifest())) {
      const auto bytes = (*reader)->read_all(view, 1 << 20);
      if (!bytes || view.content->chunks.size() != 1) continue;
      ++good;
      if (!view.content->chunks[0]) {
        EXPECT_TRUE(is_all_zero(*bytes)) << what;
        continue;
      }
      const auto known = known_.find(*view.content->chunks[0]);
      EXPECT_TRUE(known != known_.end() && known->second == *bytes) << what << ": " << view.what;
    }
    return good;
  }

  // Most damage to a manifest shows without touching a file, which keeps this test short.
  bool may_open(const char* name, const Buffer& damaged) {
    if (name != std::string_view(kManifestFile)) return true;
    return parse_manifest({reinterpret_cast<const char*>(damaged.data()), damaged.size()}, name).ok();
  }

  void damage(const char* name, int bits) {
    const Buffer original = load(name);
    ASSERT_EQ(read_everything("undamaged"), 7u);
    for (size_t i = 0; i < original.size(); ++i) {
      Buffer damaged = original;
      for (int bit = 0; bit < bits; ++bit) {
        damaged[i] = original[i] ^ static_cast<uint8_t>(1 << ((i + bit) % 8));
        if (!may_open(name, damaged)) continue;
        store(name, damaged);
        read_everything("bit flipped in byte " + std::to_string(i));
      }
    }
    for (size_t size = 0; size < original.size(); ++size) {
      const Buffer cut(original.begin(), original.begin() + size);
      if (!may_open(name, cut)) continue;
      store(name, cut);
      const size_t good = read_everything("cut to " + std::to_string(size));
      // Cutting the newline at the end leaves valid JSON.
      if (size + 1 < original.size()) {
        EXPECT_EQ(good, 0u) << name << " cut to " << size;
      }
    }
    store(name, original);
  }

  TemporaryDirectory directory_;
  std::map<Digest, Buffer> known_;
};

TEST_F(DamagedCapture, PackIsNeverTakenForGood) {
  damage(kPackFile, 1);
}

TEST_F(DamagedCapture, ManifestNeverLeadsToWrongContent) {
  damage(kManifestFile, 1);
}

}  // namespace
}  // namespace kernloop::archive
