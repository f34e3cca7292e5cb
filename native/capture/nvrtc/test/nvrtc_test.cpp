#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "capture/nvrtc/program_record.h"
#include "capture/test/program.h"

namespace kernloop::nvrtc {
namespace {

using Environment = std::map<std::string, std::string>;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Nvrtc : public ::testing::TestWithParam<const char*> {
 protected:
  Nvrtc() {
    std::string name = (std::filesystem::temp_directory_path() / "kernloop-nvrtc-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Nvrtc() override { std::filesystem::remove_all(folder_); }

  /// Exit code; the output is kept.
  int run(const std::vector<std::string>& command, const Environment& environment) {
    testing::Program program({command, environment, false});
    const int code = program.wait(std::chrono::seconds(60));
    output_ = program.output();
    return code;
  }
  Environment recording() const {
    return {{"LD_AUDIT", KERNLOOP_TEST_AUDIT},
            {"KERNLOOP_NVRTC_DIR", folder_.string()},
            {"KERNLOOP_LOG_FILE", (folder_ / "log").string()},
            {"FAKE_NVRTC_CUBIN", KERNLOOP_TEST_CUBIN}};
  }
  std::vector<std::string> app() const {
    return {std::string(KERNLOOP_TEST_APPS) + GetParam(), KERNLOOP_TEST_FAKE_NVRTC};
  }
  /// By their extension, in the order of the programs.
  std::vector<std::filesystem::path> files(const std::string& extension) const {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == extension) found.insert(entry.path());
    }
    return {found.begin(), found.end()};
  }

  std::filesystem::path folder_;
  std::string output_;
};

/// The cubin is committed, its size comes from the file system.
std::string size_line() {
  return std::to_string(std::filesystem::file_size(KERNLOOP_TEST_CUBIN)) + "\n";
}

/// Linked, it is found by the name that the app holds: SONAME in its folder.
std::string library_as_loaded(const std::string& how) {
  const std::filesystem::path file = KERNLOOP_TEST_FAKE_NVRTC;
  return how == "dlopened" ? file.string() : (file.parent_path() / "libnvrtc.so.13").string();
}

TEST_P(Nvrtc, RecordsWhatAnAppPasses) {
  ASSERT_EQ(run(app(), recording()), 0) << output_;
  EXPECT_EQ(output_, size_line());
  const auto records = files(".json");
  // The rejected program has no record.
  ASSERT_EQ(records.size(), 2u);
  const std::string stem = records[0].stem().string();
  // base64 by coreutils.
  EXPECT_EQ(content_of(records[0]),
            R"({"schema":"kernloop.nvrtc-program/1","library":")" + library_as_loaded(GetParam()) +
                R"(","version":[13,1],"name":"tiny.cu",)"
                R"("source":"X19nbG9iYWxfXyB2b2lkIHRpbnkoKSB7fQovL3B0eCAuZW50cnkgdGlueSg=",)"
                R"("headers":[{"name":"two.h","content":"I2RlZmluZSBUV08gMgo="},)"
                R"({"name":"folder/odd \"name\".h","content":"/wEgbm90IHRleHQK"}],)"
                R"("options":["--gpu-architecture=sm_90a","-DTEXT=\"a\\b\""],"name_expressions":["scale<float, 4>"],)"
                R"("cubin":")" +
                stem + R"(.cubin","ptx":")" + stem + ".ptx\"}\n");
  EXPECT_EQ(content_of(folder_ / (stem + ".cubin")), content_of(KERNLOOP_TEST_CUBIN));
  EXPECT_EQ(content_of(folder_ / (stem + ".ptx")), ".entry tiny(");
  const std::string second = content_of(records[1]);
  EXPECT_NE(second.find(R"("name":null,"source":"c2Vjb25k","headers":[])"), std::string::npos) << second;
  EXPECT_NE(second.find(R"("cubin":null,"ptx":null)"), std::string::npos) << second;
  EXPECT_EQ(content_of(folder_ / "log"), "");
}

TEST_P(Nvrtc, LeavesTheAppAloneWhereItCannotWrite) {
  Environment environment = recording();
  environment["KERNLOOP_NVRTC_DIR"] = (folder_ / "missing").string();
  ASSERT_EQ(run(app(), environment), 0) << output_;
  EXPECT_EQ(output_, size_line());
  EXPECT_NE(content_of(folder_ / "log").find("not recorded"), std::string::npos);
}

TEST_P(Nvrtc, IsNotThereWithoutAFolder) {
  ASSERT_EQ(run(app(), {{"LD_AUDIT", KERNLOOP_TEST_AUDIT}, {"FAKE_NVRTC_CUBIN", KERNLOOP_TEST_CUBIN}}), 0) << output_;
  EXPECT_EQ(output_, size_line());
}

INSTANTIATE_TEST_SUITE_P(Ways, Nvrtc, ::testing::Values("linked", "pointers", "dlopened"));

class NvrtcCompiler : public Nvrtc {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
};

TEST_F(NvrtcCompiler, PassesOnEverything) {
  const std::string output = (folder_ / "out").string();
  const std::vector<std::string> command{KERNLOOP_TEST_COMPILER,
                                         "--library",
                                         KERNLOOP_TEST_FAKE_NVRTC,
                                         "--source",
                                         file("k.cu", "text"),
                                         "--output",
                                         output,
                                         "--name",
                                         "a b.cu",
                                         "--header-name",
                                         "x/y.h",
                                         "--header-file",
                                         file("y.h", "why"),
                                         "--name-expression",
                                         "f<1>",
                                         "--option",
                                         "--gpu-architecture=sm_90a",
                                         "--option",
                                         "-DX= y"};
  ASSERT_EQ(run(command, {{"FAKE_NVRTC_CUBIN", KERNLOOP_TEST_CUBIN}}), 0) << output_;
  EXPECT_EQ(content_of(output), content_of(KERNLOOP_TEST_CUBIN));
  EXPECT_EQ(
      output_,
      "name: a b.cu\nheader: x/y.h = why\nexpression: f<1>\noption: --gpu-architecture=sm_90a\noption: -DX= y\n\n");
}

TEST_F(NvrtcCompiler, SaysWhatIsWrong) {
  const std::vector<std::string> with{KERNLOOP_TEST_COMPILER, "--library", KERNLOOP_TEST_FAKE_NVRTC};
  auto command = with;
  command.insert(command.end(), {"--source", file("k.cu", "#error"), "--output", (folder_ / "out").string()});
  EXPECT_EQ(run(command, {}), 1);
  EXPECT_NE(output_.find("default_program(1): error: #error directive"), std::string::npos);
  file("k.cu", "only for a virtual architecture");
  EXPECT_EQ(run(command, {}), 1);
  EXPECT_NE(output_.find("error: NVRTC made no cubin"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  EXPECT_EQ(run({KERNLOOP_TEST_COMPILER, "--library", "/missing/libnvrtc.so.13", "--describe"}, {}), 5);
  EXPECT_EQ(run(with, {}), 2);
  auto describe = with;
  describe.push_back("--describe");
  EXPECT_EQ(run(describe, {}), 0);
  EXPECT_EQ(output_, "{\"event\":\"nvrtc\",\"version\":\"13.1\"}\n");
}

TEST(ProgramRecord, TakesOnlyTextAsNames) {
  ProgramRecord record;
  record.options = {"-DX=\xc3\xa9\n"};
  const auto json = to_json(record, "", "");
  ASSERT_TRUE(json.has_value());
  EXPECT_NE(json->find("[\"-DX=\xc3\xa9\\u000a\"]"), std::string::npos);
  // Cut short, overlong, a surrogate, beyond the last code point.
  for (const char* text : {"\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    record.options = {text};
    EXPECT_FALSE(to_json(record, "", "").has_value());
  }
}

}  // namespace
}  // namespace kernloop::nvrtc
