// Shared and local memory, launch bounds and clusters. See README.md.
#include <cooperative_groups.h>

__global__ void __launch_bounds__(256, 2) shared(float* out) {
  extern __shared__ float dynamic[];
  __shared__ int fixed[10];
  dynamic[threadIdx.x] = threadIdx.x;
  fixed[threadIdx.x % 10] = 3;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + fixed[threadIdx.x % 7];
}

__global__ void only_dynamic(float* out) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

// An array that cannot live in registers.
__global__ void local(int* out, int n) {
  int array[100];
  for (int i = 0; i < n; ++i) array[out[i] % 100] = i;
  out[0] = array[n % 100];
}

__device__ __noinline__ int recursion(int n) {
  return n < 2 ? n : recursion(n - 1) + recursion(n - 2);
}
__global__ void recurses(int* out) {
  out[0] = recursion(out[0]);
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) cluster(int* out) {
  __shared__ int value;
  value = threadIdx.x;
  cooperative_groups::this_cluster().sync();
  out[threadIdx.x] = *cooperative_groups::this_cluster().map_shared_rank(&value, 1);
}
__global__ void __block_size__((64, 2, 1), (4, 1, 1)) fixed_block(int* out) {
  out[threadIdx.x] = 1;
}
#endif
