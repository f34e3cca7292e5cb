// What Kernloop's scrubbing kernel does, on the host.
#include "cuda/fake/gpu.h"
#include "cuda/fake/kernels/leftovers.h"
#include "cuda/scrub_params.h"

namespace kernloop::cuda::fake {

uint32_t& left_in_shared_memory() {
  static uint32_t word = 0;
  return word;
}

uint32_t& left_in_local_memory() {
  static uint32_t word = 0;
  return word;
}

namespace {

void scrub(Gpu& gpu) {
  const auto params = gpu.parameter<ScrubParams>(0);
  const bool has_all = gpu.shape().dynamic_shared_bytes == params.shared_words * sizeof(uint32_t);
  if (!has_all) throw DeviceFault{};
  if (params.shared_words > 0) left_in_shared_memory() = params.word;
  if (params.local_words > 0) left_in_local_memory() = params.word;
}
const KernelCode kScrub("kernloop_scrub", scrub);

}  // namespace
}  // namespace kernloop::cuda::fake
