// LLVM in this process: a libLLVM of the machine, by its C API.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kernloop::softgpu {

class LlvmLibrary {
 public:
  // Opens one of version `least` or later at the first call, which may take a tenth of a second; nullptr, and the
  // reason, if there is none that may be used. KERNLOOP_SOFTGPU_LLVM names one; else the newest that the loader finds,
  // or ROCm's.
  static const LlvmLibrary* open(unsigned least, std::string& problem);

  const std::string& name() const { return name_; }
  unsigned version() const { return version_; }

#define X(result, name, parameters) result(*name) parameters = nullptr;
#include "softgpu/engine/translate/llvm_functions.def"
#undef X

  // Calls `work`, which uses LLVM. False, and the reason, after an error at which LLVM would end the program: it must
  // not be used again. When the program ends, LLVM's own objects are destroyed: a thread in here is then held at its
  // next `yield`, or where it returns, and the program's end waits for that.
  bool use(const std::function<void()>& work, std::string& problem) const;
  static void yield();

 private:
  LlvmLibrary() = default;
  bool load(const std::string& name, unsigned least, std::string& problem);

  std::string name_;
  unsigned version_ = 0;
};

}  // namespace kernloop::softgpu
