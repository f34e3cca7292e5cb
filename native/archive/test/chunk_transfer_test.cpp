#include "archive/chunk_transfer.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <set>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "archive/test/whole_file.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

Result<uint64_t> export_chunks(const Reader& reader, const std::vector<Digest>& wanted, const fs::path& folder) {
  const ChunkExport exporting(reader, folder);
  uint64_t bytes = 0;
  for (const Digest& digest : wanted) {
    const auto written = exporting.write(digest);
    if (!written) return written.error();
    bytes += *written;
  }
  return bytes;
}

class ChunkTransfer : public testing::Test {
 protected:
  void SetUp() override {
    write_sample(capture_, contents_, store_, 0);
    fs::create_directory(folder_);
    auto reader = Reader::open(capture_, {store_});
    ASSERT_TRUE(reader);
    reader_ = std::move(*reader);
    for (const ContentView& view : contents_of(reader_->manifest()))
      for (const ChunkName& name : view.content->chunks)
        if (name) names_.insert(*name);
  }
  std::vector<Digest> all() const { return {names_.begin(), names_.end()}; }

  TemporaryDirectory temporary_;
  SampleContents contents_;
  fs::path capture_ = temporary_.path() / "capture", store_ = temporary_.path() / "store";
  fs::path folder_ = temporary_.path() / "folder", elsewhere_ = temporary_.path() / "elsewhere";
  std::unique_ptr<Reader> reader_;
  std::set<Digest> names_;
};

TEST_F(ChunkTransfer, WritesTheRawContentUnderItsDigest) {
  const auto bytes = export_chunks(*reader_, all(), folder_);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, 5000u + 5000 + 100000 + 4 + 4 + 300);
  // r1 compresses: the store's bytes differ from the transferred ones.
  EXPECT_EQ(load(folder_ / sha256(contents_.r1).hex()), contents_.r1);
  EXPECT_EQ(load(folder_ / sha256(contents_.r0_post).hex()), contents_.r0_post);
}

TEST_F(ChunkTransfer, RefusesAChunkOfAnotherCapture) {
  const auto bytes = export_chunks(*reader_, {sha256(noise(10, 99))}, folder_);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, "USAGE");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ChunkTransfer, ACaptureIsCompleteAgainInAnotherStore) {
  ASSERT_TRUE(export_chunks(*reader_, all(), folder_));
  save(folder_ / "README", noise(10, 1));  // somebody else's
  const auto imported = import_chunks(folder_, elsewhere_);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->chunks, names_.size());
  EXPECT_LT(imported->bytes_added, 20000u);  // r1 is compressed
  auto there = Reader::open(capture_, {elsewhere_});
  ASSERT_TRUE(there);
  for (const ContentView& view : contents_of((*there)->manifest())) EXPECT_TRUE((*there)->read_all(view, 1 << 20));
  const auto again = import_chunks(folder_, elsewhere_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->bytes_added, 0u);
}

TEST_F(ChunkTransfer, TakesNothingThatIsNotWhatItsNameSays) {
  Buffer damaged = contents_.r0_pre;
  damaged[17] ^= 1;
  const std::string name = sha256(contents_.r0_pre).hex();
  for (const Buffer& wrong : {damaged, Buffer(damaged.begin(), damaged.begin() + 100), Buffer()}) {
    save(folder_ / name, wrong);
    const auto imported = import_chunks(folder_, elsewhere_);
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().code, "CHUNK_CORRUPT");
    EXPECT_NE(imported.error().message.find(name), std::string::npos);
    EXPECT_FALSE(ChunkStore(elsewhere_).stored_bytes(sha256(contents_.r0_pre)));
  }
}

TEST_F(ChunkTransfer, RefusesAFileLargerThanAnyChunkWithoutReadingIt) {
  const fs::path path = folder_ / sha256(contents_.r0_pre).hex();
  save(path, {});
  fs::resize_file(path, uint64_t{1} << 40);  // sparse
  const auto imported = import_chunks(folder_, elsewhere_);
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, "CHUNK_CORRUPT");
}

TEST_F(ChunkTransfer, NeverFollowsIntoAPipe) {
  const fs::path path = folder_ / sha256(contents_.r0_pre).hex();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(import_chunks(folder_, elsewhere_));
}

}  // namespace
}  // namespace kernloop::archive
