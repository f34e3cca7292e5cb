#include "cuda/scrubber.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cuda/device_kernels_ptx.h"
#include "cuda/scrub_params.h"

namespace kernloop::cuda {
namespace {

constexpr uint32_t kThreads = 1024;  // of a block that has a multiprocessor's shared memory to itself
constexpr uint32_t kFrameUnit = 16;

uint32_t words_of(uint32_t bytes) {
  return bytes / static_cast<uint32_t>(sizeof(uint32_t));
}

uint32_t round_up(uint32_t bytes) {
  return (bytes + kFrameUnit - 1) / kFrameUnit * kFrameUnit;
}

// The kernel with local memory of that size in place of what it was written with. There is always some: an array of
// none has no place.
std::string ptx_for(uint32_t local_bytes) {
  std::string text = scrub_kernel_ptx();
  const std::string written = "[" + std::to_string(kScrubLocalWords * sizeof(uint32_t)) + "]";
  const size_t at = text.find(written);
  if (at != text.npos) text.replace(at, written.size(), "[" + std::to_string(std::max(local_bytes, kFrameUnit)) + "]");
  return text;
}

Error failed(const Driver& driver, const char* call, CUresult result) {
  return {"DEVICE_ERROR", std::string("filling shared and local memory: ") + call + ": " + driver.describe(result),
          "`kernloop doctor` checks the device; the kernel log (dmesg, Xid) may say more"};
}

}  // namespace

uint32_t scrub_word(uint8_t poison) {
  // As f32 and bf16 1.5e16, as f64 7e127, as f16 203, as i32 1.5e9; the lowest byte tells poisons apart.
  return (poison & 0x80u) << 24 | 0x5A5A5A00u | poison;
}

Result<std::unique_ptr<Scrubber>> Scrubber::load(const Driver& driver, CUdevice device, uint32_t local_bytes) {
  std::unique_ptr<Scrubber> scrubber(new Scrubber(driver, round_up(local_bytes)));
  if (auto prepared = scrubber->prepare(device); !prepared) return prepared.error();
  return scrubber;
}

Scrubber::~Scrubber() {
  CUcontext context = nullptr;
  if (module_ && driver_.cuCtxGetCurrent(&context) == CUDA_SUCCESS && context) driver_.cuModuleUnload(module_);
}

Status Scrubber::prepare(CUdevice device) {
  if (const CUresult result = driver_.cuModuleLoadData(&module_, ptx_for(local_bytes_).c_str()))
    return failed(driver_, "cuModuleLoadData of scrub_kernel.ptx", result);
  if (const CUresult result = driver_.cuModuleGetFunction(&kernel_, module_, "kernloop_scrub"))
    return failed(driver_, "cuModuleGetFunction", result);
  const std::pair<CUdevice_attribute, uint32_t*> facts[] = {
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors_},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &threads_of_multiprocessor_},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared_bytes_}};
  for (const auto& [attribute, into] : facts) {
    int value = 0;
    if (const CUresult result = driver_.cuDeviceGetAttribute(&value, attribute, device))
      return failed(driver_, "cuDeviceGetAttribute", result);
    *into = static_cast<uint32_t>(std::max(value, 0));
  }
  if (const CUresult result = driver_.cuFuncSetAttribute(kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                         static_cast<int>(shared_bytes_)))
    return failed(driver_, "cuFuncSetAttribute", result);
  return Unit{};
}

Status Scrubber::fill(uint32_t word, CUstream stream) {
  // A multiprocessor has room for one block with all the shared memory that a block can have.
  if (auto launched = launch(word, multiprocessors_, kThreads, shared_bytes_, stream); !launched) return launched;
  if (local_bytes_ == 0) return Unit{};
  // As many threads as can be resident: of 2,048 on a multiprocessor, or 1,536, or 1,024.
  constexpr uint32_t kHalf = kThreads / 2;
  return launch(word, multiprocessors_ * (threads_of_multiprocessor_ / kHalf), kHalf, 0, stream);
}

Status Scrubber::launch(uint32_t word, uint32_t blocks, uint32_t threads, uint32_t shared_bytes, CUstream stream) {
  launched_ += blocks;
  const uint32_t local_words = words_of(local_bytes_);
  ScrubParams params{launched_, word, words_of(shared_bytes), local_words, local_words / 2};
  void* parameters[] = {&params};
  if (const CUresult result =
          driver_.cuLaunchKernel(kernel_, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, parameters, nullptr))
    return failed(driver_, "cuLaunchKernel", result);
  return Unit{};
}

}  // namespace kernloop::cuda
