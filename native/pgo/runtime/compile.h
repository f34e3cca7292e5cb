// Compiles a program of the cache with clang 22: with counters, or by a profile.
#pragma once

#include "pgo/runtime/program_folder.h"

namespace kernloop::pgo::runtime {

class Compiler {
 public:
  Compiler(const Config& config, const ProgramFolder& program) : config_(config), program_(program) {}

  // Makes it if it is missing or not intact. `built` is set if anything was compiled.
  Result<fs::path> instrumented(bool& built) const;
  Result<fs::path> production(const CachedProfile& profile, bool& built) const;

 private:
  struct Compiled {
    fs::path code;
    std::set<fs::path> read;
  };
  Result<Compiled> compile(const fs::path& folder, const std::string& name,
                           const std::vector<std::string>& words) const;
  Status index(const CachedProfile& profile, const fs::path& folder) const;
  const Config& config_;
  const ProgramFolder& program_;
};

// The files that a compiler read, from its dependency output for make.
std::set<fs::path> files_in_rule(const std::string& rule);

}  // namespace kernloop::pgo::runtime
