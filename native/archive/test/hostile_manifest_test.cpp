// Each program that reads captures of others refuses a manifest that asks for too much, and takes little memory for it.
#include <gtest/gtest.h>

#include <fstream>

#include "archive/packed/packed_layout.h"
#include "archive/packed/tar.h"
#include "archive/test/hostile_manifests.h"
#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"
#include "replay/test/program_run.h"

namespace kernloop::archive {
namespace {

namespace fs = std::filesystem;
using replay::ProgramRun;

class HostileCapture : public testing::Test {
 protected:
  HostileCapture() {
    SampleContents contents;
    contents.r1 = Buffer(kChunkBytes, 7);
    write_sample(capture_, contents);
    std::ifstream(capture_ / kManifestFile) >> manifest_;
  }

  // The capture, and the same capture packed, with this manifest.
  void write(const Json& manifest) {
    const std::string text = manifest.dump();
    std::ofstream(capture_ / kManifestFile) << text;
    std::ifstream pack(capture_ / kPackFile, std::ios::binary);
    const std::string chunks{std::istreambuf_iterator<char>(pack), {}};
    std::ofstream packed(packed_, std::ios::binary);
    const auto put = [&](const std::string& name, const std::string& content, bool pax) {
      const Buffer header = tar_header({name, content.size(), pax});
      packed.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
      packed << content << std::string(tar_padding(content.size()), '\0');
    };
    put(kManifestFile, text, false);
    put(kPackFile, chunks, true);
    packed << std::string(kTarEndBytes, '\0');
  }

  void expect_refusals(const std::string& what, const std::string& refusal) {
    const std::string output = (directory_.path() / "output").string();
    const std::vector<std::vector<std::string>> readers = {{"verify", capture_.string()},
                                                           {"code-object", capture_.string(), "--output", output},
                                                           {"unpack", packed_.string(), "--output", output}};
    for (const auto& arguments : readers) {
      const ProgramRun run = replay::run_program(KERNLOOP_TEST_ARCHIVE, arguments, {});
      EXPECT_EQ(run.last().value("code", ""), "CAPTURE_INVALID") << arguments[0] << ": " << what << ": " << run.last();
      EXPECT_NE(run.last().value("message", "").find(refusal), std::string::npos)
          << arguments[0] << ": " << what << ": " << run.last();
      EXPECT_LT(run.peak_bytes, kMostHostileBytes) << arguments[0] << ": " << what;
      EXPECT_FALSE(fs::exists(output)) << arguments[0] << ": " << what;
    }
  }

  TemporaryDirectory directory_;
  const fs::path capture_ = directory_.path() / "capture", packed_ = directory_.path() / "packed";
  Json manifest_;
};

TEST_F(HostileCapture, IsRefusedByNameWithinLittleMemory) {
  for (const HostileManifest& hostile : hostile_manifests()) {
    Json edited = manifest_;
    hostile.edit(edited);
    write(edited);
    expect_refusals(hostile.name, hostile.refusal);
  }
}

// A digest that is not theirs tells before they are read as a whole.
TEST_F(HostileCapture, ZerosOrOneChunkAgainAndAgainAreNoCodeObject) {
  const size_t chunks = kMostHostileBytes / kChunkBytes + 8;
  const std::string output = (directory_.path() / "output").string();
  for (const Json& chunk : {Json(), manifest_["regions"][1]["pre"]["chunks"][0]}) {
    manifest_["code_objects"][0]["size"] = chunks * kChunkBytes;
    manifest_["code_objects"][0]["content"]["chunks"] = Json::array_t(chunks, chunk);
    write(manifest_);
    for (const auto& arguments : {std::vector<std::string>{"verify", capture_.string()},
                                  {"code-object", capture_.string(), "--output", output}}) {
      const ProgramRun run = replay::run_program(KERNLOOP_TEST_ARCHIVE, arguments, {});
      EXPECT_NE(run.last().value("message", "").find("other content than its name says"), std::string::npos)
          << run.last();
      EXPECT_LT(run.peak_bytes, kMostHostileBytes) << arguments[0];
    }
  }
}

}  // namespace
}  // namespace kernloop::archive
