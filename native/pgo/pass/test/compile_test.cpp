// Effects of the plugin on compiles: stock's names and hashes, options that make no sense, other triples, other LLVMs.
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "compile.h"

namespace kernloop::pgo_pass {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::string clang = KERNLOOP_PGO_CLANG, plugin = KERNLOOP_PGO_PLUGIN, sources = KERNLOOP_PGO_TEST_SOURCES;

class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("pgo_compile_" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string device(const std::string& level, const std::string& arch = "gfx90a") const {
    return clang + " -x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib --offload-arch=" + arch +
           " -O" + level + " -S -emit-llvm -o - ";
  }
  std::string load() const { return " -fpass-plugin=" + plugin; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  json mapOf(const std::string& options, const std::string& source, const std::string& level = "2") const {
    const std::string file = (folder / "map.json").string();
    const Outcome outcome =
        runCommand(device(level) + load() + pluginOption("-kernloop-pgo=generate") +
                   pluginOption("-kernloop-pgo-map=" + file) + options + " " + source + " -o /dev/null");
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    return json::parse(std::ifstream(file), nullptr, false);
  }

  fs::path folder;
};

using Hashes = std::map<std::string, uint64_t>;  // by name in the profile

// `@__profd_<name> = … { i64 <name's hash>, i64 <hash>, …`
Hashes stockHashes(const std::string& ir) {
  static const std::regex record(R"re(@"?__profd_([^" ]+)"? = [^{\n]*\{[^{\n]*\} \{ i64 -?\d+, i64 (-?\d+),)re");
  Hashes result;
  for (std::sregex_iterator it(ir.begin(), ir.end(), record), end; it != end; ++it) {
    std::string name = (*it)[1];
    const auto hash = static_cast<uint64_t>(std::stoll((*it)[2]));
    // The variable of a function in a comdat has the hash in its name.
    if (const std::string suffix = "." + std::to_string(hash); name.ends_with(suffix))
      name.resize(name.size() - suffix.size());
    result[name] = hash;
  }
  return result;
}

class HashTest : public CompileTest, public ::testing::WithParamInterface<const char*> {};

// The reason for running LLVM's own passes: a profile of ours is one of stock's.
TEST_P(HashTest, NamesAndHashesAreThoseOfStock) {
  for (const std::string& source : {sources + "/kernels.hip", sources + "/hashes.hip"}) {
    const Outcome stock = runCommand(device(GetParam()) + " -fprofile-generate " + source);
    ASSERT_EQ(stock.status, 0) << stock.text;
    Hashes ours;
    const json map = mapOf("", source, GetParam());
    for (const json& function : map["functions"])
      ours[function["name"]] = std::stoull(function["hash"].get<std::string>(), nullptr, 16);
    EXPECT_GE(ours.size(), 5u);
    EXPECT_EQ(ours, stockHashes(stock.text)) << source;
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, HashTest, ::testing::Values("0", "1", "2", "3", "s"));

TEST_F(CompileTest, WithoutTheOptionNothingChanges) {
  const std::string command = device("2") + " -cuid=same " + sources + "/hashes.hip";
  const Outcome stock = runCommand(command), loaded = runCommand(command + load());
  ASSERT_EQ(stock.status, 0) << stock.text;
  EXPECT_EQ(stock.text, loaded.text);
}

TEST_F(CompileTest, TheHostsHalfOfACompileIsLeftAlone) {
  const std::string file =
      write("host.cpp", "int f(int x) { for (int i = 0; i < x; ++i) if (i % 3) x += i; return x; }");
  const std::string command = clang + " -O2 -S -emit-llvm -o - " + file;
  const Outcome stock = runCommand(command);
  const Outcome loaded = runCommand(command + load() + pluginOption("-kernloop-pgo=generate"));
  ASSERT_EQ(stock.status, 0) << stock.text;
  EXPECT_EQ(stock.text, loaded.text);
}

TEST_F(CompileTest, AModuleWithoutFunctionsGetsNoCounters) {
  const std::string file = write("empty.hip", "__attribute__((device)) int unused;\n");
  const Outcome outcome = runCommand(device("2") + load() + pluginOption("-kernloop-pgo=generate") + " " + file);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(outcome.text.find("__prof"), std::string::npos) << outcome.text;
}

// A way of a switch that is never taken: in its block there is a counter, and behind that nothing but the end.
TEST_F(CompileTest, ABlockThatCannotBeReachedInALoopIsCounted) {
  const std::string file = write("never.hip",
                                 "__attribute__((global)) void k(unsigned* out, unsigned n) {\n"
                                 "  unsigned x = 1;\n"
                                 "  for (unsigned i = 0; i < n; ++i) {\n"
                                 "    switch (out[i] & 3) {\n"
                                 "      case 0: x += i; break;\n"
                                 "      case 1: x *= i; break;\n"
                                 "      case 2: x ^= i; break;\n"
                                 "      case 3: x = x / (i | 1); break;\n"
                                 "      default: __builtin_unreachable();\n"
                                 "    }\n"
                                 "  }\n"
                                 "  *out = x;\n"
                                 "}\n");
  for (const std::string& target :
       {device("2"), clang + " -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-feature=+ptx80 -nocudainc " +
                         "-nocudalib -Wno-unknown-cuda-version -O2 -S -o " + (folder / "never.s").string() + " "}) {
    const Outcome outcome = runCommand(target + load() + pluginOption("-kernloop-pgo=generate") + " " + file);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
  }
}

TEST_F(CompileTest, OptionsThatMakeNoSenseEndTheCompile) {
  const std::map<std::string, std::string> refused = {
      {"-kernloop-pgo=genrate", "Cannot find option named 'genrate'"},
      {"-kernloop-pgo-slots=100", "-kernloop-pgo-slots=100 is to be a power of two"},
      {"-kernloop-pgo-slots=0", "-kernloop-pgo-slots=0 is to be a power of two"},
      {"-kernloop-pgo-sample=some", "-kernloop-pgo-sample=some is none of all, blocks:N, launches:N, sparse:N"},
      {"-kernloop-pgo-sample=blocks", "-kernloop-pgo-sample=blocks: N is to be a power of two"},
      {"-kernloop-pgo-sample=blocks:12", "-kernloop-pgo-sample=blocks:12: N is to be a power of two"},
      {"-kernloop-pgo-map=/nowhere/map.json", "the map /nowhere/map.json cannot be written: No such file or directory"},
  };
  for (const auto& [option, message] : refused) {
    const std::string mode = option.starts_with("-kernloop-pgo=") ? "" : pluginOption("-kernloop-pgo=generate");
    const Outcome outcome =
        runCommand(device("2") + load() + mode + pluginOption(option) + " " + sources + "/hashes.hip");
    EXPECT_NE(outcome.status, 0) << option;
    EXPECT_NE(outcome.text.find(message), std::string::npos) << option << "\n" << outcome.text;
    EXPECT_EQ(outcome.text.find("PLEASE submit a bug report"), std::string::npos) << option << "\n" << outcome.text;
  }
}

// An -fprofile-generate that was meant for the host reaches the device's half, too.
TEST_F(CompileTest, StockDoesNotCountOurCounting) {
  const std::string ours =
      device("2") + load() + pluginOption("-kernloop-pgo=generate") + " " + sources + "/hashes.hip";
  const Outcome both = runCommand(ours + " -fprofile-generate");
  ASSERT_EQ(both.status, 0) << both.text;
  EXPECT_NE(both.text.find("@__profc_all_"), std::string::npos);
  EXPECT_EQ(stockHashes(both.text), Hashes());
  const Outcome one = runCommand(ours);
  const auto atomics = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("atomicrmw"); at != std::string::npos; at = text.find("atomicrmw", at + 1)) ++count;
    return count;
  };
  EXPECT_GT(atomics(one.text), 0u);
  EXPECT_EQ(atomics(both.text), atomics(one.text));
}

// The arrays of a unit are for one wave size.
TEST_F(CompileTest, WavesOfTwoSizesInOneUnitAreRefused) {
  const std::string file = write("two.hip", R"(
    extern "C" __attribute__((global)) void one(int* x, int n) { if (n > 3) *x = 1; }
    extern "C" __attribute__((global, target("wavefrontsize64"))) void two(int* x, int n) { if (n > 4) *x = 2; }
)");
  const Outcome outcome =
      runCommand(device("2", "gfx1030") + load() + pluginOption("-kernloop-pgo=generate") + " " + file);
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.text.find("two has waves of 64 lanes, and one of the same translation unit has others"),
            std::string::npos)
      << outcome.text;
}

// Kernels of one guard are not worth their counters. Others keep theirs: a loop behind the guard, a second branch.
TEST_F(CompileTest, GuardsAreLeftOutWhereAsked) {
  const auto symbols = [](const json& map, bool skipped) {
    std::vector<std::string> result;
    for (const json& function : map["functions"])
      if (function.contains("skipped") == skipped) result.push_back(function["symbol"]);
    return result;
  };
  EXPECT_EQ(symbols(mapOf("", sources + "/kernels.hip"), true), std::vector<std::string>());
  const json map = mapOf(pluginOption("-kernloop-pgo-skip-guards"), sources + "/kernels.hip");
  EXPECT_EQ(symbols(map, true), (std::vector<std::string>{"tail", "through_pointer"}));
  EXPECT_GT(symbols(map, false).size(), 15u);
  const json guards = mapOf(pluginOption("-kernloop-pgo-skip-guards"), sources + "/hashes.hip");
  EXPECT_EQ(symbols(guards, true), (std::vector<std::string>{"straight", "guarded_call"}));
}

// The arrays that NVPTX's printer takes, in each way of sampling; ptxas takes the rest if it is installed.
TEST_F(CompileTest, NvptxGetsTheSameArrays) {
  for (const std::string sample : {"all", "blocks:8", "launches:8", "sparse:8"}) {
    const std::string file = (folder / "kernels.ptx").string();
    const Outcome outcome = runCommand(
        clang + " -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-feature=+ptx80 -nocudainc -nocudalib " +
        "-Wno-unknown-cuda-version -O2 -S -o " + file + load() + pluginOption("-kernloop-pgo=generate") +
        pluginOption("-kernloop-pgo-sample=" + sample) + " " + sources + "/kernels.hip");
    ASSERT_EQ(outcome.status, 0) << outcome.text;
    std::ifstream ptx(file);
    const std::string text(std::istreambuf_iterator<char>(ptx), {});
    for (const char* array : {"__profc_all_", "__profu_all_", "__profw_all_", "__profd_all_", "__llvm_prf_names_",
                              "__kernloop_prf_", "__llvm_offload_prf_"})
      EXPECT_NE(text.find(std::string(array[2] == 'l' && array[7] == 'o' ? ".u64 " : ".b8 ") + array),
                std::string::npos)
          << array;
    EXPECT_EQ(text.find("%gridid") != std::string::npos, sample == "launches:8" || sample == "sparse:8");
    if (std::string(KERNLOOP_PTXAS).empty()) continue;
    const Outcome assembled = runCommand(KERNLOOP_PTXAS " -arch=sm_90 -o /dev/null " + file);
    EXPECT_EQ(assembled.status, 0) << assembled.text;
  }
}

TEST_F(CompileTest, AnotherLlvmIsToldWhichOneIsNeeded) {
  const std::string other = KERNLOOP_OTHER_CLANG;
  const std::string file = write("host.cpp", "int f() { return 1; }");
  const Outcome outcome = runCommand(other + " -O2 -c -o /dev/null " + file + load());
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.text.find("kernloop-pgo-pass-22.so is built for LLVM 22 and was loaded by LLVM 15"),
            std::string::npos)
      << outcome.text;
}

TEST_F(CompileTest, TheMapNamesTheArchitecture) {
  const std::string files = (folder / "of-%a.json").string();
  const Outcome outcome =
      runCommand(device("2", "gfx1030") + load() + pluginOption("-kernloop-pgo=generate") +
                 pluginOption("-kernloop-pgo-map=" + files) + " " + sources + "/hashes.hip -o /dev/null");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const json map = json::parse(std::ifstream(folder / "of-gfx1030.json"));
  EXPECT_EQ(map["arch"], "gfx1030");
  EXPECT_EQ(map["wave_size"], 32);
  EXPECT_EQ(map["sampling"], "sparse:32");
}

}  // namespace

}  // namespace kernloop::pgo_pass
