// Kernels of the CUDA replay tests. VARIANT_… names what a variant does wrong; on the fake driver, whose kernels are
// host functions (fakes/cuda/kernels/replay_kernels.cpp), a module variable of that name says it.
#include <stdint.h>
#include <stdio.h>

#define KERNLOOP_PASTE(a, b) a##b
#define KERNLOOP_NAME(a, b) KERNLOOP_PASTE(a, b)

extern "C" {

__constant__ float c_tab[4] = {1, 2, 3, 4};
__device__ float d_big[8] = {0, 0, 0, 0, 0, 0, 0, 0};
__device__ int d_counter = 0;
#ifdef VARIANT
__device__ int KERNLOOP_NAME(variant_, VARIANT) = 1;
#endif

#ifdef VARIANT_lens
// State of a lens: lanes by their number, and where the added parameters say.
__device__ unsigned long long lens_lanes[4];
__device__ unsigned lens_step = 2;
#define ADDED_PARAMETERS , unsigned lens_count, unsigned long long *seen, unsigned long long first
#else
#define ADDED_PARAMETERS
#endif

// What a launch may not be, or needs.
#if defined(VARIANT_bounds)
#define LIMITS __launch_bounds__(32)
#elif defined(VARIANT_required)
#define LIMITS __block_size__((32, 2, 1))
#else
#define LIMITS
#endif
__global__ void LIMITS replay_fill(float* out, const float* in, int count ADDED_PARAMETERS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef VARIANT_lens
  atomicAdd(&lens_lanes[i & 3], static_cast<unsigned long long>(lens_step));
  if (i < static_cast<int>(lens_count)) atomicAdd(seen + first + i, i + 1ull);
#endif
#ifdef VARIANT_do_nothing
  return;
#endif
#ifdef VARIANT_first_only
  // Right in the first launch of a process alone.
  if (atomicAdd(&variant_first_only, 1) > gridDim.x * blockDim.x) count /= 2;
#endif
#ifdef VARIANT_spin
  while (*reinterpret_cast<volatile int*>(&d_counter) >= 0) {
  }
#endif
#ifdef VARIANT_wild
  if (i == 0) *reinterpret_cast<volatile float*>(0x4400000000) = 1;
#endif
#ifdef VARIANT_beyond
  if (i == 0) reinterpret_cast<volatile unsigned char*>(out)[4 * count] = 0;
#endif
#ifdef VARIANT_shared
  __shared__ volatile char fixed[40 << 10];
  fixed[threadIdx.x] = 1;
#endif
#ifdef VARIANT_registers
  // So many values at a time that a thread takes all the registers that it can have.
  float held[240];
#pragma unroll
  for (int k = 0; k < 240; ++k) held[k] = *reinterpret_cast<volatile const float*>(in + k % 200);
#pragma unroll
  for (int k = 0; k < 240 && count < 0; ++k) *reinterpret_cast<volatile float*>(out + k % 200) = held[239 - k];
#endif
#ifdef VARIANT_unwritten_shared
  // A maximum over slots of which nobody writes most.
  __shared__ volatile float slots[1024];
  slots[threadIdx.x] = 0;
  __syncthreads();
  float most = 0;
  for (int k = 0; k < 1024; ++k) most = fmaxf(most, slots[k]);
#endif
#ifdef VARIANT_unwritten_local
  // Sums that hope to start at 0.
  volatile float sums[64];
  sums[i % 32] = 0;
  const float most = sums[32 + i % 32];
#endif
#ifdef VARIANT_filled_shared
  // Right only if all that nobody wrote is what a replay leaves there.
  extern __shared__ uint32_t left[];
  uint32_t bytes;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  for (uint32_t k = threadIdx.x; k < bytes / 4; k += blockDim.x) {
    if ((*reinterpret_cast<volatile uint32_t*>(left + k) & 0x7fffff00) != 0x5a5a5a00) atomicAdd(&d_counter, 1000);
  }
#endif
#ifdef VARIANT_filled_local
  volatile uint32_t left[300];
  if (count < 0) left[i % 300] = 1;
#pragma unroll 1
  for (int k = 0; k < 300; ++k) {
    if ((left[(k + threadIdx.x) % 300] & 0x7fffff00) != 0x5a5a5a00) atomicAdd(&d_counter, 1000);
  }
#endif
#ifdef VARIANT_prints
  if (i == 0) printf("out of the kernel\n");
#endif
  if (i < count) {
    float value = in[i] * c_tab[i % 4] + d_big[i % 8];  // --fmad=false: as on the host
#if defined(VARIANT_unwritten_shared) || defined(VARIANT_unwritten_local)
    value += most;
#endif
#ifdef VARIANT_wrong_ulp
    if (i == 37) value = __int_as_float(__float_as_int(value) + 1);
#endif
    out[i] = value;
  }
  if (i == 0) ++d_counter;
}

// What the launch looks like from inside.
#ifdef VARIANT_clustered
#define CLUSTERS __cluster_dims__(4, 1, 1)
#else
#define CLUSTERS
#endif
__global__ void CLUSTERS replay_shape(uint32_t* out) {
  extern __shared__ uint32_t dynamic[];
  uint32_t dynamic_bytes, cluster_x, cluster_y;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic_bytes));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(cluster_x));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(cluster_y));
  dynamic[threadIdx.x] = threadIdx.x;
  if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x != 0) return;
  out[0] = gridDim.x;
  out[1] = gridDim.y;
  out[2] = gridDim.z;
  out[3] = blockDim.x;
  out[4] = dynamic_bytes;
  out[5] = cluster_x;
  out[6] = cluster_y;
}

}  // extern "C"
