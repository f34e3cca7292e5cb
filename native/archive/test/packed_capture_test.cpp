#include "archive/packed/packed_capture.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "archive/packed/packed_layout.h"
#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "archive/test/whole_file.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class PackedCapture : public testing::Test {
 protected:
  void SetUp() override {
    contents_.r0_pre = noise(400, 1), contents_.r0_post = noise(400, 2);
    contents_.r1 = Buffer(3000, 7);
    write_sample(capture_, contents_);
    const Digest digest = sha256(load(capture_ / kManifestFile));
    std::ofstream(capture_ / kSelfcheckFile) << Json({{"capture_sha256", digest.hex()}, {"verdict", "verified"}});
    fs::create_directory(elsewhere_);
  }
  Result<Packed> pack(const fs::path& capture, const std::vector<fs::path>& stores = {}) {
    auto reader = Reader::open(capture, stores);
    if (!reader) return reader.error();
    return pack_capture(**reader, file_);
  }
  Result<Unpacked> unpack(const std::string& symbol = {}) { return unpack_capture({file_, target_, symbol}); }

  // Refused, and nothing at the target or beside it.
  void expect_refused(const std::string& code, const std::string& message) {
    const auto unpacked = unpack();
    ASSERT_FALSE(unpacked) << message;
    EXPECT_EQ(unpacked.error().code, code) << unpacked.error().message;
    EXPECT_NE(unpacked.error().message.find(message), std::string::npos) << unpacked.error().message;
    EXPECT_FALSE(unpacked.error().hint.empty());
    EXPECT_TRUE(names_in(elsewhere_).empty());
  }

  SampleContents contents_;
  TemporaryDirectory directory_;
  const fs::path capture_ = directory_.path() / "capture", file_ = directory_.path() / "a.klcap",
                 elsewhere_ = directory_.path() / "elsewhere", target_ = elsewhere_ / "capture";
};

// Without it a kernel that the app compiled at run time would have no source on the other machine.
TEST_F(PackedCapture, TakesTheProgramOfAKernelThatWasCompiledAtRunTime) {
  const std::string program = R"({"schema":"kernloop.nvrtc/1","source":"X19nbG9iYWxfXw=="})";
  std::ofstream(capture_ / kNvrtcFile) << program;
  std::ofstream(capture_ / kTritonFile) << R"({"schema":"kernloop.triton/1"})";
  ASSERT_TRUE(pack(capture_));
  ASSERT_TRUE(unpack());
  EXPECT_EQ(load(target_ / kNvrtcFile), bytes_of(program));
  EXPECT_EQ(load(target_ / kTritonFile), bytes_of(R"({"schema":"kernloop.triton/1"})"));

  fs::remove_all(target_);
  std::ofstream(capture_ / kNvrtcFile) << "[]";
  fs::remove(file_);
  const auto packed = pack(capture_);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, "PACKED_INVALID");
}

TEST_F(PackedCapture, BecomesTheSameCaptureElsewhere) {
  const auto packed = pack(capture_);
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->bytes, fs::file_size(file_));
  const auto unpacked = unpack();
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked->outcome, UnpackOutcome::kWritten);
  EXPECT_EQ(unpacked->capture_sha256, packed->capture_sha256);
  EXPECT_EQ(names_in(elsewhere_), std::vector<std::string>{"capture"});
  EXPECT_EQ(names_in(target_), names_in(capture_));
  for (const char* name : {kManifestFile, kObservedFile, kSelfcheckFile, kPackFile})
    EXPECT_EQ(load(target_ / name), load(capture_ / name)) << name;
}

TEST_F(PackedCapture, HoldsTheChunksOfAStore) {
  const fs::path outside = directory_.path() / "outside", store = directory_.path() / "store";
  write_sample(outside, contents_, store, 0);
  ASSERT_FALSE(fs::exists(outside / kPackFile));
  const auto missing = pack(outside);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "CHUNK_MISSING");
  EXPECT_FALSE(fs::exists(file_));
  ASSERT_TRUE(pack(outside, {store}));
  fs::remove_all(store);
  ASSERT_TRUE(unpack());
  auto reader = Reader::open(target_, {});
  ASSERT_TRUE(reader);
  for (const ContentView& view : contents_of((*reader)->manifest())) EXPECT_TRUE((*reader)->read_all(view, 1 << 20));
}

TEST_F(PackedCapture, IsTheSameBytesWhereverTheChunksWere) {
  ASSERT_TRUE(pack(capture_));
  const Buffer from_pack = load(file_);
  const fs::path outside = directory_.path() / "outside", store = directory_.path() / "store";
  write_sample(outside, contents_, store, 0);
  fs::copy_file(capture_ / kSelfcheckFile, outside / kSelfcheckFile);
  ASSERT_TRUE(pack(outside, {store}));  // the same capture: replaces the file
  EXPECT_EQ(load(file_), from_pack);
  // A chunk that is stored raw although it compresses.
  const std::string hex = sha256(contents_.r1).hex();
  fs::remove(store / hex.substr(0, 2) / (hex + ".zst"));
  save(store / hex.substr(0, 2) / hex, contents_.r1);
  ASSERT_TRUE(pack(outside, {store}));
  EXPECT_EQ(load(file_), from_pack);
}

TEST_F(PackedCapture, IsATarForEverybodyElse) {
  ASSERT_TRUE(pack(capture_));
  fs::create_directory(target_);
  ASSERT_EQ(std::system(("tar -xf " + file_.string() + " -C " + target_.string()).c_str()), 0);
  EXPECT_EQ(names_in(target_), names_in(capture_));
  EXPECT_EQ(load(target_ / kPackFile), load(capture_ / kPackFile));
  EXPECT_EQ(load(target_ / kManifestFile), load(capture_ / kManifestFile));
}

TEST_F(PackedCapture, NeverReplacesAnythingElse) {
  save(file_, bytes_of("somebody's"));
  const auto packed = pack(capture_);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, "TARGET_EXISTS");
  EXPECT_EQ(load(file_), bytes_of("somebody's"));
  fs::remove(file_);
  ASSERT_TRUE(pack(capture_));

  save(target_, bytes_of("a file"));
  EXPECT_EQ(unpack().error().code, "TARGET_EXISTS");
  fs::remove(target_);
  fs::create_directory_symlink(directory_.path(), target_);
  EXPECT_EQ(unpack().error().code, "TARGET_EXISTS");
  fs::remove(target_);
  fs::create_directory(target_);
  save(target_ / "notes.txt", bytes_of("mine"));
  EXPECT_EQ(unpack().error().code, "TARGET_EXISTS");
  EXPECT_EQ(names_in(target_), std::vector<std::string>{"notes.txt"});
  fs::remove(target_ / "notes.txt");
  SampleContents other;
  write_sample(target_, other);
  EXPECT_EQ(unpack().error().code, "TARGET_EXISTS");
  EXPECT_EQ(names_in(elsewhere_), std::vector<std::string>{"capture"});
}

TEST_F(PackedCapture, TheSameCaptureIsKeptAndGetsItsChunksBack) {
  ASSERT_TRUE(pack(capture_));
  ASSERT_TRUE(unpack());
  EXPECT_EQ(unpack()->outcome, UnpackOutcome::kUnchanged);
  const Buffer good = load(target_ / kPackFile);
  for (const bool cut : {false, true}) {
    fs::remove(target_ / kPackFile);
    if (cut) save(target_ / kPackFile, Bytes(good).first(20));
    const auto repaired = unpack();
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(repaired->outcome, UnpackOutcome::kRepaired);
    EXPECT_EQ(load(target_ / kPackFile), good);
    EXPECT_EQ(names_in(elsewhere_), std::vector<std::string>{"capture"});
  }
}

TEST_F(PackedCapture, ReplacesNoFileThatIsOnlyCalledAsItsPack) {
  ASSERT_TRUE(pack(capture_));
  ASSERT_TRUE(unpack());
  for (const std::string mine : {"", "mine", "mine, and longer than the header of a pack"}) {
    save(target_ / kPackFile, bytes_of(mine));
    EXPECT_EQ(unpack().error().code, "TARGET_EXISTS") << mine;
    EXPECT_EQ(load(target_ / kPackFile).size(), mine.size());
  }
  fs::remove(target_ / kPackFile);
  fs::create_symlink(directory_.path() / "elsewhere", target_ / kPackFile);
  EXPECT_EQ(unpack().error().code, "TARGET_EXISTS");
  EXPECT_TRUE(fs::is_symlink(target_ / kPackFile));
}

TEST_F(PackedCapture, OfAnotherKernelIsRefused) {
  ASSERT_TRUE(pack(capture_));
  EXPECT_TRUE(unpack("_Z5scalePfi"));
  fs::remove_all(target_);
  EXPECT_EQ(unpack("_Z5scalePfii").error().code, "CAPTURE_INVALID");
  EXPECT_TRUE(names_in(elsewhere_).empty());
}

// A file of these entries, valid or not.
class HostileFile {
 public:
  HostileFile& add(const std::string& name, Bytes content, char type = '0', const std::string& link = {}) {
    Buffer header = tar_header({name, content.size(), false});
    header[156] = static_cast<uint8_t>(type);
    std::copy(link.begin(), link.end(), header.begin() + 157);
    if (type != '0') seal(header);
    append(header);
    append(content);
    bytes_.resize(bytes_.size() + tar_padding(content.size()));
    return *this;
  }
  HostileFile& append(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  HostileFile& end() { return append(Buffer(kTarEndBytes)); }
  void write(const fs::path& path) const { save(path, bytes_); }

  static void seal(Buffer& header) {
    std::fill_n(header.begin() + 148, 8, uint8_t{' '});
    unsigned sum = 0;
    for (size_t i = 0; i < kTarBlockBytes; ++i) sum += header[i];
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    std::copy_n(text, 7, header.begin() + 148);
  }

 private:
  Buffer bytes_;
};

TEST_F(PackedCapture, HostileEntriesAreRefused) {
  const Buffer manifest = load(capture_ / kManifestFile), observed = load(capture_ / kObservedFile),
               chunks = load(capture_ / kPackFile), text = bytes_of("{}");
  const auto good = [&] { return HostileFile().add(kManifestFile, manifest); };

  good().add("/etc/cron.d/x", text).add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "\"/etc/cron.d/x\"");
  good().add("../observed.json", text).add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "\"../observed.json\"");
  good().add("./observed.json", text).add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "no file of a capture");
  good().add(kObservedFile, {}, '2', "/etc/passwd").add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "a symbolic link");
  good().add(kObservedFile, {}, '1', "capture.json").add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "a hard link");
  good().add(kObservedFile, {}, '5').add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "a folder");
  good().add(kObservedFile, observed).add(kObservedFile, observed).add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "twice");
  good().add(kPackFile, chunks).add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "twice");
  HostileFile().add(kPackFile, chunks).end().write(file_);
  expect_refused("PACKED_INVALID", "lacks");
  good().end().write(file_);
  expect_refused("PACKED_INVALID", "lacks");
  good().add(kPackFile, chunks).end().append(Buffer(512)).write(file_);
  expect_refused("PACKED_INVALID", "goes on");
  good().add(kPackFile, chunks).write(file_);
  expect_refused("PACKED_INVALID", "");
  good()
      .add(kSelfcheckFile, bytes_of(R"({"capture_sha256":"00","verdict":"verified"})"))
      .add(kPackFile, chunks)
      .end()
      .write(file_);
  expect_refused("CAPTURE_INVALID", "another capture");
  HostileFile().end().write(file_);
  expect_refused("PACKED_INVALID", "lacks");
  save(file_, {});
  expect_refused("PACKED_INVALID", "ends in the middle");
}

// Sizes that are declared and not there, and chunks that the manifest does not ask for.
TEST_F(PackedCapture, SizesAreBoundedByTheFileAndTheManifest) {
  const Buffer manifest = load(capture_ / kManifestFile);
  HostileFile()
      .append(tar_header({kManifestFile, manifest.size(), false}))
      .append(manifest)
      .append(Buffer(tar_padding(manifest.size())))
      .append(tar_header({kPackFile, uint64_t{1} << 60, true}))
      .append(Buffer(kTarEndBytes))
      .write(file_);
  expect_refused("PACKED_INVALID", "more than it can have");
  HostileFile().append(tar_header({kManifestFile, (uint64_t{1} << 33) - 1, false})).append(Buffer(4096)).write(file_);
  expect_refused("PACKED_INVALID", "more than it can have");

  // A pack with a chunk more than the manifest names: it would be kept and never looked at.
  const fs::path larger = directory_.path() / "chunks";
  auto writer = PackWriter::create(larger);
  auto reader = Reader::open(capture_, {});
  for (const ContentView& view : contents_of((*reader)->manifest())) {
    const Buffer raw = *(*reader)->read_all(view, 1 << 20);
    ASSERT_TRUE((*writer)->put(sha256(raw), raw.size(), Encoding::kRaw, raw));
  }
  const Buffer stowaway = noise(100, 9);
  ASSERT_TRUE((*writer)->put(sha256(stowaway), stowaway.size(), Encoding::kRaw, stowaway));
  ASSERT_TRUE((*writer)->finish());
  HostileFile().add(kManifestFile, manifest).add(kPackFile, load(larger)).end().write(file_);
  expect_refused("PACKED_INVALID", "chunks, and its manifest names");
}

TEST(Tar, SizesBeyondUstarAreRead) {
  const TarEntry large{kPackFile, uint64_t{3} << 40, true};
  const Buffer header = tar_header(large);
  ASSERT_EQ(header.size(), 3 * kTarBlockBytes);
  const auto parsed = parse_tar_header(header);
  ASSERT_TRUE(parsed && *parsed) << parsed.error().message;
  EXPECT_EQ((*parsed)->entry.size, large.size);
  EXPECT_EQ((*parsed)->header_bytes, header.size());
  // The record counts its own digits: 19 bytes and 20 differ in nothing else.
  const std::string record(header.begin() + 512, std::find(header.begin() + 512, header.end(), 0));
  EXPECT_EQ(record, "22 size=3298534883328\n");
  EXPECT_EQ(record.size(), 22u);
}

// Damage all over the file: refused with nothing left behind, or harmless to what the manifest promises.
TEST_F(PackedCapture, NoDamageIsTakenForGood) {
  ASSERT_TRUE(pack(capture_));
  const Buffer original = load(file_);
  const Buffer manifest = load(capture_ / kManifestFile);
  const std::vector<Buffer> expected = {contents_.r0_pre,     contents_.r0_post,      contents_.r1,
                                        contents_.r1,         contents_.variable_pre, contents_.variable_post,
                                        contents_.code_object};
  size_t taken = 0;
  const auto attempt = [&](Bytes bytes, const std::string& what) {
    save(file_, bytes);
    const auto unpacked = unpack();
    if (!unpacked) {
      EXPECT_FALSE(unpacked.error().message.empty()) << what;
      EXPECT_TRUE(names_in(elsewhere_).empty()) << what;
      return;
    }
    ++taken;
    EXPECT_EQ(load(target_ / kManifestFile), manifest) << what;
    // The same content, though not always the same bytes: a zstd frame has bits that mean nothing.
    const auto reader = Reader::open(target_, {});
    ASSERT_TRUE(reader) << what;
    std::vector<Buffer> read;
    for (const ContentView& view : contents_of((*reader)->manifest())) {
      const auto bytes = (*reader)->read_all(view, 1 << 20);
      read.push_back(bytes ? *bytes : Buffer());
    }
    EXPECT_EQ(read, expected) << what;
    fs::remove_all(target_);
  };
  // Steps that have no common factor with a block: every field of a header is met in one entry or another.
  for (size_t i = 0; i < original.size(); i += 5) {
    Buffer damaged = original;
    damaged[i] ^= static_cast<uint8_t>(1 << (i % 8));
    attempt(damaged, "bit flipped in byte " + std::to_string(i));
  }
  // The self-check names the manifest's digest, which catches every change of the manifest. Undetected changes:
  // observed.json, words of selfcheck.json, bits without meaning.
  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, load(capture_ / kObservedFile).size() + load(capture_ / kSelfcheckFile).size() + 16);
  taken = 0;
  for (size_t size = 0; size < original.size(); size += 13)
    attempt(Bytes(original).first(size), "cut to " + std::to_string(size));
  Buffer longer = original;
  longer.push_back(0);
  attempt(longer, "a byte more");
  EXPECT_EQ(taken, 0u);
}

}  // namespace
}  // namespace kernloop::archive
