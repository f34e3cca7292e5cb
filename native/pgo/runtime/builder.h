// Requests of the library to kernloop-pgo-runtime, which has the cache and starts the compiler.
#pragma once

#include <optional>
#include <set>

#include "pgo/runtime/config.h"

namespace kernloop::pgo::runtime {

struct KnownProfile {
  std::string id;
  std::filesystem::path raw;
  std::set<std::string> kernels;
};

struct CacheEntry {
  std::filesystem::path folder;
  std::string instrumented, production, gate;  // paths; empty if there is none
  std::optional<KnownProfile> profile;
  bool known = false;     // the profile was in the cache before
  bool compiled = false;  // something had to be compiled
  std::optional<Error> problem;
};

class Builder {
 public:
  explicit Builder(const Config& config) : config_(config) {}
  Result<CacheEntry> open(const std::string& request) const;
  Result<CacheEntry> use(const std::filesystem::path& folder, const std::filesystem::path& raw,
                         const std::set<std::string>& kernels) const;
  Result<CacheEntry> forget(const std::filesystem::path& folder) const;

 private:
  Result<CacheEntry> ask(std::vector<std::string> words, const std::string& input) const;
  const Config& config_;
};

}  // namespace kernloop::pgo::runtime
