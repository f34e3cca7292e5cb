// Cache of one program (source, headers, options, names, target): code with counters, profiles, and the code made of
// each, below the digest of everything else that decides code. Writers hold the lock; files are renamed into place, and
// each has its digest beside it: a file that does not match is made again.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "pgo/runtime/config.h"
#include "pgo/runtime/distance.h"

namespace kernloop::pgo::runtime {

namespace fs = std::filesystem;

inline constexpr size_t kMostProfiles = 32;  // per program; the oldest go

struct CachedProfile {
  std::string id;  // digest of its files
  fs::path raw;    // its .profraw; the side files are beside it
  std::set<std::string> kernels;
};

class ProgramFolder {
 public:
  // Folder of the library's request. Refused if it cannot be kept as files.
  static Result<ProgramFolder> make(const Config& config, const std::string& request);
  static Result<ProgramFolder> at(const Config& config, const fs::path& folder);

  // Held until the process ends: a program is built once for all that ask.
  Status lock() const;

  const fs::path& folder() const { return folder_; }
  const nlohmann::json& request() const { return request_; }
  std::string key() const { return folder_.filename().string(); }
  bool is_cuda() const { return request_.at("target").get<std::string>().starts_with("sm_"); }
  fs::path source() const { return folder_ / (is_cuda() ? "source.cu" : "source.hip"); }
  fs::path headers() const { return folder_ / "headers"; }
  // Folder below the digest of the conditions; without a compiler, that of the last builder, empty if nobody built.
  const fs::path& built() const { return built_; }
  fs::path profile_folder(const std::string& id) const { return built_ / "profiles" / id; }

  // Whether the code of that name is as it was built, from the files as they are now.
  bool has(const fs::path& code) const;
  // Moves compiled code to its place, and records its inputs beside it.
  Status keep(const fs::path& code, const fs::path& compiled, const std::set<fs::path>& read,
              nlohmann::json facts) const;
  nlohmann::json facts(const fs::path& code) const;

  std::optional<CachedProfile> current() const;
  Status set_current(const std::string& id) const;
  Status drop_current() const;
  std::optional<CachedProfile> profile(const std::string& id) const;
  std::vector<CachedProfile> profiles() const;
  Result<CachedProfile> add_profile(const fs::path& raw, const std::set<std::string>& kernels) const;
  // The nearest profile within the bound that has all of these kernels.
  std::optional<CachedProfile> nearest(const fs::path& raw, const std::set<std::string>& kernels) const;

 private:
  ProgramFolder(const Config& config, fs::path folder, nlohmann::json request);
  bool is_of_the_app(const fs::path& file) const;
  const Config* config_;
  fs::path folder_, built_;
  nlohmann::json request_;
};

std::string digest_of_text(const std::string& text);
std::optional<std::string> digest_of_file(const fs::path& path);
Status write_text_file(const fs::path& path, const std::string& text);
std::optional<CountsOfFunctions> counts_in(const fs::path& raw);

}  // namespace kernloop::pgo::runtime
