// NVRTC's options in clang's words.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace kernloop::pgo::runtime {

struct NvrtcOptions {
  std::vector<std::string> words;
  bool all_on_device = false;  // functions without attributes are the device's
};

// Refused if an option changes code and clang has no word for it, or its meaning is unknown.
Result<NvrtcOptions> words_of_nvrtc(const std::vector<std::string>& options);

}  // namespace kernloop::pgo::runtime
