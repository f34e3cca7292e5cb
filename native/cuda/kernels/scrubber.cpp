#include "cuda/kernels/scrubber.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/kernels/device_kernels_ptx.h"
#include "cuda/kernels/scrub_params.h"

namespace kernloop::cuda {
namespace {

constexpr uint32_t kThreads = 1024;  // per block that has a multiprocessor's shared memory to itself
constexpr uint32_t kHalf = kThreads / 2;
constexpr uint32_t kFrameUnit = 16;
constexpr int kVisitsInVain = 3;

uint32_t words_of(uint32_t bytes) {
  return bytes / static_cast<uint32_t>(sizeof(uint32_t));
}

uint32_t round_up(uint32_t bytes) {
  return (bytes + kFrameUnit - 1) / kFrameUnit * kFrameUnit;
}

// The kernel's PTX with that size of local memory in place of the compiled one. The size is never 0: an empty array has
// no address.
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
  // The word is 1.5e16 as f32 and bf16, 7e127 as f64, 203 as f16, 1.5e9 as i32; the lowest byte distinguishes poisons.
  return (poison & 0x80u) << 24 | 0x5A5A5A00u | poison;
}

Result<std::unique_ptr<Scrubber>> Scrubber::load(const Driver& driver, CUdevice device, uint32_t local_bytes) {
  std::unique_ptr<Scrubber> scrubber(new Scrubber(driver, round_up(local_bytes)));
  if (auto prepared = scrubber->prepare(device); !prepared) return prepared.error();
  return scrubber;
}

Scrubber::~Scrubber() {
  CUcontext context = nullptr;
  if (driver_.cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context) return;
  if (found_) driver_.cuMemFree(found_);
  if (module_) driver_.cuModuleUnload(module_);
}

Status Scrubber::prepare(CUdevice device) {
  if (const CUresult result = driver_.cuModuleLoadData(&module_, ptx_for(local_bytes_).c_str()))
    return failed(driver_, "cuModuleLoadData of scrub_kernel.ptx", result);
  if (const CUresult result = driver_.cuModuleGetFunction(&kernel_, module_, "kernloop_scrub"))
    return failed(driver_, "cuModuleGetFunction", result);
  const std::pair<CUdevice_attribute, uint32_t*> facts[] = {
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors_},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &threads_of_multiprocessor_},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared_bytes_},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &shared_of_multiprocessor_},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, &reserved_bytes_}};
  for (const auto& [attribute, into] : facts) {
    int value = 0;
    if (const CUresult result = driver_.cuDeviceGetAttribute(&value, attribute, device))
      return failed(driver_, "cuDeviceGetAttribute", result);
    *into = static_cast<uint32_t>(std::max(value, 0));
  }
  // The shared memory carveout is the maximum: otherwise written shared memory would be cache for the next kernel.
  const std::pair<CUfunction_attribute, uint32_t> settings[] = {
      {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes_},
      {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100}};
  for (const auto& [attribute, value] : settings) {
    if (const CUresult result = driver_.cuFuncSetAttribute(kernel_, attribute, static_cast<int>(value)))
      return failed(driver_, "cuFuncSetAttribute", result);
  }
  if (const CUresult result = driver_.cuMemAlloc(&found_, kScrubPlaces * sizeof(uint32_t)))
    return failed(driver_, "cuMemAlloc", result);
  return Unit{};
}

Status Scrubber::fill(uint32_t word, CUstream stream) {
  // The first pass writes a word that nobody has left: it shows what the second pass leaves out.
  const uint32_t other = ~word ^ (static_cast<uint32_t>(launched_) + static_cast<uint32_t>(::getpid())) << 8;
  if (auto filled = fill_shared(other, stream); !filled) return filled;
  if (auto filled = fill_shared(word, stream); !filled) return filled;
  if (local_bytes_ == 0) return Unit{};
  // Launches as many threads as can be resident: of 2,048 on a multiprocessor, or 1,536, or 1,024.
  return launch(word, {multiprocessors_ * (threads_of_multiprocessor_ / kHalf), kHalf, 0}, stream);
}

Status Scrubber::fill_shared(uint32_t word, CUstream stream) {
  // A multiprocessor has room for one block with all the shared memory that a block can have.
  if (auto filled = launch(word, {multiprocessors_, kThreads, shared_bytes_}, stream); !filled) return filled;
  return reserved_bytes_ > 0 ? visit_reserved(word, stream) : Unit{};
}

// Shared memory is a ring in which each block begins where the previous one ended, with a part that the system reserves
// ahead of it (1 KiB from sm_80 on), which nobody writes. A block that has all the rest leaves that out. Blocks of
// which more than two and less than three fit move on round the ring, and meet it (measured:
// docs/contributing/cuda.md): they are launched until that many unfilled bytes have been met on every multiprocessor.
Status Scrubber::visit_reserved(uint32_t word, CUstream stream) {
  if (const CUresult result = driver_.cuMemsetD32Async(found_, 0, kScrubPlaces, stream))
    return failed(driver_, "cuMemsetD32Async", result);
  // Whole reserves, so that none is met in part.
  const uint32_t taken = shared_of_multiprocessor_ / reserved_bytes_ * 5 / 12 * reserved_bytes_;
  const Work visit{multiprocessors_ * 8, kHalf, std::min(taken - reserved_bytes_, shared_bytes_), false, false};
  uint32_t found = 0;
  for (int in_vain = 0; found < std::min(multiprocessors_, kScrubPlaces) && in_vain < kVisitsInVain; ++in_vain) {
    if (auto visited = launch(word, visit, stream); !visited) return visited;
    const auto now = count_found(stream);
    if (!now) return now.error();
    if (*now > found) in_vain = -1;
    found = *now;
  }
  // Fewer were met: another process uses the device, and left that very word there, or something else.
  return Unit{};
}

// Number of multiprocessors on which as many bytes were met as are reserved.
Result<uint32_t> Scrubber::count_found(CUstream stream) {
  std::vector<uint32_t> found(kScrubPlaces);
  if (const CUresult result = driver_.cuMemcpyDtoHAsync(found.data(), found_, found.size() * sizeof(uint32_t), stream))
    return failed(driver_, "cuMemcpyDtoHAsync", result);
  if (const CUresult result = driver_.cuStreamSynchronize(stream))
    return failed(driver_, "cuStreamSynchronize", result);
  return static_cast<uint32_t>(
      std::count_if(found.begin(), found.end(), [this](uint32_t words) { return words >= words_of(reserved_bytes_); }));
}

Status Scrubber::launch(uint32_t word, const Work& work, CUstream stream) {
  launched_ += work.blocks;
  const uint32_t local_words = work.has_local ? words_of(local_bytes_) : 0;
  ScrubParams params{work.all_resident ? launched_ : 0, found_,      word,
                     words_of(work.shared_bytes),       local_words, local_words / 2};
  void* parameters[] = {&params};
  if (const CUresult result = driver_.cuLaunchKernel(kernel_, work.blocks, 1, 1, work.threads, 1, 1, work.shared_bytes,
                                                     stream, parameters, nullptr))
    return failed(driver_, "cuLaunchKernel", result);
  return Unit{};
}

}  // namespace kernloop::cuda
