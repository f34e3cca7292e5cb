#include "cuda/kernels/line_demoter.h"

#include <algorithm>
#include <string>

#include "cuda/kernels/device_kernels_ptx.h"

namespace kernloop::cuda {
namespace {

constexpr uint64_t kLineBytes = 128;
constexpr unsigned kThreads = 256;
constexpr uint64_t kMostLines = uint64_t{32} << 20;  // 4 GiB a launch: other work on the device is not held up

Error failed(const Driver& driver, const char* call, CUresult result) {
  return {"DEVICE_ERROR", std::string("demoting lines of the L2 cache: ") + call + ": " + driver.describe(result),
          "`kernloop doctor` checks the device; the kernel log (dmesg, Xid) may say more"};
}

}  // namespace

Result<std::unique_ptr<LineDemoter>> LineDemoter::load(const Driver& driver) {
  std::unique_ptr<LineDemoter> demoter(new LineDemoter(driver));
  if (const CUresult result = driver.cuModuleLoadData(&demoter->module_, demote_kernel_ptx()))
    return failed(driver, "cuModuleLoadData of demote_kernel.ptx", result);
  if (const CUresult result = driver.cuModuleGetFunction(&demoter->kernel_, demoter->module_, "kernloop_demote"))
    return failed(driver, "cuModuleGetFunction", result);
  return demoter;
}

LineDemoter::~LineDemoter() {
  CUcontext context = nullptr;
  if (driver_.cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context) return;
  if (module_) driver_.cuModuleUnload(module_);
}

Status LineDemoter::demote(uint64_t base, uint64_t bytes) {
  const uint64_t end = base + bytes;
  base = base / kLineBytes * kLineBytes;
  for (uint64_t left = (end - base + kLineBytes - 1) / kLineBytes; left > 0;) {
    uint64_t lines = std::min(left, kMostLines);
    void* arguments[] = {&base, &lines};
    const auto blocks = static_cast<unsigned>((lines + kThreads - 1) / kThreads);
    if (const CUresult result =
            driver_.cuLaunchKernel(kernel_, blocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr))
      return failed(driver_, "cuLaunchKernel", result);
    base += lines * kLineBytes;
    left -= lines;
  }
  if (const CUresult result = driver_.cuStreamSynchronize(nullptr))
    return failed(driver_, "cuStreamSynchronize", result);
  return Unit{};
}

}  // namespace kernloop::cuda
