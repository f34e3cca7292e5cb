// Leaves a word of our choice wherever kernels before left theirs: in all of a multiprocessor's shared memory, and in
// the local memory of all threads that can be resident. In a module of its own, since local memory makes the driver
// give the context a stack of that size; scrub_kernel.ptx is made from this text (target device_kernels_ptx).
#include <stdint.h>

#include "cuda/kernels/scrub_params.h"

extern "C" {

__attribute__((device)) unsigned long long kernloop_scrub_arrived;  // blocks of all launches
__attribute__((device)) uint32_t kernloop_scrub_wrong;              // words that were not kept
extern __attribute__((shared)) uint32_t kernloop_scrub_shared[];

__attribute__((global)) __attribute__((launch_bounds(1024))) void kernloop_scrub(
    const kernloop::cuda::ScrubParams params) {
  uint32_t local[kernloop::cuda::kScrubLocalWords];  // as many as the loader puts in its place: scrubber.cpp
  const uint32_t thread = static_cast<uint32_t>(__nvvm_read_ptx_sreg_tid_x());
  const uint32_t threads = static_cast<uint32_t>(__nvvm_read_ptx_sreg_ntid_x());
  volatile uint32_t* shared = kernloop_scrub_shared;
  uint32_t found = 0;
#pragma nounroll
  for (uint32_t i = thread; i < params.shared_words; i += threads) {
    if (shared[i] == params.word) continue;
    shared[i] = params.word;
    ++found;
  }
  if (found != 0) {
    const uint32_t place = static_cast<uint32_t>(__nvvm_read_ptx_sreg_smid()) % kernloop::cuda::kScrubPlaces;
    __nvvm_atom_add_gen_i(reinterpret_cast<int*>(params.found) + place, static_cast<int>(found));
  }
#pragma nounroll
  for (uint32_t i = 0; i < params.local_words; ++i) local[i] = params.word;
  // A word that the compiler does not know is looked at: so it writes them all.
  if (params.local_words != 0 && local[params.looked_at] != params.word) kernloop_scrub_wrong = 1;
  __syncthreads();
  // No block makes room for another until all are there: so each has memory of its own, and all of it is visited. Not
  // for ever: where somebody else is on the device, not all fit at a time.
  if (thread == 0) {
    volatile unsigned long long* arrived = &kernloop_scrub_arrived;
    unsigned long long now = static_cast<unsigned long long>(
                                 __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(&kernloop_scrub_arrived), 1)) +
                             1;
#pragma nounroll
    for (uint32_t looks = 0; now < params.wait_for && looks < kernloop::cuda::kScrubLooks; ++looks) now = *arrived;
  }
  __syncthreads();
}

}  // extern "C"
