// Configuration of an app's run (`kernloop.pgo-runtime/1`): written by the stage, named by KERNLOOP_PGO_RUNTIME, read
// by the library in the app and by the program that builds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kernloop::pgo::runtime {

inline constexpr const char* kConfigVariable = "KERNLOOP_PGO_RUNTIME";

// measure: everything is counted, no optimised code is used. production: the cache's code is used, nothing is counted.
enum class Mode { kAuto, kMeasure, kProduction };

struct Config {
  std::filesystem::path path;  // this file
  std::filesystem::path builder, cache, events;
  Mode mode = Mode::kAuto;
  uint64_t measure_launches = 0, sample_one_in = 0, window = 0;
  uint32_t bound = 0;  // out of 10,000
  double compile_limit_seconds = 600;
  // Paths of the compiler; empty on a machine without it, where only the cache's content can be used.
  std::string clang, profdata;
  std::string conditions;  // digest of everything that decides code besides the program
  std::vector<std::string> arguments, generate, use, gates;  // words for clang
};

Result<Config> read_config(const std::filesystem::path& path);

}  // namespace kernloop::pgo::runtime
