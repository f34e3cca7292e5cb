// Force-included by clang-22: names that newer compilers dropped and the headers and device libraries of ROCm 5.2 still
// use.
#pragma once
typedef _Float16 __2f16 __attribute__((ext_vector_type(2)));
#if defined(__HIP_DEVICE_COMPILE__)
extern "C" {
__attribute__((device, const)) _Float16 __llvm_amdgcn_rcp_f16(_Float16) __asm("llvm.amdgcn.rcp.f16");
// Scope 1 is a workgroup, 2 the device.
__attribute__((device, used, weak, always_inline)) void __kernloop_fence(unsigned, unsigned, unsigned scope) __asm(
    "__atomic_work_item_fence");
__attribute__((device, used, weak, always_inline)) void __kernloop_fence(unsigned, unsigned, unsigned scope) {
  if (scope == 1) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  } else if (scope == 2) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  } else {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  }
}
extern __attribute__((constant, used, weak)) const char __oclc_daz_opt;
__attribute__((constant, used, weak)) const char __oclc_daz_opt = 0;
}
static inline __attribute__((device)) __2f16 __llvm_amdgcn_rcp_2f16(__2f16 x) {
  return (__2f16){__llvm_amdgcn_rcp_f16(x.x), __llvm_amdgcn_rcp_f16(x.y)};
}
#endif
