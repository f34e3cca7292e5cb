// Declarations that the test kernels need of HIP, so that they compile without any runtime or device library.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

using uint = unsigned int;
using ulong = unsigned long;

__device__ inline uint local_x() {
  return __builtin_amdgcn_workitem_id_x();
}
__device__ inline uint local_y() {
  return __builtin_amdgcn_workitem_id_y();
}
__device__ inline uint local_z() {
  return __builtin_amdgcn_workitem_id_z();
}
__device__ inline uint group_x() {
  return __builtin_amdgcn_workgroup_id_x();
}
__device__ inline uint group_y() {
  return __builtin_amdgcn_workgroup_id_y();
}
__device__ inline uint group_z() {
  return __builtin_amdgcn_workgroup_id_z();
}
__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}
