#include "archive/store/chunk_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "archive/files/file.h"
#include "archive/store/staging_folder.h"
#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

Result<uint64_t> put(const ChunkStore& store, const Buffer& raw) {
  const EncodedChunk chunk = encode_chunk(raw);
  return store.put(sha256(raw), chunk.raw_bytes, chunk.encoding, chunk.stored(raw));
}

std::vector<fs::path> files_in(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

TEST(ChunkStore, NamesFilesByDigestAsDocumented) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  const Buffer raw = noise(5000, 1), compressible(5000, 1);
  ASSERT_TRUE(put(store, raw));
  ASSERT_TRUE(put(store, compressible));
  const std::string a = sha256(raw).hex(), b = sha256(compressible).hex();
  EXPECT_TRUE(fs::is_regular_file(directory.path() / a.substr(0, 2) / a));
  EXPECT_TRUE(fs::is_regular_file(directory.path() / b.substr(0, 2) / (b + ".zst")));
}

TEST(ChunkStore, StoresAChunkOnce) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  const Buffer raw = noise(5000, 1);
  EXPECT_EQ(*put(store, raw), 5000u);
  EXPECT_EQ(*put(store, raw), 0u);
  EXPECT_EQ(files_in(directory.path()).size(), 1u);
}

TEST(ChunkStore, TellsMissingFromDamaged) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  const Buffer raw = noise(5000, 1);
  Buffer read(raw.size());
  EXPECT_FALSE(*store.get(sha256(raw), read));
  ASSERT_TRUE(put(store, raw));
  EXPECT_TRUE(*store.get(sha256(raw), read));
  EXPECT_EQ(read, raw);
  std::fstream(files_in(directory.path())[0], std::ios::in | std::ios::out | std::ios::binary).seekp(100).put('!');
  const auto damaged = store.get(sha256(raw), read);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, "CHUNK_CORRUPT");
}

TEST(ChunkStore, ReplacesADamagedChunkWhenItIsPutAgain) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  for (const Buffer& raw : {noise(5000, 1), Buffer(5000, 9)}) {
    ASSERT_TRUE(put(store, raw));
    // Damaged in the other encoding, too: get() must not stop at it.
    const std::string hex = sha256(raw).hex();
    std::ofstream(directory.path() / hex.substr(0, 2) / hex) << "garbage";
    ASSERT_TRUE(put(store, raw));
    Buffer read(raw.size());
    const auto got = store.get(sha256(raw), read);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_TRUE(*got);
    EXPECT_EQ(read, raw);
  }
}

TEST(ChunkStore, FindsDamageAnywhereInAChunkThatIsPutAgain) {
  for (const std::streamoff at : {0, 300 << 10, (1 << 20) - 1}) {
    TemporaryDirectory directory;
    const ChunkStore store(directory.path());
    const Buffer raw = noise(1 << 20, 1);
    ASSERT_TRUE(put(store, raw));
    const fs::path file = files_in(directory.path())[0];
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(at)
        .put(static_cast<char>(raw[static_cast<size_t>(at)] ^ 1));
    EXPECT_EQ(*put(store, raw), raw.size()) << at;
    Buffer read(raw.size());
    EXPECT_TRUE(store.get(sha256(raw), read)) << at;
  }
}

TEST(ChunkStore, TakesAGoodCopyThatIsStoredOtherwise) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  const Buffer raw(5000, 9);
  EXPECT_EQ(*store.put(sha256(raw), 5000, Encoding::kRaw, raw), 5000u);
  EXPECT_EQ(*put(store, raw), 0u) << "compressed this time";
  EXPECT_EQ(files_in(directory.path()).size(), 1u);
}

TEST(ChunkStore, TakesWritersFromSeveralThreadsAndProcesses) {
  TemporaryDirectory directory;
  const auto write_all_chunks = [&] {
    const ChunkStore store(directory.path());
    for (uint32_t seed = 0; seed < 20; ++seed) {
      if (!put(store, noise(20000, seed))) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_all_chunks() ? 0 : 1);
    children.push_back(child);
  }
  std::thread other([&] { EXPECT_TRUE(write_all_chunks()); });
  EXPECT_TRUE(write_all_chunks());
  other.join();
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_in(directory.path()).size(), 20u) << "no temporary file may be left behind";
  const ChunkStore store(directory.path());
  Buffer read(20000);
  for (uint32_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(*store.get(sha256(noise(20000, seed)), read));
}

// Each claim makes the folder of all writers, and the last to end removes it: under everybody's feet.
TEST(ChunkStore, GivesFoldersToWritersThatComeAndGoAllTheTime) {
  TemporaryDirectory directory;
  const auto come_and_go = [&] {
    for (int i = 0; i < 800; ++i) {
      if (auto claimed = StagingFolder::claim(directory.path()); !claimed) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(come_and_go() ? 0 : 1);
    children.push_back(child);
  }
  EXPECT_TRUE(come_and_go());
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

// A killed writer holds no lock any more; the next writer removes its files, those of a living one stay.
TEST(ChunkStore, TemporaryFilesOfDeadWritersGoAndOfLivingOnesStay) {
  TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    auto staging = StagingFolder::claim(directory.path());
    const bool written = staging && replace_file((*staging)->path() / "half", Buffer(10, 1));
    ::kill(::getpid(), written ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  ASSERT_EQ(files_in(directory.path()).size(), 1u) << "the killed writer leaves its file";

  auto living = StagingFolder::claim(directory.path());
  ASSERT_TRUE(living);
  EXPECT_EQ(files_in(directory.path()).size(), 0u);
  ASSERT_TRUE(replace_file((*living)->path() / "half", Buffer(10, 1)));
  StagingFolder::sweep(directory.path());
  EXPECT_EQ(files_in(directory.path()), std::vector<fs::path>{(*living)->path() / "half"});
  living->reset();
  EXPECT_TRUE(fs::is_empty(directory.path())) << "not even an empty folder";
}

TEST(ChunkStore, DoesNotHangOnAFifoInTheWay) {
  TemporaryDirectory directory;
  const ChunkStore store(directory.path());
  const std::string hex = sha256(noise(10, 1)).hex();
  fs::create_directories(directory.path() / hex.substr(0, 2));
  ASSERT_EQ(::mkfifo((directory.path() / hex.substr(0, 2) / hex).c_str(), 0600), 0);
  Buffer read(10);
  EXPECT_FALSE(store.get(sha256(noise(10, 1)), read));
}

TEST(File, SaysThatTheDiskIsFull) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const auto written = write_all(full, noise(10, 1), "/dev/full");
  ::close(full);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "DISK_FULL");
}

}  // namespace
}  // namespace kernloop::archive
