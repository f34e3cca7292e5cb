// Launches through the HIP runtime, which alone can fill hidden arguments of services (hostcall, heap, printf). The
// library is loaded at run time and uses the HSA runtime that this process has already.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/core/device/device.h"

namespace kernloop::replay {

class HipLauncher {
 public:
  // `library`: empty for libamdhip64 by its usual names. RUNTIME_NOT_FOUND, RUNTIME_INCOMPLETE, DEVICE_ERROR.
  static Result<std::unique_ptr<HipLauncher>> open(const std::filesystem::path& library);
  ~HipLauncher();

  // Own ids for loaded code.
  Result<uint64_t> load(Bytes code_object);
  Result<uint64_t> kernel(uint64_t code, const std::string& name);
  // VARIABLE_MISSING for a variable that HIP does not find by name: a local symbol.
  Result<uint64_t> variable(uint64_t code, const std::string& name, uint64_t bytes);

  enum class End { kCompleted, kStopped, kLimit };
  struct Run {
    End end = End::kCompleted;
    std::optional<uint64_t> duration_ns;  // between events around the launch, where timed
  };
  // When a queue stops, HIP ends the process, which is delayed, or, since ROCm 7, returns an error from every call:
  // both are kStopped. After that and after kLimit HIP must not be called any more.
  Result<Run> run(const Launch& launch, bool is_timed);

 private:
  struct Functions;
  HipLauncher();
  Error error(const char* call, int status, const std::string& doing) const;
  Error refused(const Launch& launch, int status) const;
  // HIP's status: an error of a stopped queue, or of a kernel that was refused, if it is not success.
  Result<int> submit(const Launch& launch);
  // For the waiting thread: false if HIP ended first, or the limit was reached.
  Result<End> wait(double limit_seconds);

  std::unique_ptr<Functions> hip_;
  std::vector<void*> modules_;
};

}  // namespace kernloop::replay
