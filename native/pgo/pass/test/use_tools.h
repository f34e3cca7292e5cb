// Tools for the tests of -kernloop-pgo=use: clang and LLVM's own tools, run as a user runs them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "compile.h"

namespace kernloop::pgo_pass {

using nlohmann::json;

inline std::string run_well(const std::string& command) {
  const Outcome output = runCommand(command);
  EXPECT_EQ(output.status, 0) << command << "\n" << output.text;
  return output.text;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A folder of this process.
inline const std::string& work() {
  static const std::string folder = [] {
    std::string made = testing::TempDir() + "kernloop-pgo-use-XXXXXX";
    return std::string(mkdtemp(made.data()));
  }();
  return folder;
}

using Words = std::vector<std::string>;

struct Compile {
  std::string arch, source, output;
  Words pass = {};  // options of the plugin; empty: without it
  Words more = {};
  std::string action = "-c";

  std::string command() const {
    std::string text = KERNLOOP_PGO_CLANG
        " -x hip --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -fdeclspec -O3 "
        "-gline-tables-only -mcode-object-version=4 -I" KERNLOOP_PGO_BARE;
    if (!pass.empty()) text += " -fpass-plugin=" KERNLOOP_PGO_PLUGIN;
    for (const auto& word : pass) text += pluginOption(word);
    for (const auto& word : more) text += " " + word;
    return text + " --offload-arch=" + arch + " " + action + " " + source + " -o " + output;
  }
};

const std::string kSpill = KERNLOOP_PGO_EXAMPLE "/kernels.hip";
const std::string kKinetics = KERNLOOP_PGO_EXAMPLE "/kinetics.hip";
const std::string kSpecial = KERNLOOP_PGO_SOURCES "/use_kernels.hip";
const Words kSpillKernels = {"spill_uniform", "spill_divergent", "spill_hot", "spill_every"};

// One JSON object a kernel (bench/softgpu/pgo_spill.cpp).
inline std::vector<json> execute(const std::string& arch, const std::string& code, const Words& kernels, int iterations,
                                 const std::string& image = "") {
  std::string command = "LD_LIBRARY_PATH=" KERNLOOP_PGO_SOFTGPU " KERNLOOP_SOFTGPU=" + arch +
                        " " KERNLOOP_PGO_RUNNER " " + code + " 1024 " + std::to_string(iterations);
  for (const auto& kernel : kernels) command += " " + kernel;
  if (!image.empty()) command += " --image " + image;
  std::istringstream lines(run_well(command));
  std::vector<json> results;
  for (std::string line; std::getline(lines, line);) results.push_back(json::parse(line));
  return results;
}

struct Profile {
  std::string indexed, waves, text;
  Words options(const std::string& gate, const std::string& report = "") const {
    Words words = {"-kernloop-pgo=use", "-kernloop-pgo-profile=" + indexed, "-kernloop-pgo-waves=" + waves,
                   "-kernloop-pgo-gate=" + gate};
    if (!report.empty()) words.push_back("-kernloop-pgo-report=" + report);
    return words;
  }
};

inline void index_profile(const std::string& text, const std::string& indexed) {
  run_well(KERNLOOP_PGO_PROFDATA " merge -o " + indexed + " " + text);
}

// Instrumented, executed, read back, merged: once a source and target.
inline const Profile& measured(const std::string& arch, const std::string& source, const Words& kernels,
                               int iterations) {
  static std::map<std::string, Profile> profiles;
  const std::string base = work() + "/" + arch + "-" + source.substr(source.rfind('/') + 1);
  const auto [entry, is_new] = profiles.try_emplace(base);
  if (!is_new) return entry->second;
  run_well(Compile{arch, source, base + ".co", {"-kernloop-pgo=generate", "-kernloop-pgo-sample=all"}}.command());
  run_well("mkdir " + base + ".image");
  execute(arch, base + ".co", kernels, iterations, base + ".image");
  run_well(KERNLOOP_PGO_TOOL " convert --input " + base + ".image --output " + base + ".image/k.profraw");
  run_well(KERNLOOP_PGO_TOOL " merge --input " + base + ".image/*.profraw --output " + base + ".proftext --waves " +
           base + ".waves.json");
  entry->second = {base + ".profdata", base + ".waves.json", base + ".proftext"};
  index_profile(entry->second.text, entry->second.indexed);
  return entry->second;
}

inline json function_of(const std::string& report, const std::string& symbol) {
  const json functions = json::parse(read_text(report))["functions"];
  for (const auto& function : functions)
    if (function["symbol"] == symbol) return function;
  ADD_FAILURE() << symbol << " is not in " << report;
  return {};
}

}  // namespace kernloop::pgo_pass
