// An app that compiles its kernel at run time, on the software GPU: the counts against those of a CPU, and the code
// that each launch used. The app compares its own results with the CPU's, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "base/testing/seen_events.h"
#include "pgo/collect/test/run.h"
#include "pgo/format/files.h"

namespace kernloop::pgo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> option(const std::string& text) {
  return {"-Xclang", "-mllvm", "-Xclang", "-" + text};
}

std::vector<std::string> joined(std::vector<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// The workloads of the example: 1,000 cells, 200 rounds.
uint64_t reactions(int share) {
  uint64_t count = 0;
  for (int cell = 0; cell < 1000; ++cell) {
    for (int round = 0; round < 200; ++round) count += (cell + round) % 1000 * 389 % 1000 < share;
  }
  return count;
}

struct AppRun {
  test::Ended ended;
  std::vector<Json> events;

  std::vector<Json> of(const std::string& event) const {
    std::vector<Json> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [&](const Json& one) { return one.at("event") == event; });
    return found;
  }
  // Launches in the app's own code, with counters, and by the profile; of doubles, unless floats are asked for.
  Json launches(const std::string& kernel = "_Z5relaxIdEvPKhPT_ii") const {
    for (const Json& one : of("kernel")) {
      if (one["kernel"] == kernel) return {one["own"], one["counting"], one["production"]};
    }
    return {};
  }
};

// The builder. With KERNLOOP_TEST_EVENTS its answers, which only the app reads, are kept, too.
std::string builder_in(const fs::path& folder) {
  const char* seen = std::getenv("KERNLOOP_TEST_EVENTS");
  if (!seen) return KERNLOOP_TEST_BUILDER;
  const fs::path script = folder / "builder.sh";
  std::ofstream(script) << "#!/bin/sh\n" KERNLOOP_TEST_BUILDER " \"$@\" | tee '" << seen
                        << "/kernloop-pgo-runtime.'$$\n";
  fs::permissions(script, fs::perms::owner_all);
  return script;
}

struct Setting {
  test::Folder folder;
  Json config = {
      {"schema", "kernloop.pgo-runtime/1"},
      {"builder", builder_in(folder.path())},
      {"cache", folder.path() / "a cache, of $HOME; 'quoted'"},
      {"mode", "auto"},
      {"measure_launches", 4},
      {"sample_one_in", 8},
      {"window", 2},
      {"bound", 500},
      {"compile_limit_seconds", 300},
      {"clang", KERNLOOP_TEST_CLANG},
      {"profdata", KERNLOOP_TEST_PROFDATA},
      {"conditions", std::string(64, 'c')},
      {"arguments", joined({{"-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-O3", "-std=c++17",
                             "--rocm-path=/usr", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                             "-mcode-object-version=4", "-include", KERNLOOP_TEST_HEADER}})},
      {"generate", joined({{"-fpass-plugin=" KERNLOOP_TEST_PLUGIN},
                           option("kernloop-pgo=generate"),
                           option("kernloop-pgo-sample=all")})},
      {"use", joined({{"-fpass-plugin=" KERNLOOP_TEST_PLUGIN}, option("kernloop-pgo=use"), option("disable-chr")})},
      // One gate is enough here, and its cost against none.
      {"gates", {"off"}}};
  std::string app_program = KERNLOOP_TEST_APP, arch = "gfx90a", addition;
  bool keep_module = false;

  AppRun run(const std::string& workloads) const {
    static std::atomic<int> number = 0;
    const fs::path events = folder.path() / ("events" + std::to_string(++number)), file = events / "config.json";
    fs::create_directories(events);
    Json mine = config;
    mine["events"] = events;
    std::ofstream(file) << mine;
    std::map<std::string, std::string> environment = {
        {"LD_LIBRARY_PATH", std::string(KERNLOOP_TEST_LIBRARIES) + ":" + KERNLOOP_TEST_LIBRARIES "/softgpu"},
        {"LD_PRELOAD", "libkernloop-pgo-runtime.so:libkernloop-hip.so"},
        {"KERNLOOP_SOFTGPU", arch},
        {"KERNLOOP_PGO_RUNTIME", file}};
    if (!addition.empty()) environment["KERNEL_ADDITION"] = addition;
    if (keep_module) environment["KEEP_MODULE"] = "1";
    AppRun app{test::run(environment, app_program + " " + workloads), {}};
    for (const auto& entry : fs::directory_iterator(events)) {
      std::ifstream lines(entry.path());
      for (std::string line; entry.path().extension() == ".ndjson" && std::getline(lines, line);) {
        app.events.push_back(Json::parse(line));
        saw_event("kernloop-pgo-runtime", app.events.back());
      }
    }
    return app;
  }
  std::vector<fs::path> files(const std::string& name) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(config.at("cache").get<std::string>())) {
      if (entry.path().filename() == name) found.push_back(entry.path());
    }
    return found;
  }
};

void expect_right(const AppRun& app) {
  EXPECT_EQ(app.ended.status, 0) << app.ended.said;
  EXPECT_EQ(app.ended.said.find("warning"), std::string::npos) << app.ended.said;
}

// The profile's counters include the number of lanes that reacted in the measured launches, or that did not.
void expect_counted(const fs::path& raw, uint64_t reacted, uint64_t launches) {
  const auto profiles = read_profiles(raw);
  ASSERT_TRUE(profiles) << profiles.error().message;
  ASSERT_EQ((*profiles)[0].functions.size(), 2u);
  const uint64_t rounds = 1000 * 200 * launches;
  bool found = false;
  for (const FunctionProfile& function : (*profiles)[0].functions) {
    if (function.name != "_Z5relaxIdEvPKhPT_ii") continue;
    for (const uint64_t counter : function.counters) {
      EXPECT_TRUE(counter == rounds || counter == reacted || counter == rounds - reacted ||
                  counter == 1000 * launches || counter == 1024 * launches || counter == 24 * launches ||
                  counter == rounds - 1000 * launches || counter == 0)
          << counter;
      found |= counter == reacted || counter == rounds - reacted;
    }
  }
  EXPECT_TRUE(found);
}

TEST(RuntimePgo, MeasuresThenRunsWhatTheProfileGaveAndMeasuresAgainWhenTheWorkloadChanges) {
  Setting setting;
  const AppRun first = setting.run("1:30 900:30");
  expect_right(first);
  const auto measured = first.of("measured");
  ASSERT_EQ(measured.size(), 2u);
  for (const Json& one : measured) EXPECT_EQ(one["launches"], 4) << one;
  const auto sampled = first.of("sampled");
  std::vector<bool> changed;
  for (const Json& one : sampled) changed.push_back(one["changed"]);
  // After the 4 launches that measure, every 8th is counted from the first on, and 2 make a window: those of the other
  // workload are the 37th and 45th of all. Then 4 measure anew, and of the 11 remaining the 1st and 9th are counted.
  EXPECT_EQ(changed, (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(sampled[0]["distance"], 0);
  EXPECT_EQ(first.launches(), Json({0, 4 + 4 + 2 + 4 + 2, 60 - 16}));
  for (const fs::path& raw : setting.files("profile.profraw")) {
    const bool of_first = raw.parent_path().filename() == measured[0]["profile"].get<std::string>();
    expect_counted(raw, 4 * reactions(of_first ? 1 : 900), 4);
  }
  EXPECT_EQ(setting.files("profile.profraw").size(), 2u);

  // Another process's measurements are there, and both profiles are recognised when their workload returns.
  const AppRun second = setting.run("900:20 1:30");
  expect_right(second);
  for (const Json& one : second.events) EXPECT_FALSE(one.value("compiled", false)) << one;
  EXPECT_EQ(second.of("program")[0]["profile"], measured[1]["profile"]);
  ASSERT_EQ(second.of("measured").size(), 1u);
  EXPECT_EQ(second.of("measured")[0]["known"], true);
  EXPECT_EQ(second.of("measured")[0]["profile"], measured[0]["profile"]);

  // Without a compiler only existing code is used.
  Json& config = setting.config;
  const Json before = config;
  config["clang"] = "";
  config["conditions"] = "none";
  config["mode"] = "production";
  const AppRun without = setting.run("1:5");
  expect_right(without);
  EXPECT_EQ(without.launches(), Json({0, 0, 5}));
  setting.arch = "gfx1030";
  const AppRun nothing = setting.run("1:2");
  EXPECT_EQ(nothing.ended.status, 0);
  EXPECT_NE(nothing.ended.said.find("ENVIRONMENT_LLVM_MISSING"), std::string::npos) << nothing.ended.said;
  EXPECT_EQ(nothing.launches(), Json({2, 0, 0}));
  config = before;
  setting.arch = "gfx90a";

  // Damaged files are made again, and never loaded.
  for (const char* name : {"instrumented.co", "production.co"}) {
    for (const fs::path& file : setting.files(name)) {
      std::fstream code(file, std::ios::in | std::ios::out | std::ios::binary);
      code.seekp(2000).put('\x7f').put('\x7f').put('\x7f').put('\x7f');
    }
  }
  const AppRun damaged = setting.run("1:9");
  expect_right(damaged);
  EXPECT_EQ(damaged.of("program")[0]["compiled"], true);
  for (const fs::path& raw : setting.files("profile.profraw")) std::ofstream(raw, std::ios::app) << "more";
  const AppRun unmeasured = setting.run("1:2");
  expect_right(unmeasured);
  EXPECT_EQ(unmeasured.of("program")[0]["profile"], "");
  EXPECT_EQ(unmeasured.launches(), Json({0, 2, 0}));
  ASSERT_EQ(unmeasured.of("measured").size(), 1u);
  EXPECT_EQ(unmeasured.of("measured")[0]["at_end"], true);
}

// All kernels of a program share its counters: counts of another kernel are no other workload.
TEST(RuntimePgo, AKernelThatIsMetLaterIsMeasuredBesideThoseInProduction) {
  const std::string floats = "_Z5relaxIfEvPKhPT_ii";
  Setting setting;
  setting.keep_module = true;
  const AppRun first = setting.run("1:6 700f:3 1:10 700f:3 1:3");
  EXPECT_EQ(first.ended.status, 0) << first.ended.said;
  const auto measured = first.of("measured");
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0]["kernels"].size(), 1u);
  EXPECT_EQ(measured[1]["kernels"].size(), 2u);
  for (const Json& one : first.of("sampled")) EXPECT_EQ(one["distance"], 0) << one;
  // The 5th of doubles is counted in production, 8 later the 13th, and the 17th as the first by the second profile.
  EXPECT_EQ(first.launches(), Json({0, 4 + 3, 12}));
  EXPECT_EQ(first.launches(floats), Json({0, 4 + 1, 1}));
  // Alone in the next process, which only says so at its end: the module is never unloaded.
  const AppRun second = setting.run("700f:3");
  EXPECT_EQ(second.launches(floats), Json({0, 1, 2}));
  ASSERT_EQ(second.of("sampled").size(), 1u);
  EXPECT_EQ(second.of("sampled")[0]["distance"], 0);
}

TEST(RuntimePgo, ProcessesThatShareACacheCompileOnce) {
  Setting setting;
  setting.arch = "gfx1030";
  setting.config["mode"] = "measure";
  std::vector<std::future<AppRun>> running;
  for (int i = 0; i < 3; ++i) running.push_back(std::async(std::launch::async, [&] { return setting.run("500:3"); }));
  int compiled = 0;
  for (auto& one : running) {
    const AppRun app = one.get();
    expect_right(app);
    compiled += app.of("program")[0]["compiled"].get<bool>();
    EXPECT_EQ(app.launches(), Json({0, 3, 0}));
  }
  EXPECT_EQ(compiled, 1);
  // The same distribution: one of them was kept, whole.
  ASSERT_EQ(setting.files("profile.profraw").size(), 1u);
  expect_counted(setting.files("profile.profraw")[0], 3 * reactions(500), 3);
}

TEST(RuntimePgo, AProgramThatLooksItsFunctionsUpIsMeasuredToo) {
  Setting setting;
  setting.app_program = KERNLOOP_TEST_APP_BY_NAME;
  setting.config["mode"] = "measure";
  const AppRun app = setting.run("500:3");
  expect_right(app);
  EXPECT_EQ(app.launches(), Json({0, 3, 0}));
  ASSERT_EQ(setting.files("profile.profraw").size(), 1u);
  expect_counted(setting.files("profile.profraw")[0], 3 * reactions(500), 3);
}

TEST(RuntimePgo, WhatCannotBeExchangedRunsAsTheAppCompiledIt) {
  Setting setting;
  setting.addition = "__device__ int counter = 3;";
  const AppRun with_variable = setting.run("1:2");
  EXPECT_EQ(with_variable.ended.status, 0);
  EXPECT_EQ(with_variable.of("refused")[0]["code"], "PGO_RUNTIME_VARIABLES");
  setting.addition = "__constant__ int table[4];";
  EXPECT_EQ(setting.run("1:2").of("refused")[0]["code"], "PGO_RUNTIME_VARIABLES");
  // HIPRTC's clang may accept code that clang 22 does not.
  setting.addition = "\n#if __clang_major__ > 15\n#error too new\n#endif";
  const AppRun refused = setting.run("1:2 900:2");
  EXPECT_EQ(refused.ended.status, 0);
  ASSERT_EQ(refused.of("refused").size(), 1u);
  EXPECT_NE(refused.of("refused")[0]["reason"].get<std::string>().find("too new"), std::string::npos);
  EXPECT_EQ(refused.launches(), Json({4, 0, 0}));
  setting.config["builder"] = "/nowhere/kernloop-pgo-runtime";
  const AppRun without = setting.run("1:1");
  EXPECT_EQ(without.ended.status, 0);
  EXPECT_EQ(without.of("refused")[0]["code"], "NATIVE_FAILED");
}

TEST(RuntimePgo, AHeaderThatChangedOnDiskIsCompiledAgain) {
  Setting setting;
  setting.config["mode"] = "measure";
  const fs::path header = setting.folder.path() / "of the app.h";
  std::ofstream(header) << "#define UNUSED 1\n";
  setting.addition = "\n#include \"" + header.string() + "\"\n";
  EXPECT_EQ(setting.run("1:1").of("program")[0]["compiled"], true);
  EXPECT_EQ(setting.run("1:1").of("program")[0]["compiled"], false);
  std::ofstream(header) << "#define UNUSED 2\n";
  EXPECT_EQ(setting.run("1:1").of("program")[0]["compiled"], true);
}

}  // namespace
}  // namespace kernloop::pgo
