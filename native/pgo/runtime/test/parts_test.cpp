#include <gtest/gtest.h>

#include <fstream>

#include "pgo/collect/test/run.h"
#include "pgo/runtime/child.h"
#include "pgo/runtime/compile.h"
#include "pgo/runtime/nvrtc_options.h"
#include "pgo/runtime/rtc_programs.h"

namespace kernloop::pgo::runtime {
namespace {

uint32_t distance(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  return distance_of(a, b);
}

TEST(Distance, IsHalfTheSumOfTheDifferencesOfShares) {
  EXPECT_EQ(distance({1, 1}, {7, 7}), 0u);  // absolute counts are not compared
  EXPECT_EQ(distance({1, 0}, {0, 9}), 10000u);
  EXPECT_EQ(distance({100, 50}, {100, 90}), 1403u);  // 2/3 and 10/19: 0.1403…
  EXPECT_EQ(distance({3, 3, 3}, {3, 3, 0}), 3333u);
  EXPECT_EQ(distance({100, 90}, {100, 50}), 1403u);
}

TEST(Distance, HasNoLargestCount) {
  const uint64_t most = UINT64_MAX;
  EXPECT_EQ(distance({most, most, most, most}, {1, 1, 1, 1}), 0u);
  EXPECT_EQ(distance({most, most}, {most, 0}), 5000u);
  // Cut to 56 bits, 1 vanishes beside it.
  EXPECT_EQ(distance({most, 1}, {0, 1}), 10000u);
}

TEST(Distance, WhatNothingWasCountedOfSaysNothing) {
  EXPECT_EQ(distance({5, 5}, {0, 0}), 0u);
  EXPECT_EQ(distance({0, 0}, {5, 5}), 10000u);
  EXPECT_EQ(distance({5}, {5, 5}), 10000u);
  EXPECT_EQ(distance_from({{{1, 1}, {4, 4}}, {{2, 1}, {1, 0}}}, {{{1, 1}, {8, 8}}, {{2, 1}, {0, 0}}}), 0u);
  // The same function of another hash is another one.
  EXPECT_EQ(distance_from({{{1, 1}, {4, 4}}}, {{{1, 2}, {4, 4}}}), 10000u);
  // The farthest function decides, not the one with the highest counts.
  EXPECT_EQ(distance_from({{{1, 1}, {1000, 1000}}, {{2, 1}, {1, 0}}}, {{{1, 1}, {1000, 1000}}, {{2, 1}, {0, 1}}}),
            10000u);
}

TEST(Rule, GivesTheFilesThatTheCompilerRead) {
  const auto files =
      files_in_rule("code: /a/source.hip \\\n  /b/with\\ space.h /b/hash\\#.h \\\n /b/dollar$$.h /c/../d.h\n");
  EXPECT_EQ(files, (std::set<fs::path>{"/a/source.hip", "/b/with space.h", "/b/hash#.h", "/b/dollar$.h", "/d.h"}));
}

struct Cache {
  test::Folder folder;
  Config config;
  Cache() {
    config.cache = folder.path() / "cache";
    config.clang = "/nowhere/clang++";
    config.conditions = std::string(64, 'c');
    config.bound = 500;
  }
  static std::string request(const std::string& header = "a/b.h", const std::string& option = "-O3") {
    return nlohmann::json({{"source", "text"},
                           {"options", {option}},
                           {"names", nlohmann::json::array()},
                           {"target", "gfx90a"},
                           {"headers", {{{"name", header}, {"content", "inside"}}}}})
        .dump();
  }
};

TEST(ProgramFolder, IsAnotherForEachThingThatDecidesTheCode) {
  Cache cache;
  const auto one = ProgramFolder::make(cache.config, Cache::request());
  const auto same = ProgramFolder::make(cache.config, Cache::request());
  const auto other = ProgramFolder::make(cache.config, Cache::request("a/b.h", "-O2"));
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(one->folder(), same->folder());
  EXPECT_NE(one->folder(), other->folder());
}

TEST(ProgramFolder, KeepsHeadersBelowItself) {
  Cache cache;
  for (const char* name : {"../out.h", "a/../../out.h", "/tmp/kernloop-out.h", ""}) {
    const auto program = ProgramFolder::make(cache.config, Cache::request(name));
    ASSERT_FALSE(program) << name;
    EXPECT_EQ(program.error().code, "PGO_RUNTIME_SOURCE");
  }
  const auto program = ProgramFolder::make(cache.config, Cache::request());
  ASSERT_TRUE(program && program->lock());
  EXPECT_TRUE(fs::exists(program->headers() / "a" / "b.h"));
}

TEST(ProgramFolder, CodeIsThereUntilItOrWhatItWasMadeOfIsAnother) {
  Cache cache;
  const test::Folder system;
  const std::string request = Cache::request("a/b.h", "-I" + cache.folder.path().string());
  const auto program = ProgramFolder::make(cache.config, request);
  ASSERT_TRUE(program && program->lock());
  const fs::path code = program->built() / "instrumented.co", compiled = cache.folder.path() / "c",
                 read = cache.folder.path() / "h", of_system = system.path() / "stdlib.h";
  const auto make = [&] {
    ASSERT_TRUE(write_text_file(compiled, "code"));
    ASSERT_TRUE(write_text_file(read, "one"));
    ASSERT_TRUE(write_text_file(of_system, "one"));
    ASSERT_TRUE(program->keep(code, compiled, {read, of_system, program->source()}, nlohmann::json::object()));
  };
  EXPECT_FALSE(program->has(code));
  make();
  EXPECT_TRUE(program->has(code));
  ASSERT_TRUE(write_text_file(code, "Code"));
  EXPECT_FALSE(program->has(code));
  make();
  ASSERT_TRUE(write_text_file(read, "two"));
  EXPECT_FALSE(program->has(code));
  make();
  fs::remove(read);
  EXPECT_FALSE(program->has(code));
  make();
  ASSERT_TRUE(write_text_file(of_system, "two"));
  EXPECT_FALSE(program->has(code));
  fs::remove(read);
  // Without a compiler, missing files of the other machine do not matter, and another system has other headers; a
  // changed file in one of the app's folders does.
  Config without = cache.config;
  without.clang.clear();
  const auto elsewhere = ProgramFolder::make(without, request);
  ASSERT_TRUE(elsewhere);
  EXPECT_EQ(elsewhere->built(), program->built());
  EXPECT_TRUE(elsewhere->has(code));
  ASSERT_TRUE(write_text_file(read, "two"));
  EXPECT_FALSE(elsewhere->has(code));
  make();
  ASSERT_TRUE(write_text_file(program->built() / "instrumented.co.json", "{"));
  EXPECT_FALSE(program->has(code));
}

TEST(ProgramFolder, KeepsTheProfilesThatWereMeasuredLast) {
  Cache cache;
  const auto program = ProgramFolder::make(cache.config, Cache::request());
  ASSERT_TRUE(program && program->lock());
  std::vector<std::string> ids;
  for (size_t i = 0; i < kMostProfiles + 3; ++i) {
    const fs::path raw = cache.folder.path() / "p.profraw";
    for (const char* extension : {".profraw", ".unifcnts", ".wavecnts"})
      ASSERT_TRUE(write_text_file(fs::path(raw).replace_extension(extension), extension + std::to_string(i)));
    const auto added = program->add_profile(raw, {"k"});
    ASSERT_TRUE(added);
    ids.push_back(added->id);
    // Uses the disk's clock, which may be coarse.
    fs::last_write_time(program->profile_folder(ids.back()) / "kernels.json",
                        fs::file_time_type::clock::now() - std::chrono::hours(1000 - i));
  }
  EXPECT_FALSE(program->profile(ids[0]) || program->profile(ids[1]));
  EXPECT_TRUE(program->profile(ids[kMostProfiles + 1]) && program->profile(ids[kMostProfiles]));
  std::ofstream(program->profile_folder(ids.back()) / "profile.wavecnts", std::ios::app) << "more";
  EXPECT_FALSE(program->profile(ids.back()));
}

TEST(NvrtcOptions, AreClangsWords) {
  const auto words =
      words_of_nvrtc({"--gpu-architecture=compute_90", "-arch", "sm_80", "-DA=1", "--define-macro=B", "-I", "/a b",
                      "--include-path=/c", "--std=c++20", "-fmad=false", "--ftz=true", "--prec-div=false", "-lineinfo",
                      "--maxrregcount=40", "-default-device", "--ptxas-options=-v,-O2", "-rdc=false"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(words->words, (std::vector<std::string>{"-DA=1", "-DB", "-I/a b", "-I/c", "-std=c++20", "-ffp-contract=off",
                                                    "-fgpu-flush-denormals-to-zero", "-Xclang", "-mllvm", "-Xclang",
                                                    "-nvptx-prec-divf32=1", "-Xcuda-ptxas", "-maxrregcount=40",
                                                    "-Xcuda-ptxas", "-v", "-Xcuda-ptxas", "-O2"}));
  EXPECT_TRUE(words->all_on_device);
  for (const char* refused : {"-G", "-dlto", "-rdc=true", "--gen-opt-lto", "--no-such-option", "-dc", "stray"}) {
    const auto none = words_of_nvrtc({refused});
    ASSERT_FALSE(none) << refused;
    EXPECT_NE(none.error().message.find(refused), std::string::npos);
  }
}

TEST(ProgramFolder, GivesNvrtcsProgramsWhatOnlyNvrtcHas) {
  Cache cache;
  const auto source_of = [&](const std::string& text, const std::vector<std::string>& options) {
    const nlohmann::json request = {{"source", text},
                                    {"headers", nlohmann::json::array()},
                                    {"options", options},
                                    {"names", {"k<int>"}},
                                    {"target", "sm_90"}};
    const auto program = ProgramFolder::make(cache.config, request.dump());
    EXPECT_TRUE(program && program->lock());
    std::ifstream file(program->folder() / "source.cu");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string own =
      source_of("typedef unsigned long long uint64_t;\nusing int8_t = signed char;\nuint32_t x;", {});
  EXPECT_NE(own.find("#define __CUDACC_RTC__ 1\n"), std::string::npos);
  EXPECT_NE(own.find("#define uint64_t kernloop_uint64_t\n"), std::string::npos);
  EXPECT_NE(own.find("#define int8_t kernloop_int8_t\n"), std::string::npos);
  // A type that it only uses comes from the headers.
  EXPECT_EQ(own.find("#define uint32_t"), std::string::npos);
  EXPECT_EQ(own.find("hip_runtime"), std::string::npos);
  EXPECT_NE(own.find("= &k<int>;"), std::string::npos);
  EXPECT_EQ(own.find("force_cuda_host_device"), std::string::npos);
  EXPECT_NE(source_of("int f();", {"-default-device"}).find("force_cuda_host_device begin\nint f();"),
            std::string::npos);
}

TEST(Child, IsRunByItsWordsAndEndedAtItsLimit) {
  const auto said = run_child(
      {{"/bin/sh", "-c", "cat; echo \"$1\" >&2; exit $2", "sh", "a b;'c", "3"}, {}, std::string(1 << 20, 'x'), 60});
  EXPECT_FALSE(said.ran);
  EXPECT_EQ(said.problem, "exit code 3");
  EXPECT_EQ(said.output.size(), size_t{1} << 20);
  EXPECT_EQ(said.errors, "a b;'c\n");
  EXPECT_TRUE(run_child({{"/bin/true"}, {}, std::string(1 << 20, 'x'), 60}).ran);
  EXPECT_NE(run_child({{"/nowhere"}, {}, "", 60}).problem.find("does not start"), std::string::npos);
  EXPECT_NE(run_child({{"/bin/sh", "-c", "sleep 600 & wait"}, {}, "", 0.2}).problem.find("longer"), std::string::npos);
}

TEST(RtcPrograms, RequestsTellProgramsApart) {
  RtcProgram program{"text", "name", {{"h", "c"}}, {"-O3"}, {"k<int>"}};
  const auto base = program.request("gfx90a");
  ASSERT_TRUE(base);
  EXPECT_NE(base, program.request("gfx90a:xnack+"));
  EXPECT_EQ(base->find("folder"), std::string::npos);
  program.options.push_back("-Iinclude");
  EXPECT_NE(program.request("gfx90a")->find(fs::current_path().string()), std::string::npos);
  program.source = "\xff";
  EXPECT_FALSE(program.request("gfx90a"));
}

TEST(RtcPrograms, TheTargetIsThatOfTheCode) {
  const auto target = [](const std::string& text) {
    return target_of_code({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(target("xxamdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\xae"
                   "amdhsa"),
            "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(target("amdgcn-amd-amdhsa--gfx1030"), "gfx1030");
  EXPECT_EQ(target("amdgcn-amd-amdhsa--/etc"), "");
  EXPECT_EQ(target("nothing"), "");
}

}  // namespace
}  // namespace kernloop::pgo::runtime
