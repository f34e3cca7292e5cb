// Adds up profiles of any number of runs, by (name, hash).
#pragma once

#include <map>
#include <set>
#include <span>

#include "base/result.h"
#include "pgo/format/profile.h"
#include "pgo/format/raw.h"
#include "pgo/format/side_files.h"

namespace kernloop::pgo {

// Profile of a raw file and its side files; either may be missing.
Result<Profile> with_side_files(const RawProfile& raw, const std::vector<uint64_t>* uniform, const WaveFile* waves,
                                const std::string& what);

// "kernels/scale.hip;twice" becomes "kernel_variant.hip;twice": a local function carries its file as it was given to
// the compiler, and an app and a reproducer give it differently.
struct Rename {
  std::string from, to;
};

struct MergeOptions {
  std::vector<Rename> renames{};
  std::string arch{};           // architecture of all inputs; empty: from the inputs
  bool mixed_sampling = false;  // accept counts that represent different shares of a run
};

class Merger {
 public:
  explicit Merger(MergeOptions options);

  // After an error the sums are of no use.
  Status add(const Profile& profile, uint64_t weight, const std::string& what);

  struct Note {
    std::string code, text;
  };
  Profile result() const;           // functions in order of name
  std::vector<Note> notes() const;  // differences of the result from the inputs

 private:
  struct Entry {
    FunctionProfile function;
    std::string original, first;  // name and file of its first occurrence
    bool uniform = true, classes = true;
    std::set<size_t> saturated;  // counters
  };
  Status check(const Profile& profile, const std::string& what) const;
  std::string renamed(const std::string& name) const;
  Status add_function(const FunctionProfile& function, uint64_t weight, const std::string& what);

  MergeOptions options_;
  Profile head_;  // common to all inputs
  std::string first_;
  std::string arch_from_, measured_from_;
  bool mixed_ = false;
  std::map<std::string, Entry> functions_;
};

}  // namespace kernloop::pgo
