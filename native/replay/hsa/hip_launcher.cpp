#include "replay/hsa/hip_launcher.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

namespace kernloop::replay {

namespace {

// The part of HIP's C interface that is used (hip_runtime_api.h), which has kept its shape from ROCm 4 to 7.
using HipStatus = int;
constexpr HipStatus kHipSuccess = 0;
constexpr HipStatus kHipErrorIllegalAddress = 700, kHipErrorLaunchFailure = 719;
void* const kParameterBuffer = reinterpret_cast<void*>(1);  // HIP_LAUNCH_PARAM_BUFFER_POINTER
void* const kParameterSize = reinterpret_cast<void*>(2);    // HIP_LAUNCH_PARAM_BUFFER_SIZE
void* const kParameterEnd = reinterpret_cast<void*>(3);     // HIP_LAUNCH_PARAM_END

constexpr const char* kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

// Set by a thread of HIP that wants to end the process, on its way to do so.
std::atomic<bool> hip_aborts{false};

// Status of every call once a queue has stopped, since ROCm 7 and behind softgpu/hip.
bool says_stopped(HipStatus status) {
  return status == kHipErrorIllegalAddress || status == kHipErrorLaunchFailure;
}

// Status of a launch that is never started: hipErrorInvalidValue, OutOfMemory (of LDS), InvalidConfiguration,
// LaunchOutOfResources, CooperativeLaunchTooLarge. A launch beyond the launch bounds returns kHipErrorLaunchFailure,
// like a stopped queue: waiting distinguishes the two.
bool says_refused(HipStatus status) {
  return status == 1 || status == 2 || status == 9 || status == 701 || status == 720;
}

// The thread stays here: the thread that waits for the launch reports the abort, and then exits.
void hold_abort(int) {
  hip_aborts = true;
  for (;;) ::pause();
}

}  // namespace

#define KERNLOOP_HIP_FUNCTIONS(X)                                                                                      \
  X(hipInit, HipStatus (*)(unsigned))                                                                                  \
  X(hipGetErrorString, const char* (*)(HipStatus))                                                                     \
  X(hipModuleLoadData, HipStatus (*)(void**, const void*))                                                             \
  X(hipModuleUnload, HipStatus (*)(void*))                                                                             \
  X(hipModuleGetFunction, HipStatus (*)(void**, void*, const char*))                                                   \
  X(hipModuleGetGlobal, HipStatus (*)(void**, size_t*, void*, const char*))                                            \
  X(hipModuleLaunchKernel,                                                                                             \
    HipStatus (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)) \
  X(hipDeviceSynchronize, HipStatus (*)())                                                                             \
  X(hipEventCreate, HipStatus (*)(void**))                                                                             \
  X(hipEventRecord, HipStatus (*)(void*, void*))                                                                       \
  X(hipEventElapsedTime, HipStatus (*)(float*, void*, void*))                                                          \
  X(hipEventDestroy, HipStatus (*)(void*))

// Counts work-items and takes partial blocks; a C++ function, of ROCm 5 and 6 alike.
constexpr const char* kLaunchWorkItems =
    "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j";
using LaunchWorkItems = HipStatus (*)(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, void*,
                                      void**, void**, void*, void*, uint32_t);

struct HipLauncher::Functions {
  LaunchWorkItems launch_work_items = nullptr;  // if HIP has it
#define KERNLOOP_DECLARE(name, ...) decltype(static_cast<__VA_ARGS__>(nullptr)) name = nullptr;
  KERNLOOP_HIP_FUNCTIONS(KERNLOOP_DECLARE)
#undef KERNLOOP_DECLARE
};

HipLauncher::HipLauncher() : hip_(std::make_unique<Functions>()) {}

Result<std::unique_ptr<HipLauncher>> HipLauncher::open(const std::filesystem::path& library) {
  std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  if (!library.empty()) names = {library.string()};
  void* handle = nullptr;
  std::string why;
  for (const std::string& name : names) {
    handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) break;
    why = ::dlerror();
  }
  if (!handle) {
    return Error{"RUNTIME_NOT_FOUND", "cannot load the HIP runtime: " + why,
                 "install it (Debian: libamdhip64-5), name it with --hip-runtime, or leave --launch hip out"};
  }
  std::unique_ptr<HipLauncher> launcher(new HipLauncher());
  std::string missing;
#define KERNLOOP_LOOK_UP(name, ...)                                                                \
  launcher->hip_->name = reinterpret_cast<decltype(launcher->hip_->name)>(::dlsym(handle, #name)); \
  if (!launcher->hip_->name) missing += std::string(missing.empty() ? "" : ", ") + #name;
  KERNLOOP_HIP_FUNCTIONS(KERNLOOP_LOOK_UP)
#undef KERNLOOP_LOOK_UP
  launcher->hip_->launch_work_items = reinterpret_cast<LaunchWorkItems>(::dlsym(handle, kLaunchWorkItems));
  if (!missing.empty()) return Error{"RUNTIME_INCOMPLETE", "the HIP runtime lacks " + missing, "use ROCm 5 or later"};
  if (const HipStatus status = launcher->hip_->hipInit(0); status != kHipSuccess)
    return launcher->error("hipInit", status, "starting HIP");
  return launcher;
}

// HIP stays loaded and its modules with it, as the HSA runtime does: it leaves threads behind.
HipLauncher::~HipLauncher() = default;

Error HipLauncher::error(const char* call, int status, const std::string& doing) const {
  const char* text = hip_->hipGetErrorString(status);
  return {"DEVICE_ERROR",
          doing + " failed: " + call + ": " + (text ? text : "unknown error") + " (" + std::to_string(status) + ")",
          "see HIP's message above (AMD_LOG_LEVEL=3 says more), or replay with --launch direct"};
}

Result<uint64_t> HipLauncher::load(Bytes code_object) {
  void* module = nullptr;
  if (const HipStatus status = hip_->hipModuleLoadData(&module, code_object.data()); status != kHipSuccess)
    return error("hipModuleLoadData", status, "loading the code object");
  modules_.push_back(module);
  return modules_.size() - 1;
}

Result<uint64_t> HipLauncher::kernel(uint64_t code, const std::string& name) {
  void* function = nullptr;
  if (const HipStatus status = hip_->hipModuleGetFunction(&function, modules_.at(code), name.c_str());
      status != kHipSuccess)
    return error("hipModuleGetFunction", status, "finding kernel " + name);
  return reinterpret_cast<uint64_t>(function);
}

Result<uint64_t> HipLauncher::variable(uint64_t code, const std::string& name, uint64_t bytes) {
  void* address = nullptr;
  size_t size = 0;
  const HipStatus status = hip_->hipModuleGetGlobal(&address, &size, modules_.at(code), name.c_str());
  if (status == kHipSuccess && size == bytes) return reinterpret_cast<uint64_t>(address);
  return Error{"VARIABLE_MISSING",
               "HIP does not find module variable " + name + " of " + std::to_string(bytes) + " bytes",
               "it finds exported variables only: replay with --launch direct"};
}

Result<int> HipLauncher::submit(const Launch& launch) {
  Buffer arguments = launch.kernarg;
  size_t bytes = arguments.size();
  void* extra[] = {kParameterBuffer, arguments.data(), kParameterSize, &bytes, kParameterEnd};
  const auto& [x, y, z] = launch.block_threads;
  const auto& items = launch.grid_work_items;
  void* const function = reinterpret_cast<void*>(launch.kernel);
  void** const arguments_or_none = bytes > 0 ? extra : nullptr;
  const auto narrow = [](uint64_t value) { return static_cast<uint32_t>(value); };
  HipStatus status = kHipSuccess;
  if (items[0] % x == 0 && items[1] % y == 0 && items[2] % z == 0) {
    status = hip_->hipModuleLaunchKernel(function, narrow(items[0] / x), narrow(items[1] / y), narrow(items[2] / z), x,
                                         y, z, launch.dynamic_group_segment_bytes, nullptr, nullptr, arguments_or_none);
  } else if (hip_->launch_work_items) {
    status = hip_->launch_work_items(function, narrow(items[0]), narrow(items[1]), narrow(items[2]), x, y, z,
                                     launch.dynamic_group_segment_bytes, nullptr, nullptr, arguments_or_none, nullptr,
                                     nullptr, 0);
  } else {
    return Error{"UNSUPPORTED_OPTION",
                 "this HIP launches whole blocks, and the last one of the captured launch is partial",
                 "replay with --launch direct"};
  }
  if (says_stopped(status)) return status;  // the waiting thread gets it, too
  if (says_refused(status)) return refused(launch, status);
  if (status != kHipSuccess) return error("launching a module's kernel", status, "launching " + launch.kernel_name);
  return status;
}

Error HipLauncher::refused(const Launch& launch, int status) const {
  return {"LAUNCH_REFUSED",
          "HIP refuses to launch " + launch.kernel_name + ": " + hip_->hipGetErrorString(status) + " (" +
              std::to_string(status) + ")",
          "the kernel may be compiled for smaller blocks, or take more LDS than there is (AMD_LOG_LEVEL=3 says more)"};
}

Result<HipLauncher::End> HipLauncher::wait(double limit_seconds) {
  // Waits in a thread of its own, which is left behind if it never returns.
  struct Waiting {
    std::atomic<bool> is_over{false};
    HipStatus status = kHipSuccess;
  };
  auto waiting = std::make_shared<Waiting>();
  std::thread([waiting, synchronize = hip_->hipDeviceSynchronize] {
    waiting->status = synchronize();
    waiting->is_over = true;
  }).detach();
  const auto begin = std::chrono::steady_clock::now();
  while (!waiting->is_over) {
    if (hip_aborts) return End::kStopped;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (limit_seconds > 0 && elapsed.count() > limit_seconds) return End::kLimit;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (hip_aborts || says_stopped(waiting->status)) return End::kStopped;
  if (waiting->status != kHipSuccess) return error("hipDeviceSynchronize", waiting->status, "waiting for the kernel");
  return End::kCompleted;
}

Result<HipLauncher::Run> HipLauncher::run(const Launch& launch, bool is_timed) {
  struct sigaction hold {
  }, before{};
  hold.sa_handler = hold_abort;
  ::sigaction(SIGABRT, &hold, &before);
  void *start = nullptr, *stop = nullptr;
  if (is_timed && (hip_->hipEventCreate(&start) != kHipSuccess || hip_->hipEventCreate(&stop) != kHipSuccess ||
                   hip_->hipEventRecord(start, nullptr) != kHipSuccess))
    return Error{"DEVICE_ERROR", "HIP makes no events to time the kernel with", "replay with --launch direct"};
  const auto submitted = submit(launch);
  if (!submitted) return submitted.error();
  if (is_timed) hip_->hipEventRecord(stop, nullptr);
  const auto end = wait(launch.limit_seconds);
  if (!end) return end.error();
  if (*end == End::kCompleted && *submitted != kHipSuccess) return refused(launch, *submitted);
  Run run{*end, std::nullopt};
  if (*end != End::kCompleted) return run;  // the handler stays: the other thread is in it
  ::sigaction(SIGABRT, &before, nullptr);
  float milliseconds = 0;
  if (is_timed && hip_->hipEventElapsedTime(&milliseconds, start, stop) == kHipSuccess) {
    run.duration_ns = static_cast<uint64_t>(static_cast<double>(milliseconds) * 1e6);
    hip_->hipEventDestroy(start);
    hip_->hipEventDestroy(stop);
  }
  return run;
}

}  // namespace kernloop::replay
