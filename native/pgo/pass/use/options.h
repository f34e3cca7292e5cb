#pragma once

#include <string>

namespace kernloop::pgo_pass {

enum class Gate { off, uniform, flatten, wave };

struct UseOptions {
  std::string profile;  // indexed, stock format
  std::string waves;    // side file, or empty
  std::string report;   // file, or empty
  Gate gate;
  bool weights;  // false: the code is built as though there were no profile, for a report of what that costs
};

// Registered like those of options.h.
void register_use_options();
UseOptions use_options();
const char* name_of(Gate gate);

}  // namespace kernloop::pgo_pass
