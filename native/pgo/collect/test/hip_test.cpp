// The collector in real HIP programs on the software GPU: its counts against those of a CPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "pgo/collect/test/kernels.h"
#include "pgo/collect/test/run.h"
#include "pgo/format/files.h"

namespace kernloop::pgo {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::Folder;
using test::run;

// Lanes of every block of the kernel whose count says something: a spanning tree of its edges takes some of them.
struct Executed {
  uint64_t lanes = 0, inside = 0, rounds = 0, even = 0, looping = 0;
};

Executed execute(int blocks) {
  Executed executed;
  for (int i = 0; i < blocks * kBlock; ++i) {
    ++executed.lanes;
    if (i >= kElements) continue;
    ++executed.inside;
    executed.rounds += static_cast<uint64_t>(i % 7);
    executed.looping += i % 7 > 0;
    executed.even += i % 64 < 24;
  }
  return executed;
}

constexpr int kBlocks = (kElements + kBlock - 1) / kBlock;

struct Environment {
  std::string arch = "gfx90a";
  Folder folder;
  fs::path at(const std::string& name) const { return folder.path() / name; }
  std::map<std::string, std::string> variables() const {
    return {{"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU},
            {"KERNLOOP_SOFTGPU", arch},
            {"LD_PRELOAD", KERNLOOP_TEST_COLLECTOR},
            {"LLVM_PROFILE_FILE", at("p.profraw")}};
  }
};

std::vector<fs::path> profiles_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".profraw") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::map<std::string, FunctionProfile> functions_in(const fs::path& folder) {
  std::map<std::string, FunctionProfile> functions;
  for (const fs::path& file : profiles_in(folder)) {
    const auto profiles = read_profiles(file);
    EXPECT_TRUE(profiles) << profiles.error().message;
    if (!profiles) continue;
    for (const Profile& profile : *profiles) {
      for (const FunctionProfile& function : profile.functions) {
        EXPECT_FALSE(functions.contains(function.name)) << function.name;
        functions[function.name] = function;
      }
    }
  }
  return functions;
}

// Every counter is one of the numbers of executions, and the four that no spanning tree can leave out are there.
void expect_counts(const FunctionProfile& function, uint64_t launches) {
  const Executed executed = execute(kBlocks);
  std::vector<uint64_t> known;
  for (const uint64_t count :
       {executed.lanes, executed.inside, executed.rounds, executed.even, executed.looping,
        executed.inside - executed.even, executed.lanes - executed.inside, executed.inside - executed.looping}) {
    known.push_back(count * launches);
  }
  ASSERT_GE(function.counters.size(), 3u);
  for (const uint64_t counter : function.counters)
    EXPECT_NE(std::find(known.begin(), known.end(), counter), known.end()) << function.name << ": " << counter;
  EXPECT_NE(std::find(function.counters.begin(), function.counters.end(), executed.rounds * launches),
            function.counters.end());
}

const std::string kApp = KERNLOOP_TEST_STATIC_APP;

// Weak functions of HIP's headers are in both. Unnamed code of the device libraries, which would have the same name in
// both, is in neither.
TEST(HipCollector, UnitsThatAreLinkedOnTheDeviceAreCollectedEachAlone) {
  Environment environment;
  const Ended ended = run(environment.variables(), KERNLOOP_TEST_RDC_APP);
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_EQ(ended.said, "");
  std::map<std::string, uint64_t> kernels;
  for (const fs::path& file : profiles_in(environment.folder.path())) {
    const auto profiles = read_profiles(file);
    ASSERT_TRUE(profiles) << profiles.error().message;
    std::map<std::string, uint64_t> hashes;
    for (const FunctionProfile& function : (*profiles)[0].functions) {
      EXPECT_FALSE(function.name.ends_with(";")) << function.name;
      EXPECT_TRUE(hashes.emplace(function.name, function.hash).second) << function.name;
      if (function.name.starts_with("_Z5first") || function.name.starts_with("_Z6second")) {
        expect_counts(function, function.name == "_Z5firstPii" ? 1 : 3);
        ++kernels[function.name];
      }
    }
  }
  EXPECT_EQ(kernels, (std::map<std::string, uint64_t>{{"_Z5firstPii", 1}, {"_Z6secondPii", 1}}));
}

TEST(HipCollector, AProgramOfTwoUnitsLeavesAProfileOfEach) {
  for (const char* arch : {"gfx90a", "gfx1030"}) {
    Environment environment;
    environment.arch = arch;
    const Ended ended = run(environment.variables(), kApp);
    EXPECT_EQ(ended.status, 0) << ended.said;
    EXPECT_EQ(ended.said, "");
    EXPECT_EQ(profiles_in(environment.folder.path()).size(), 2u);
    const auto functions = functions_in(environment.folder.path());
    ASSERT_EQ(functions.size(), 2u);
    expect_counts(functions.at("_Z5firstPii"), 1);
    expect_counts(functions.at("_Z6secondPii"), 3);
    const FunctionProfile& second = functions.at("_Z6secondPii");
    ASSERT_FALSE(second.classes.empty());
    // Every wave of every launch enters the kernel.
    const uint64_t wave = std::string(arch) == "gfx90a" ? 64 : 32;
    EXPECT_TRUE(std::any_of(second.classes.begin(), second.classes.end(),
                            [&](const WaveClass& one) { return one.waves == 3 * kBlocks * kBlock / wave; }));
    for (const fs::path& file : profiles_in(environment.folder.path())) {
      const auto profiles = read_profiles(file);
      ASSERT_TRUE(profiles);
      EXPECT_EQ(profiles->front().arch, arch);
      EXPECT_NE(file.filename().string().find("p.amdgcn-amd-amdhsa." + profiles->front().cuid + ".profraw"),
                std::string::npos);
    }
  }
}

TEST(HipCollector, LinkedInFrontOfHipItNeedsNoPreloading) {
  Environment environment;
  auto variables = environment.variables();
  variables["LD_PRELOAD"] = "";
  const Ended ended = run(variables, KERNLOOP_TEST_LINKED_APP);
  EXPECT_EQ(ended.status, 0) << ended.said;
  expect_counts(functions_in(environment.folder.path()).at("_Z6secondPii"), 3);
}

TEST(HipCollector, WhatSurvivesHowAProgramEndsIsWhatTheDocsSay) {
  const std::pair<const char*, size_t> ends[] = {{"return", 2}, {"exit", 2},       {"nothing", 2},
                                                 {"reset", 2},  {"_exit", 0},      {"abort", 0},
                                                 {"kill", 0},   {"quick_exit", 0}, {"collect_and_kill", 2}};
  for (const auto& [how, files] : ends) {
    Environment environment;
    const Ended ended = run(environment.variables(), kApp + " " + how);
    EXPECT_EQ(profiles_in(environment.folder.path()).size(), files) << how << ": " << ended.said;
    if (files && std::string(how) != "nothing")
      expect_counts(functions_in(environment.folder.path()).at("_Z5firstPii"), 1);
  }
}

TEST(HipCollector, AForkedProcessNeitherHangsNorWritesOverItsParent) {
  Environment environment;
  const Ended ended = run(environment.variables(), kApp + " fork");
  EXPECT_EQ(ended.status, 0) << ended.said;
  expect_counts(functions_in(environment.folder.path()).at("_Z6secondPii"), 3);
}

TEST(HipCollector, RunsAreAddedWhereThePatternSaysSo) {
  Environment environment;
  auto variables = environment.variables();
  variables["LLVM_PROFILE_FILE"] = environment.at("run-%m.profraw");
  for (int i = 0; i < 3; ++i) {
    const Ended ended = run(variables, kApp);
    EXPECT_EQ(ended.status, 0) << ended.said;
  }
  const auto functions = functions_in(environment.folder.path());
  expect_counts(functions.at("_Z5firstPii"), 3);
  expect_counts(functions.at("_Z6secondPii"), 9);
}

TEST(HipCollector, AProfileOfSomethingElseIsNotAddedToNorWrittenOver) {
  Environment environment;
  auto variables = environment.variables();
  variables["LLVM_PROFILE_FILE"] = environment.at("run-%m.profraw");
  EXPECT_EQ(run(variables, kApp).status, 0);
  const auto files = profiles_in(environment.folder.path());
  ASSERT_EQ(files.size(), 2u);
  fs::resize_file(files[0], fs::file_size(files[0]) - 8);
  const auto before = fs::file_size(files[0]);
  const Ended ended = run(variables, kApp);
  EXPECT_NE(ended.said.find("PGO_POOL_FOREIGN"), std::string::npos) << ended.said;
  EXPECT_EQ(fs::file_size(files[0]), before);
}

TEST(HipCollector, APatternThatIsUnknownIsNamedAndNothingIsWritten) {
  Environment environment;
  auto variables = environment.variables();
  variables["LLVM_PROFILE_FILE"] = environment.at("p-%q.profraw");
  const Ended ended = run(variables, kApp);
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.said.find("%q is unknown"), std::string::npos) << ended.said;
  EXPECT_TRUE(profiles_in(environment.folder.path()).empty());
}

TEST(HipCollector, ModulesAreCollectedWhenTheyAreUnloaded) {
  for (const char* how : {"load", "data", "dlsym load", "dlvsym data"}) {
    Environment environment;
    const Ended ended = run(environment.variables(), KERNLOOP_TEST_MODULE_APP + std::string(" ") + how + " unload " +
                                                         KERNLOOP_TEST_MODULE + " alpha 2");
    EXPECT_EQ(ended.status, 0) << ended.said;
    EXPECT_EQ(ended.said, "");
    const auto functions = functions_in(environment.folder.path());
    ASSERT_EQ(functions.size(), 1u);
    expect_counts(functions.at("alpha"), 2);  // sum of both loads, in one file
  }
}

// The RFC looks for one variable by its name, and finds the first unit.
TEST(HipCollector, AModuleOfTwoUnitsLeavesAProfileOfEach) {
  Environment environment;
  const Ended ended = run(environment.variables(), KERNLOOP_TEST_MODULE_APP + std::string(" load unload ") +
                                                       KERNLOOP_TEST_MODULE_OF_TWO + " alpha,beta,beta");
  EXPECT_EQ(ended.status, 0) << ended.said;
  const auto functions = functions_in(environment.folder.path());
  ASSERT_EQ(functions.size(), 2u) << ended.said;
  expect_counts(functions.at("alpha"), 1);
  expect_counts(functions.at("beta"), 2);
}

TEST(HipCollector, AModuleThatIsNeverUnloadedIsCollectedAtTheEndAndWarnedOf) {
  Environment environment;
  const Ended ended = run(environment.variables(),
                          KERNLOOP_TEST_MODULE_APP + std::string(" load keep ") + KERNLOOP_TEST_MODULE + " alpha");
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_NE(ended.said.find("was never unloaded"), std::string::npos) << ended.said;
  expect_counts(functions_in(environment.folder.path()).at("alpha"), 1);
}

// Counters begin at those of the sample; the module is unloaded while its kernel, which adds five, may still run.
TEST(HipCollector, ModulesThatAreCompiledAtRunTimeAreCollectedToo) {
  Environment environment;
  const Ended ended = run(environment.variables(), KERNLOOP_TEST_HIPRTC_APP);
  EXPECT_EQ(ended.status, 0) << ended.said;
  const auto functions = functions_in(environment.folder.path());
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.at("kern").counters, (std::vector<uint64_t>{15, 100, 1000}));
  EXPECT_EQ(functions.at("other").counters, (std::vector<uint64_t>{7}));
}

TEST(HipCollector, VerboseSaysWhatIsFoundAndWritten) {
  Environment environment;
  auto variables = environment.variables();
  variables["LLVM_PROFILE_VERBOSE"] = "1";
  const Ended ended = run(variables, kApp);
  EXPECT_NE(ended.said.find("wrote "), std::string::npos) << ended.said;
}

TEST(HipCollector, StockInstrumentationIsCollectedToo) {
  Environment environment;
  const Ended ended = run(environment.variables(), KERNLOOP_TEST_MODULE_APP + std::string(" load unload ") +
                                                       KERNLOOP_TEST_STOCK_MODULE + " alpha");
  EXPECT_EQ(ended.status, 0) << ended.said;
  const auto functions = functions_in(environment.folder.path());
  ASSERT_EQ(functions.size(), 1u) << ended.said;
  expect_counts(functions.at("alpha"), 1);
  EXPECT_TRUE(functions.at("alpha").uniform.empty());
  const fs::path file = profiles_in(environment.folder.path())[0];
  const Ended shown = run({}, "llvm-profdata-22 show --all-functions --counts " + file.string());
  EXPECT_EQ(shown.status, 0) << shown.said;
  EXPECT_NE(shown.said.find("alpha:"), std::string::npos) << shown.said;
}

}  // namespace
}  // namespace kernloop::pgo
