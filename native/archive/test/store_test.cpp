// verify, stats and gc of a store that several captures share.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "archive/store/store_lock.h"
#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "archive/upkeep/store_check.h"
#include "archive/upkeep/store_gc.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Everybody but root is kept out by permissions.
class WithoutPrivileges {
 public:
  WithoutPrivileges() { EXPECT_EQ(::seteuid(own_ != 0 ? own_ : kNobody), 0); }
  ~WithoutPrivileges() { EXPECT_EQ(::seteuid(own_), 0); }

  static void give(const fs::path& folder) {
    if (::geteuid() != 0) return;
    EXPECT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0);
  }

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t own_ = ::geteuid();
};

class Store : public testing::Test {
 protected:
  void SetUp() override {
    other_.r0_pre = noise(5000, 11);  // its own; the rest is shared
    write_sample(captures_ / "a" / "capture", mine_, store_, 0);
    write_sample(captures_ / "b" / "capture", other_, store_, 0);
  }
  std::vector<StoreFile> all_files() {
    std::vector<StoreFile> all;
    for (unsigned first = 0; first < 256; ++first) {
      const auto files = list_store(store_, static_cast<uint8_t>(first));
      all.insert(all.end(), files->begin(), files->end());
    }
    return all;
  }
  // Ages the files by that much.
  void age(std::chrono::seconds by) {
    for (const StoreFile& file : all_files()) {
      const int64_t at = file.modified_ns - std::chrono::nanoseconds(by).count();
      const timespec time{at / 1'000'000'000, at % 1'000'000'000};
      const timespec times[2] = {time, time};
      ASSERT_EQ(::utimensat(AT_FDCWD, file.path.c_str(), times, 0), 0);
    }
  }
  Result<GcResult> gc(std::chrono::seconds grace = 0s, bool dry_run = false) {
    return collect_garbage({store_, {captures_}, {}, grace, dry_run});
  }
  bool is_complete(const fs::path& capture) {
    const auto reader = Reader::open(capture, {store_});
    if (!reader) return false;
    for (const ContentView& view : contents_of((*reader)->manifest())) {
      if (!(*reader)->read_all(view, 1 << 20)) return false;
    }
    return true;
  }
  // Errors that a user without rights in `hidden` gets from the store.
  void expect_refused(const fs::path& hidden, fs::perms perms, const std::string& message) {
    WithoutPrivileges::give(directory_.path());
    const WithoutPrivileges user;
    fs::permissions(hidden, perms);
    const auto collected = gc();
    const auto scan = scan_captures({captures_}, {});
    ASSERT_TRUE(scan);
    const auto checked = check_store(store_, *scan, {});
    const auto measured = measure_store(store_, *scan);
    fs::permissions(hidden, fs::perms::owner_all);
    ASSERT_FALSE(collected);
    EXPECT_EQ(collected.error().code, "IO_ERROR");
    EXPECT_NE(collected.error().message.find(message), std::string::npos) << collected.error().message;
    if (!scan->unreadable.empty()) return;  // the captures are hidden, so reports on the store are incomplete
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find(message), std::string::npos) << checked.error().message;
    ASSERT_FALSE(measured);
    EXPECT_NE(measured.error().message.find(message), std::string::npos) << measured.error().message;
  }
  bool has(const Buffer& raw) { return ChunkStore(store_).stored_bytes(sha256(raw)).has_value(); }
  fs::path file_of(const Buffer& raw) {
    for (const StoreFile& file : all_files()) {
      if (file.digest == sha256(raw)) return file.path;
    }
    return {};
  }
  StoreCheck check() {
    const auto scan = scan_captures({captures_}, {});
    EXPECT_TRUE(scan);
    const auto checked = check_store(store_, *scan, {});
    EXPECT_TRUE(checked);
    return *checked;
  }

  TemporaryDirectory directory_;
  const fs::path store_ = directory_.path() / "store", captures_ = directory_.path() / "kernels";
  SampleContents mine_, other_;
};

TEST_F(Store, GcTakesOnlyWhatNoManifestNames) {
  EXPECT_EQ(gc()->chunks_removed, 0u);
  fs::remove_all(captures_ / "b");
  const auto counted = gc(0s, true);
  EXPECT_EQ(counted->chunks_removed, 1u);
  EXPECT_TRUE(has(other_.r0_pre)) << "a dry run removes nothing";
  const auto collected = gc();
  EXPECT_EQ(collected->chunks_removed, 1u);
  EXPECT_EQ(collected->bytes_removed, 5000u);
  EXPECT_EQ(collected->captures, 1u);
  EXPECT_FALSE(has(other_.r0_pre));
  EXPECT_TRUE(is_complete(captures_ / "a" / "capture"));
}

TEST_F(Store, GcSparesWhatIsNew) {
  fs::remove_all(captures_ / "b");
  EXPECT_EQ(gc(1h)->chunks_recent, 1u);
  EXPECT_TRUE(has(other_.r0_pre));
  age(2h);
  EXPECT_EQ(gc(1h)->chunks_removed, 1u);
}

// A writer that finds an old chunk there relies on it, though its manifest is not there yet.
TEST_F(Store, ReUseMakesAChunkNew) {
  fs::remove_all(captures_);
  fs::create_directory(captures_);
  age(48h);
  EXPECT_EQ(*ChunkStore(store_).put(sha256(mine_.r0_pre), mine_.r0_pre.size(), Encoding::kRaw, mine_.r0_pre), 0u);
  EXPECT_GT(gc(24h)->chunks_removed, 0u);
  EXPECT_TRUE(has(mine_.r0_pre));
  EXPECT_FALSE(has(mine_.r0_post));
}

TEST_F(Store, GcWaitsForNoWriterAndDisturbsNone) {
  fs::remove_all(captures_ / "b");
  {
    StoreSession writer;
    ASSERT_TRUE(ChunkStore(store_).put(sha256(other_.r0_pre), 5000, Encoding::kRaw, other_.r0_pre, &writer));
    const auto busy = gc();
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code, "STORE_BUSY");
    EXPECT_TRUE(has(other_.r0_pre));
  }
  EXPECT_EQ(gc()->chunks_removed, 1u);
}

TEST_F(Store, GcRefusesWhenAManifestCannotBeRead) {
  fs::remove_all(captures_ / "b");
  fs::create_directories(captures_ / "c" / "capture");
  for (const std::string text : {"{", R"({"schema": "kernloop.capture/2"})", R"({"schema": "kernloop.capture/1"})"}) {
    std::ofstream(captures_ / "c" / "capture" / kManifestFile) << text;
    const auto refused = gc();
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().message.find("nothing was removed"), std::string::npos);
    EXPECT_TRUE(has(other_.r0_pre));
  }
  // Some other program's.
  std::ofstream(captures_ / "c" / "capture" / kManifestFile) << R"({"camera": 3})";
  EXPECT_EQ(gc()->chunks_removed, 1u);
  // A misspelt root would leave nothing in use.
  EXPECT_EQ(collect_garbage({store_, {directory_.path() / "kernel"}, {}, 0s, false}).error().code, "FILE_NOT_FOUND");
  EXPECT_TRUE(is_complete(captures_ / "a" / "capture"));
}

// An unreadable folder is not an empty one.
TEST_F(Store, AFolderOfTheStoreThatCannotBeSeenIsAnError) {
  const fs::path folder = file_of(mine_.r0_pre).parent_path();
  expect_refused(folder, fs::perms::none, "cannot read " + folder.string());
  expect_refused(folder, fs::perms::owner_read, "cannot look at " + folder.string());  // names, and no more
  EXPECT_TRUE(is_complete(captures_ / "a" / "capture"));
}

TEST_F(Store, GcRemovesNothingWhileItCannotSeeWhereCapturesMayBe) {
  // May only be listed: that "b" is a folder is visible, its content is not.
  expect_refused(captures_, fs::perms::owner_read, "nothing was removed");
  expect_refused(captures_ / "b", fs::perms::none, "nothing was removed");
  expect_refused(captures_ / "b", fs::perms::owner_read, "nothing was removed");
  fs::rename(captures_ / "b", directory_.path() / "b");
  fs::create_directory_symlink(directory_.path() / "b" / "capture", captures_ / "link");
  expect_refused(directory_.path() / "b", fs::perms::none, "nothing was removed");
  EXPECT_TRUE(has(other_.r0_pre));
  fs::remove(captures_ / "link");
  // Links to themselves hide nothing, nor do files removed from where gc looks.
  fs::create_symlink("nowhere", captures_ / "nothing");
  fs::create_symlink("itself", captures_ / "itself");
  EXPECT_EQ(gc()->chunks_removed, 1u);
}

// A disk with captures that is not mounted.
TEST_F(Store, GcRemovesNothingWhileALinkLeadsOutToWhatIsNotThere) {
  const fs::path disk = directory_.path() / "disk", away = directory_.path() / "away";
  fs::rename(captures_ / "b", disk);
  fs::create_directory_symlink(disk, directory_.path() / "hop");
  for (const fs::path& target : {disk, directory_.path() / "hop", fs::path("..") / "disk", disk / "capture"}) {
    fs::create_directory_symlink(target, captures_ / "b");
    EXPECT_EQ(gc()->chunks_removed, 0u) << target;
    fs::rename(disk, away);
    const auto refused = gc();
    fs::rename(away, disk);
    ASSERT_FALSE(refused) << target;
    EXPECT_EQ(refused.error().code, "FILE_NOT_FOUND");
    EXPECT_NE(refused.error().message.find((captures_ / "b").string() + " leads to " + disk.string()),
              std::string::npos)
        << refused.error().message;
    EXPECT_TRUE(has(other_.r0_pre));
    fs::remove(captures_ / "b");
  }
}

TEST_F(Store, GcLeavesFilesThatAreNoChunks) {
  const fs::path folder = store_ / "ab", name = std::string(64, 'c');
  fs::create_directories(folder);
  for (const fs::path& path : {store_ / "id", folder / "notes", folder / name}) std::ofstream(path) << "mine";
  ASSERT_TRUE(gc());
  for (const fs::path& path : {store_ / "id", folder / "notes", folder / name}) EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(Store, GcFindsCapturesBehindLinksAndEndsInCircles) {
  fs::rename(captures_ / "b", directory_.path() / "moved");
  fs::create_directory_symlink(directory_.path() / "moved", captures_ / "b");
  fs::create_directory_symlink(captures_, captures_ / "a" / "circle");
  EXPECT_EQ(gc()->chunks_removed, 0u);
  EXPECT_EQ(gc()->captures, 2u);
}

// Captures are written while gc runs again and again without any grace: each that was completed stays complete.
TEST_F(Store, WritersAndGcAtTheSameTime) {
  constexpr int kWriters = 4, kCaptures = 5;
  std::atomic<int> writing{kWriters};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kCaptures; ++i) {
        const fs::path folder = captures_ / std::to_string(writer) / "capture";
        fs::remove_all(folder);  // its chunks are free to go, and wanted again at once
        SampleContents contents;
        contents.r0_pre = noise(5000, 100 + writer);
        write_sample(folder, contents, store_, 0);
      }
      --writing;
    });
  }
  size_t collected = 0;
  while (writing != 0) {
    const auto result = gc();
    collected += result.ok();
    if (!result && result.error().code != "STORE_BUSY") {
      // A manifest may be removed between its name and its reading; gc then refuses, which is right.
      EXPECT_NE(result.error().message.find("nothing was removed"), std::string::npos) << result.error().message;
    }
    std::this_thread::yield();
  }
  for (std::thread& writer : writers) writer.join();
  ASSERT_TRUE(gc());
  for (int writer = 0; writer < kWriters; ++writer)
    EXPECT_TRUE(is_complete(captures_ / std::to_string(writer) / "capture")) << writer << ", after " << collected;
}

TEST_F(Store, VerifyNamesWhatIsDamagedOrMissingAndForWhom) {
  EXPECT_EQ(check().chunks, all_files().size());
  EXPECT_TRUE(check().damaged.count == 0);
  EXPECT_TRUE(check().missing.count == 0);
  EXPECT_EQ(check().captures, 2u);

  std::fstream(file_of(mine_.r1), std::ios::in | std::ios::out).seekp(12).put('!');
  fs::remove(file_of(other_.r0_pre));
  const StoreCheck found = check();
  ASSERT_EQ(found.damaged.count, 1u);
  EXPECT_EQ(found.damaged.listed[0].digest, sha256(mine_.r1));
  EXPECT_EQ(found.damaged.listed[0].captures.size(), 2u);
  ASSERT_EQ(found.missing.count, 1u);
  EXPECT_EQ(found.missing.listed[0].digest, sha256(other_.r0_pre));
  EXPECT_EQ(found.missing.listed[0].captures, std::vector<fs::path>{captures_ / "b" / "capture"});
}

TEST_F(Store, VerifySeesFilesOfImpossibleContent) {
  const auto replace = [&](const Buffer& raw, const std::string& text) { std::ofstream(file_of(raw)) << text; };
  replace(mine_.r1, "");                // zstd, without a header
  replace(mine_.r0_post, "too short");  // raw
  EXPECT_EQ(check().damaged.count, 2u);
  // Claims to be 2^40 bytes: refused before any memory is allocated for it.
  replace(mine_.r1, std::string("\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00", 13));
  EXPECT_EQ(check().damaged.count, 2u);
}

TEST_F(Store, ChunksInAPackAreNotMissing) {
  write_sample(captures_ / "packed" / "capture", SampleContents{.r0_pre = noise(5000, 77)});
  EXPECT_TRUE(check().missing.count == 0);
  fs::remove(captures_ / "packed" / "capture" / kPackFile);
  EXPECT_EQ(check().missing.count, 1u);
}

// A thousand are listed, and all are counted.
TEST_F(Store, VerifyListsABoundedNumberOfProblems) {
  for (unsigned i = 0; i < 1200; ++i) {
    const Digest digest = sha256(noise(8, i));
    fs::create_directories(store_ / digest.hex().substr(0, 2));
    std::ofstream(store_ / digest.hex().substr(0, 2) / digest.hex()) << "other";
  }
  const StoreCheck found = check();
  EXPECT_EQ(found.damaged.count, 1200u);
  ASSERT_EQ(found.damaged.listed.size(), kProblemsListed);
  EXPECT_TRUE(std::ranges::is_sorted(found.damaged.listed, {}, &StoreProblem::digest));
}

// Chunks of one first byte, so many that they do not stay in memory: each belongs to the captures that name it.
TEST(NamedChunksOf, ManyComeBackByDigestAndThenByCapture) {
  NamedChunks named;
  std::vector<ChunkUse> expected;
  const auto add = [&](const Digest& digest, uint32_t capture, uint32_t packed) {
    ASSERT_TRUE(named.add({digest, capture, packed}));
    if (digest.bytes[0] == 7) expected.push_back({digest, 2 - capture, packed});
  };
  for (uint32_t i = 0; i < 3000; ++i) {
    Digest digest = sha256({reinterpret_cast<const uint8_t*>(&i), sizeof i});
    digest.bytes[0] = i % 3 == 0 ? 8 : 7;
    for (uint32_t capture = 0; capture < 3; ++capture) add(digest, capture, i % 2);
  }
  named.renumber({2, 1, 0});
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(expected.size(), 6000u);
  EXPECT_EQ(*named.beginning_with(7), expected);
  EXPECT_EQ(named.beginning_with(8)->size(), 3000u);
  EXPECT_TRUE(named.beginning_with(9)->empty());
}

TEST_F(Store, StatsCountEachChunkOnce) {
  const auto scan = scan_captures({captures_}, {});
  const auto stats = measure_store(store_, *scan);
  ASSERT_TRUE(stats);
  // r0_pre twice, r0_post, r1, two of the variable, the code object; r1 is 100000 bytes of which few are stored.
  EXPECT_EQ(stats->chunks, 7u);
  EXPECT_EQ(stats->bytes_raw, 3 * 5000u + 100000 + 4 + 4 + 300);
  EXPECT_LT(stats->bytes_stored, 20000u);
  EXPECT_EQ(stats->chunks_shared, 5u);
  EXPECT_EQ(stats->chunks_unused, 0u);
  ASSERT_EQ(stats->captures.size(), 2u);
  EXPECT_EQ(stats->captures[0].bytes_own, 5000u);
  EXPECT_EQ(stats->captures[1].bytes_own, 5000u);
  EXPECT_EQ(stats->captures[0].bytes_own + stats->captures[1].bytes_own + stats->bytes_shared, stats->bytes_stored);
}

}  // namespace
}  // namespace kernloop::archive
