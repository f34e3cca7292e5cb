// Machine code from LLVM IR, by a clang of this machine in a child process.
#pragma once

#include <string>

namespace kernloop::softgpu {

class LaneCompiler {
 public:
  // False without a clang here, without lane code in this build, or on an old processor.
  static bool is_here();

  // A relocatable object; empty, and the reason, if it fails.
  std::string compile(const std::string& module, std::string& problem) const;
};

}  // namespace kernloop::softgpu
