// The minimum of HIP and CUDA for these tests' kernels, without headers or device libraries, for both targets.
#pragma once

#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define NOINLINE __attribute__((noinline))
#define SHARED __attribute__((shared))

#if defined(__AMDGCN__)
#define FEW_REGISTERS __attribute__((amdgpu_num_vgpr(16)))
DEVICE inline unsigned blockX() {
  return __builtin_amdgcn_workgroup_id_x();
}
DEVICE inline unsigned blockY() {
  return __builtin_amdgcn_workgroup_id_y();
}
DEVICE inline unsigned blockZ() {
  return __builtin_amdgcn_workgroup_id_z();
}
DEVICE inline unsigned threadX() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE inline unsigned blockSize() {
  return __builtin_amdgcn_workgroup_size_x();
}
DEVICE inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEVICE inline unsigned fetchAdd(unsigned* at, unsigned value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#else
#define FEW_REGISTERS
DEVICE inline unsigned blockX() {
  return __nvvm_read_ptx_sreg_ctaid_x();
}
DEVICE inline unsigned blockY() {
  return __nvvm_read_ptx_sreg_ctaid_y();
}
DEVICE inline unsigned blockZ() {
  return __nvvm_read_ptx_sreg_ctaid_z();
}
DEVICE inline unsigned threadX() {
  return __nvvm_read_ptx_sreg_tid_x();
}
DEVICE inline unsigned blockSize() {
  return __nvvm_read_ptx_sreg_ntid_x();
}
DEVICE inline void barrier() {
  __nvvm_bar_sync(0);
}
DEVICE inline unsigned fetchAdd(unsigned* at, unsigned value) {
  return __nvvm_atom_add_gen_i((volatile int*)at, (int)value);
}
#endif

/// The index among all threads of a grid of any shape.
DEVICE inline unsigned globalIndex() {
  return blockX() * blockSize() + threadX();
}
