// The minimum of HIP for kernels that are compiled without headers and device libraries, in a fraction of the time.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct BareBlockIdx {
  __device__ unsigned get() const { return __builtin_amdgcn_workgroup_id_x(); }
  __declspec(property(get = get)) unsigned x;
};
struct BareBlockDim {
  __device__ unsigned get() const { return __builtin_amdgcn_workgroup_size_x(); }
  __declspec(property(get = get)) unsigned x;
};
struct BareThreadIdx {
  __device__ unsigned get() const { return __builtin_amdgcn_workitem_id_x(); }
  __declspec(property(get = get)) unsigned x;
};
extern const __device__ __attribute__((weak)) BareBlockIdx blockIdx;
extern const __device__ __attribute__((weak)) BareBlockDim blockDim;
extern const __device__ __attribute__((weak)) BareThreadIdx threadIdx;
