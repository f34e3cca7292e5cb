// Between us and LLVM 22's own tools, both ways.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "pgo/collect/test/kernels.h"
#include "pgo/collect/test/run.h"
#include "pgo/format/files.h"
#include "pgo/format/test/image.h"

namespace kernloop::pgo {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::Folder;
using test::run;

// Name -> hash and counters of a text profile.
std::map<std::string, std::vector<uint64_t>> parse_text(const std::string& text) {
  std::map<std::string, std::vector<uint64_t>> functions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#' || line[0] == ':') continue;
    const std::string name = line;
    std::vector<uint64_t>& values = functions[name];
    while (std::getline(lines, line) && !line.empty()) {
      if (line.find("Num Value Kinds") != line.npos) break;
      if (line[0] != '#') values.push_back(std::stoull(line));
    }
    while (!line.empty() && std::getline(lines, line)) continue;  // values
  }
  return functions;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string checked(const std::string& command, const std::map<std::string, std::string>& environment = {}) {
  const Ended ended = run(environment, command);
  EXPECT_EQ(ended.status, 0) << command << "\n" << ended.said;
  return ended.said;
}

std::map<std::string, std::string> on_softgpu(const Folder& folder) {
  return {{"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU},
          {"KERNLOOP_SOFTGPU", "gfx90a"},
          {"LD_PRELOAD", KERNLOOP_TEST_COLLECTOR},
          {"LLVM_PROFILE_FILE", folder.path() / "p.profraw"}};
}

std::string device_profiles(const Folder& folder) {
  std::string files;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename();
    if (name.find("amdgcn") != name.npos && name.ends_with(".profraw")) files += " " + entry.path().string();
  }
  return files;
}

const std::string kPgo = KERNLOOP_TEST_PGO, kProfdata = "llvm-profdata-22";

// The same files merged by both, one of them three times as much.
void expect_same_merge(const std::string& once, const std::string& thrice, const fs::path& folder) {
  checked(kPgo + " merge --input " + once + " --weighted-input 3," + thrice + " --output " +
          (folder / "ours.proftext").string());
  checked(kProfdata + " merge -weighted-input=1," + once + " -weighted-input=3," + thrice + " -o " +
          (folder / "theirs.profdata").string());
  checked(kProfdata + " merge " + (folder / "ours.proftext").string() + " -o " + (folder / "ours.profdata").string());
  const auto ours = parse_text(checked(kProfdata + " merge -text -o - " + (folder / "ours.profdata").string()));
  const auto theirs = parse_text(checked(kProfdata + " merge -text -o - " + (folder / "theirs.profdata").string()));
  EXPECT_FALSE(ours.empty());
  EXPECT_EQ(ours, theirs);
  // LLVM's merged profile is read by us.
  checked(kPgo + " merge --input " + (folder / "theirs.profdata").string() + " --output " +
          (folder / "again.proftext").string());
  EXPECT_EQ(parse_text(text_of(folder / "again.proftext")), theirs);
}

TEST(Interoperability, OurFilesAreMergedByLlvmAsByUs) {
  const Folder folder;
  checked(KERNLOOP_TEST_STATIC_APP, on_softgpu(folder));
  std::istringstream files(device_profiles(folder));
  std::string first, second;
  files >> first >> second;
  ASSERT_FALSE(second.empty());
  expect_same_merge(first, first, folder.path());
  expect_same_merge(first, second, folder.path());
}

TEST(Interoperability, ProfilesOfStockInstrumentationAreMergedAsLlvmDoes) {
  const Folder host;
  const auto at = [&](const char* name) { return (host.path() / name).string(); };
  checked(KERNLOOP_TEST_HOST_APP, {{"LLVM_PROFILE_FILE", at("a.profraw")},
                                   {"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU},
                                   {"KERNLOOP_SOFTGPU", "gfx90a"}});
  expect_same_merge(at("a.profraw"), at("a.profraw"), host.path());
  const Folder device;
  checked(KERNLOOP_TEST_MODULE_APP + std::string(" load unload ") + KERNLOOP_TEST_STOCK_MODULE + " alpha",
          on_softgpu(device));
  const std::string stock = device_profiles(device).substr(1);
  expect_same_merge(stock, stock, device.path());
}

// The plugin's counters are stock's, and so are the hashes: one profile serves both.
TEST(Interoperability, TheSameKernelHasTheSameProfileInStockAndOurInstrumentation) {
  const auto text = [](const char* module) {
    const Folder folder;
    checked(KERNLOOP_TEST_MODULE_APP + std::string(" load unload ") + module + " alpha", on_softgpu(folder));
    return parse_text(checked(kProfdata + " merge -text -o - " + device_profiles(folder)));
  };
  const auto stock = text(KERNLOOP_TEST_STOCK_MODULE);
  EXPECT_EQ(stock, text(KERNLOOP_TEST_MODULE));
  EXPECT_EQ(stock.size(), 1u);
}

TEST(Interoperability, StockClangUsesOurProfile) {
  const Folder folder;
  checked(KERNLOOP_TEST_MODULE_APP + std::string(" load unload ") + KERNLOOP_TEST_MODULE + " alpha",
          on_softgpu(folder));
  const fs::path profile = folder.path() / "alpha.profdata", text = folder.path() / "alpha.proftext";
  checked(kPgo + " merge --input " + device_profiles(folder).substr(1) + " --output " + text.string());
  checked(kProfdata + " merge " + text.string() + " -o " + profile.string());
  const std::string code =
      checked(KERNLOOP_TEST_USE_COMPILE " -Werror -fprofile-use=" + profile.string() + " -S -emit-llvm -o -");
  EXPECT_NE(code.find("!\"branch_weights\""), std::string::npos);
  const int lanes = (kElements + kBlock - 1) / kBlock * kBlock;
  EXPECT_NE(code.find("!\"function_entry_count\", i64 " + std::to_string(lanes)), std::string::npos)
      << code.substr(code.size() - 2000);
}

TEST(Interoperability, TheHostsHalfLiesBesideTheDevices) {
  const Folder folder;
  checked(KERNLOOP_TEST_HOST_APP, on_softgpu(folder));
  const fs::path host = folder.path() / "p.profraw";
  ASSERT_TRUE(fs::exists(host));
  const std::string device = device_profiles(folder).substr(1);
  checked(kProfdata + " merge " + host.string() + " -o " + (folder.path() / "p.profdata").string());
  checked(kPgo + " merge --input " + device + " --output " + (folder.path() / "d.proftext").string() + " --waves " +
          (folder.path() / "d.waves.json").string());
  const auto of_host = parse_text(checked(kProfdata + " merge -text -o - " + (folder.path() / "p.profdata").string()));
  const auto& twice = of_host.at("_Z12twice_if_oddi");
  EXPECT_EQ(twice.back(), 10u);  // calls
  // The profile is used as the stages of an app use it: entries and branches of the host's functions.
  const std::string code =
      checked(KERNLOOP_TEST_HOST_COMPILE " -Xarch_host -fprofile-use=" + (folder.path() / "p.profdata").string() +
              " -S -emit-llvm -o -");
  EXPECT_NE(code.find("!\"function_entry_count\", i64 10}"), std::string::npos);
  EXPECT_NE(code.find("!\"branch_weights\", i32 1, i32 0}"), std::string::npos);
  EXPECT_EQ(code.find("warning:"), std::string::npos);
  const auto of_device = parse_text(text_of(folder.path() / "d.proftext"));
  EXPECT_TRUE(of_device.contains("_Z4workPii"));
  EXPECT_FALSE(of_device.contains("main"));
  EXPECT_NE(text_of(folder.path() / "d.waves.json").find("\"kernloop.pgo-waves/1\""), std::string::npos);
}

TEST(Program, WhatWasReadBackFromADeviceIsConvertedAndMerged) {
  const Folder folder;
  const DeviceImage image = test::sample_image();
  for (const ImagePart& part : image_parts())
    ASSERT_TRUE(write_file(folder.path() / (std::string(part.prefix) + image.cuid + ".bin"), image.*part.bytes));
  std::ofstream(folder.path() / "lens.json") << "{}";
  const fs::path base = folder.path() / "r.profraw", text = folder.path() / "r.proftext";
  const std::string said = checked(kPgo + " convert --input " + folder.path().string() + " --output " + base.string());
  EXPECT_NE(said.find("reduced 16 slots to 4 counters"), std::string::npos) << said;
  const std::string raw = (folder.path() / ("r.amdgcn-amd-amdhsa." + image.cuid + ".profraw")).string();
  EXPECT_NE(checked(kProfdata + " show --all-functions --counts " + raw).find("Block counts: [10, 100, 1000]"),
            std::string::npos);
  const fs::path waves = folder.path() / "r.waves.json";
  checked(kPgo + " merge --input " + raw + " --output " + text.string() + " --waves " + waves.string());
  EXPECT_EQ(parse_text(text_of(text)).at("kern"), (std::vector<uint64_t>{77, 3, 10, 100, 1000}));
  EXPECT_NE(text_of(waves).find("\"pattern\": \"UDU\""), std::string::npos) << text_of(waves);
  // Profiles of one run and another architecture: nothing is written.
  const Ended mixed =
      run({}, kPgo + " merge --arch gfx1030 --input " + raw + " --output " + (folder.path() / "m.proftext").string());
  EXPECT_EQ(WEXITSTATUS(mixed.status), 2);
  EXPECT_NE(mixed.said.find("PGO_ARCH_MIXED"), std::string::npos) << mixed.said;
  EXPECT_FALSE(fs::exists(folder.path() / "m.proftext"));
  // The side files beside it must belong to it.
  fs::copy_file(folder.path() / ("__profd_all_" + image.cuid + ".bin"), fs::path(raw).replace_extension(".wavecnts"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(WEXITSTATUS(run({}, kPgo + " show --input " + raw).status), 2);
}

TEST(Program, ErrorsAreOneObjectWithACodeAndItsExitCode) {
  const Folder folder;
  const auto fails = [&](const std::string& arguments, const std::string& code) {
    const Ended ended = run({}, kPgo + " " + arguments);
    EXPECT_EQ(WEXITSTATUS(ended.status), 2) << ended.said;
    EXPECT_NE(ended.said.find("\"code\":\"" + code + "\""), std::string::npos) << ended.said;
  };
  fails("", "USAGE");
  fails("merge --input x", "USAGE");
  fails("merge --weighted-input 0,x --output y", "USAGE");
  fails("merge --input x --output y --write-prev-version --waves z", "USAGE");
  fails("show --input " + (folder.path() / "none").string(), "FILE_NOT_FOUND");
  fails("convert --input " + folder.path().string() + " --output " + (folder.path() / "o.profraw").string(),
        "PGO_NOT_INSTRUMENTED");
  std::ofstream(folder.path() / "empty.profraw");
  fails("show --input " + (folder.path() / "empty.profraw").string(), "PGO_PROFILE_EMPTY");
}

}  // namespace
}  // namespace kernloop::pgo
