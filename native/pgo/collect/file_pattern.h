// LLVM_PROFILE_FILE: the path of profiles, with the patterns of LLVM's runtime.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kernloop::pgo {

// Values of the patterns.
struct PatternValues {
  uint64_t pid = 0;
  std::string host;
  std::string temporary;  // TMPDIR; empty: not set
  std::string binary_id;  // the program's build id in hex; empty: it has none
};
PatternValues values_of_process();

struct FilePattern {
  std::string path;         // everything replaced but %m
  bool pool = false;        // %m, %Nm: runs are added to what is there
  unsigned pool_size = 1;   // N
  bool continuous = false;  // %c: not possible for memory of a device; the profile is written at the end

  // Path of one unit: %m becomes its signature and a number below N.
  std::string path_for(uint64_t signature, uint64_t pid) const;
};

// %p %h %t %b %m %1m … %9m %c, and %% for a percent sign. Any other is an error that names it.
Result<FilePattern> parse_file_pattern(std::string_view pattern, const PatternValues& values);

}  // namespace kernloop::pgo
