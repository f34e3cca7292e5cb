// What Kernloop's scrubbing kernel does, on the host.
#include "cuda/fake/gpu.h"
#include "cuda/fake/kernels/leftovers.h"
#include "cuda/scrub_params.h"

namespace kernloop::cuda::fake {

uint32_t& left_in_shared_memory() {
  static uint32_t word = 0;
  return word;
}

uint32_t& left_in_reserved_memory() {
  static uint32_t word = 0;
  return word;
}

uint32_t& left_in_local_memory() {
  static uint32_t word = 0;
  return word;
}

namespace {

constexpr uint32_t kMultiprocessors = 132, kReservedBytes = 1 << 10, kSharedBytes = 228 << 10;

// Blocks that run across the end of shared memory write what is reserved where one has all the rest. The first launch
// leaves a multiprocessor out.
void visit_reserved(Gpu& gpu, const ScrubParams& params) {
  static bool is_first = true;
  const uint32_t taken = gpu.shape().dynamic_shared_bytes + kReservedBytes;
  const bool crosses_end = 2 * taken < kSharedBytes && kSharedBytes < 3 * taken;
  if (!crosses_end || gpu.blocks() < 3 * kMultiprocessors || left_in_shared_memory() != params.mark) return;
  for (uint32_t i = is_first ? 1 : 0; i < kMultiprocessors; ++i)
    gpu.write(params.found + i * sizeof(uint32_t), kReservedBytes / static_cast<uint32_t>(sizeof(uint32_t)));
  if (!is_first) left_in_reserved_memory() = params.word;
  is_first = false;
}

void scrub(Gpu& gpu) {
  const auto params = gpu.parameter<ScrubParams>(0);
  const bool has_all = gpu.shape().dynamic_shared_bytes == params.shared_words * sizeof(uint32_t);
  if (!has_all) throw DeviceFault{};
  if (params.mark != 0) return visit_reserved(gpu, params);
  if (params.shared_words > 0) left_in_shared_memory() = params.word;
  if (params.local_words > 0) left_in_local_memory() = params.word;
}
const KernelCode kScrub("kernloop_scrub", scrub);

}  // namespace
}  // namespace kernloop::cuda::fake
