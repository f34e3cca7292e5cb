// What kernels call and reach outside of their arguments. See README.md.
#include <surface_indirect_functions.h>
#include <texture_indirect_functions.h>
#include <cassert>
#include <cstdio>

__global__ void prints(int n) {
  printf("n is %d\n", n);
}

__device__ __noinline__ int* allocate(int n) {
  return static_cast<int*>(malloc(n));
}
__global__ void allocates(int** out, int n) {
  out[threadIdx.x] = allocate(n);
}

__global__ void frees(int** out) {
  free(out[threadIdx.x]);
}

__global__ void asserts(int* out, int n) {
  assert(n != 0);
  out[0] = n;
}

__device__ __noinline__ float sample(cudaTextureObject_t texture) {
  return tex2D<float>(texture, threadIdx.x, 0.5f);
}
__global__ void samples(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = sample(texture);
}

__global__ void writes_surface(cudaSurfaceObject_t surface, float value) {
  surf2Dwrite(value, surface, threadIdx.x * 4, 0);
}

typedef int* (*Operation)(int);
__device__ Operation d_operation = allocate;
__global__ void calls_pointer(int** out) {
  out[0] = d_operation(4);
}

__global__ void plain(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(~0u, out[threadIdx.x], 1);
}
