// Kernloop's scrubbing kernel, on the host.
#include "cuda/kernels/scrub_params.h"
#include "fakes/cuda/kernels/leftovers.h"
#include "fakes/cuda/work/gpu.h"

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

constexpr uint32_t kRings = 132, kReservedBytes = 1 << 10, kRingBytes = 228 << 10;

// Whether the block that has all of shared memory begins somewhere else than the one before did.
bool has_moved = false;

// One block on each multiprocessor: it leaves out what is reserved, which is another place after smaller blocks.
void fill_all_but_reserved(uint32_t word) {
  if (has_moved) left_in_reserved_memory() = left_in_shared_memory();
  has_moved = false;
  left_in_shared_memory() = word;
}

// Smaller ones go round, and write that, too. The first launch leaves a multiprocessor out.
void go_round(Gpu& gpu, const ScrubParams& params) {
  static bool is_first = true;
  has_moved = true;
  if (left_in_shared_memory() != params.word || left_in_reserved_memory() == params.word) return;
  for (uint32_t i = is_first ? 1 : 0; i < kRings; ++i)
    gpu.write(params.found + i * sizeof(uint32_t), kReservedBytes / static_cast<uint32_t>(sizeof(uint32_t)));
  if (!is_first) left_in_reserved_memory() = params.word;
  is_first = false;
}

void scrub(Gpu& gpu) {
  const auto params = gpu.parameter<ScrubParams>(0);
  const uint32_t shared_bytes = gpu.shape().dynamic_shared_bytes, taken = shared_bytes + kReservedBytes;
  if (shared_bytes != params.shared_words * sizeof(uint32_t)) throw DeviceFault{};
  if (taken == kRingBytes) fill_all_but_reserved(params.word);
  const bool goes_round = 2 * taken < kRingBytes && kRingBytes < 3 * taken && gpu.blocks() >= 3 * kRings;
  if (goes_round) go_round(gpu, params);
  if (params.local_words > 0) left_in_local_memory() = params.word;
}
const KernelCode kScrub("kernloop_scrub", scrub);

}  // namespace
}  // namespace kernloop::cuda::fake
