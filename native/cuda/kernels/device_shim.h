// What device_kernels.cu needs of its surroundings: the compiler's for NVIDIA's and AMD's GPUs, or, for tests and the
// fake driver, loops on the host. No header of CUDA or HIP is used, so that a plain clang compiles it.
//
// A kernel is up to three phases with a barrier between: on the host, each phase runs for all threads of a block before
// the next begins.
#pragma once

#include <stdint.h>

#include "cuda/kernels/checksum_mix.h"

namespace kernloop::cuda {

struct Thread {
  uint32_t block, blocks, index, threads;
};

typedef uint64_t Word8 __attribute__((may_alias));
typedef uint64_t Word16 __attribute__((vector_size(16), may_alias));

}  // namespace kernloop::cuda

#if defined(__CUDA__) || defined(__HIP__)

#define KERNLOOP_VARIABLE __attribute__((device))
#define KERNLOOP_POINTER(Type, address) reinterpret_cast<__attribute__((address_space(1))) Type*>(address)
#define KERNLOOP_UNROLL _Pragma("unroll 4")

namespace kernloop::cuda {

#ifdef __CUDA__
KERNLOOP_DEVICE Thread this_thread() {
  return {static_cast<uint32_t>(__nvvm_read_ptx_sreg_ctaid_x()), static_cast<uint32_t>(__nvvm_read_ptx_sreg_nctaid_x()),
          static_cast<uint32_t>(__nvvm_read_ptx_sreg_tid_x()), static_cast<uint32_t>(__nvvm_read_ptx_sreg_ntid_x())};
}
KERNLOOP_DEVICE void atomic_or(uint32_t* word, uint32_t bits) {
  __nvvm_atom_or_gen_i(reinterpret_cast<int*>(word), static_cast<int>(bits));
}
KERNLOOP_DEVICE void wait_for_block() {
  __syncthreads();
}
#else
KERNLOOP_DEVICE Thread this_thread() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_grid_size_x() / kThreadsPerBlock,
          __builtin_amdgcn_workitem_id_x(), kThreadsPerBlock};
}
KERNLOOP_DEVICE void atomic_or(uint32_t* word, uint32_t bits) {
  __hip_atomic_fetch_or(word, bits, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNLOOP_DEVICE void wait_for_block() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

}  // namespace kernloop::cuda

#ifdef __CUDA__
// At least four blocks on a multiprocessor: at most 64 registers a thread.
#define KERNLOOP_BOUNDS __attribute__((launch_bounds(kernloop::cuda::kThreadsPerBlock, 4)))
#else
#define KERNLOOP_BOUNDS \
  __attribute__((amdgpu_flat_work_group_size(kernloop::cuda::kThreadsPerBlock, kernloop::cuda::kThreadsPerBlock)))
#endif

#define KERNLOOP_KERNEL(name, Params, Shared, phase1, phase2, phase3)                 \
  extern "C" __attribute__((global)) KERNLOOP_BOUNDS void name(const Params params) { \
    static __attribute__((shared)) Shared shared;                                     \
    const kernloop::cuda::Thread thread = kernloop::cuda::this_thread();              \
    phase1(params, shared, thread);                                                   \
    kernloop::cuda::wait_for_block();                                                 \
    phase2(params, shared, thread);                                                   \
    kernloop::cuda::wait_for_block();                                                 \
    phase3(params, shared, thread);                                                   \
  }

#define KERNLOOP_SIMPLE_KERNEL(name, Params, body)                                    \
  extern "C" __attribute__((global)) KERNLOOP_BOUNDS void name(const Params params) { \
    body(params, kernloop::cuda::this_thread());                                      \
  }

#else

#include <cstring>
#include <memory>

#include "cuda/kernels/device_kernels_host.h"

#define KERNLOOP_VARIABLE
#define KERNLOOP_POINTER(Type, address) kernloop::cuda::checked_pointer<Type>(address)
#define KERNLOOP_UNROLL

namespace kernloop::cuda {

inline void atomic_or(uint32_t* word, uint32_t bits) {
  *word |= bits;
}

template <typename Type>
Type* checked_pointer(uint64_t address) {
  host_access().note(address, sizeof(Type));
  return reinterpret_cast<Type*>(address);
}

// Calls run(thread) for every thread of a block.
template <typename Run>
void for_block(uint32_t block, uint32_t blocks, uint32_t threads, Run&& run) {
  for (uint32_t index = 0; index < threads; ++index) run(Thread{block, blocks, index, threads});
}

}  // namespace kernloop::cuda

#define KERNLOOP_KERNEL(name, Params, Shared, phase1, phase2, phase3)                                    \
  static void name(uint32_t blocks, uint32_t threads, const void* raw) {                                 \
    Params params;                                                                                       \
    std::memcpy(&params, raw, sizeof params);                                                            \
    const auto memory = std::make_unique<Shared>();                                                      \
    Shared& shared = *memory;                                                                            \
    for (uint32_t block = 0; block < blocks; ++block) {                                                  \
      std::memset(static_cast<void*>(&shared), 0xA5, sizeof shared); /* as undefined as on the device */ \
      for_block(block, blocks, threads, [&](const Thread& thread) { phase1(params, shared, thread); });  \
      for_block(block, blocks, threads, [&](const Thread& thread) { phase2(params, shared, thread); });  \
      for_block(block, blocks, threads, [&](const Thread& thread) { phase3(params, shared, thread); });  \
    }                                                                                                    \
  }

#define KERNLOOP_SIMPLE_KERNEL(name, Params, body)                                            \
  static void name(uint32_t blocks, uint32_t threads, const void* raw) {                      \
    Params params;                                                                            \
    std::memcpy(&params, raw, sizeof params);                                                 \
    for (uint32_t block = 0; block < blocks; ++block)                                         \
      for_block(block, blocks, threads, [&](const Thread& thread) { body(params, thread); }); \
  }

#endif
