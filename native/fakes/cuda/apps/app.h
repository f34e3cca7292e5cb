// Helpers shared by the commands of cuda_app. A failed driver call or a wrong result ends the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fakes/cuda/apps/linked_driver.h"

namespace kernloop::cuda::app {

// One situation that a capture or a replay must cope with, as a sub-command.
struct Command {
  Command(const char* name, const char* what, void (*run)());
};

// Arguments after the sub-command's name.
int64_t argument(size_t index, int64_t otherwise);

[[noreturn]] void fail(const std::string& what);
void check(CUresult result, const char* call, int line);
#define CHECK(call) ::kernloop::cuda::app::check(call, #call, __LINE__)
void expect(bool right, const char* what, int line);
#define EXPECT(condition) ::kernloop::cuda::app::expect(condition, #condition, __LINE__)

// cuInit, and the primary context of the device made current.
CUcontext start(CUdevice device = 0);

// A file in the folder of test cubins. Kept for the process's life.
const char* read_cubin(const std::string& name);
CUmodule load_module(const char* cubin = "test_kernels.sm_90.cubin");
CUstream new_stream();  // non-blocking
CUfunction function(CUmodule module, const char* name);

inline constexpr char kSaxpy[] = "_Z5saxpyfPKfPfi", kAddInPlace[] = "_Z12add_in_placePffi";

CUdeviceptr allocate(size_t bytes);
void upload(CUdeviceptr to, const std::vector<float>& values);
CUdeviceptr uploaded(const std::vector<float>& values);
std::vector<float> downloaded(CUdeviceptr from, size_t count);
std::vector<float> ramp(size_t count);  // 0, 1, 2, …

struct Blocks {
  unsigned int x, y = 1;
};
inline constexpr unsigned int kThreads = 128;
constexpr Blocks blocks_for(size_t elements) {
  return {static_cast<unsigned int>((elements + kThreads - 1) / kThreads)};
}

template <typename... Args>
void launch(CUfunction function, Blocks blocks, CUstream stream, Args... args) {
  void* parameters[] = {&args...};
  CHECK(cuLaunchKernel(function, blocks.x, blocks.y, 1, kThreads, 1, 1, 0, stream, parameters, nullptr));
}

// y[i] = 2 * x[i] + y[i]
void saxpy(CUfunction function, CUdeviceptr x, CUdeviceptr y, size_t count, CUstream stream = nullptr);
void add_in_place(CUfunction function, CUdeviceptr x, float value, size_t count, CUstream stream = nullptr);

}  // namespace kernloop::cuda::app
