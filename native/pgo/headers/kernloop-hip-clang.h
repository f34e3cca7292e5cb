// Included before everything else (lib/pgo/hip-arguments.ts) where clang 22 compiles against HIP 5 or 6 (Debian's 5.2.3
// and 6.4.3): definitions that these expect of their own older clang. HIP 7 needs none.
#pragma once
#if defined(__HIP__) && __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR == 5 || HIP_VERSION_MAJOR == 6
// Clang 20 removed the macro, since only a compilation for the device knows its wave.
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif
#endif

#if HIP_VERSION_MAJOR == 5
typedef _Float16 __2f16 __attribute__((ext_vector_type(2)));
extern "C" __attribute__((device, const)) _Float16 __llvm_amdgcn_rcp_f16(_Float16) __asm("llvm.amdgcn.rcp.f16");

#if defined(__HIP_DEVICE_COMPILE__)
#include <hip/amd_detail/device_library_decls.h>
#include <hip/amd_detail/host_defines.h>

#if HIP_VERSION_MINOR < 7
// The same as in hip.bc of ROCm 5, which clang linked by itself up to 17. HIP 5.7.1 no longer declares it.
#define KERNLOOP_FENCE(scope)                          \
  switch (order) {                                     \
    case __memory_order_relaxed:                       \
      break;                                           \
    case __memory_order_acquire:                       \
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, scope); \
      break;                                           \
    case __memory_order_release:                       \
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, scope); \
      break;                                           \
    case __memory_order_acq_rel:                       \
      __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, scope); \
      break;                                           \
    default:                                           \
      __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, scope); \
  }

extern "C" {
extern inline __attribute__((device, gnu_inline, always_inline, nodebug)) void __atomic_work_item_fence(
    __cl_mem_fence_flags, __memory_order order, __memory_scope scope) {
  switch (scope) {
    case __memory_scope_work_item:
      break;
    case __memory_scope_sub_group:
      KERNLOOP_FENCE("wavefront")
      break;
    case __memory_scope_work_group:
      KERNLOOP_FENCE("workgroup")
      break;
    case __memory_scope_device:
      KERNLOOP_FENCE("agent")
      break;
    default:
      KERNLOOP_FENCE("")
  }
}
}
#undef KERNLOOP_FENCE
#endif

// ROCm 5's ocml asks it, and clang links no oclc_daz_opt_*.bc any more. Denormals are kept, as by default on every
// target from gfx9 on.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++17-extensions"
extern "C" {
inline __attribute__((constant, used, visibility("hidden"))) const unsigned char __oclc_daz_opt = 0;
}
#pragma clang diagnostic pop
#endif

static inline __attribute__((device)) __2f16 __llvm_amdgcn_rcp_2f16(__2f16 x) {
#if defined(__HIP_DEVICE_COMPILE__)
  return __2f16{__llvm_amdgcn_rcp_f16(x.x), __llvm_amdgcn_rcp_f16(x.y)};
#else
  return x;
#endif
}

#endif
#endif
