// Machine code from LLVM IR, by an LLVM of this machine in this process.
#pragma once

#include <string>

namespace kernloop::softgpu {

class LaneCompiler {
 public:
  // False without lane code in this build, or on an old processor. The machine may have no LLVM all the same.
  static bool is_built();
  // Opens LLVM; empty if there is one, else the reason.
  static std::string find_llvm();

  // A relocatable object; empty, and the reason, if it fails.
  std::string compile(const std::string& module, std::string& problem) const;
};

}  // namespace kernloop::softgpu
