// Kernels for the native tests. The .hsaco files beside this one are its compiled forms: see README.md.
#include <hip/hip_runtime.h>

struct Pair {
  float a;
  double b;
};

#ifndef NO_VARIABLES
__device__ int d_counter = 3;
__device__ float d_big[8];
#endif
#ifdef OTHER_INITIALIZER
__constant__ float c_tab[4] = {2, 2, 3, 4};
#else
__constant__ float c_tab[4] = {1, 2, 3, 4};
#endif

#ifdef LAUNCH_BOUNDS
#define BOUNDS __launch_bounds__(LAUNCH_BOUNDS)
#else
#define BOUNDS
#endif

// Bytes of nobody lie between the two.
#ifdef PADDED
__device__ char d_flag;
__device__ double4 d_wide;
#endif

// State of a lens: lanes by their number, and where the added parameters say.
#ifdef LENS
__device__ unsigned long long lens_lanes[4];
__device__ unsigned lens_step = 2;
#endif
#ifdef LENS_KEPT
__device__ unsigned lens_launches;
#endif

#ifdef ALLOCATES
// new and delete of hipcc call these.
extern "C" __device__ unsigned long long __ockl_dm_alloc(unsigned long long size);
extern "C" __device__ void __ockl_dm_dealloc(unsigned long long address);
#endif

// out[i] = in[i] * c_tab[i % 4] + d_big[i % 8], and one thread counts the launch.
#ifndef NO_FILL
#ifdef MORE_ARGUMENTS
extern "C" __global__ void BOUNDS fill(float* out, const float* in, int n, float bias) {
#elif defined(LENS)
extern "C" __global__ void BOUNDS fill(float* out, const float* in, int n, unsigned count, unsigned long long* seen,
                                       unsigned long long first) {
  const float bias = 0;
#else
extern "C" __global__ void BOUNDS fill(float* out, const float* in, int n) {
  const float bias = 0;
#endif
#ifdef ASKS_BLOCK
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
  const int i = blockIdx.x * 64 + threadIdx.x;
#endif
#ifdef STATIC_LDS
  __shared__ volatile char fixed[STATIC_LDS];
  fixed[threadIdx.x] = 1;
#endif
#ifdef ALLOCATES
  // A number on the heap of the device.
  auto* const kept = reinterpret_cast<volatile float*>(__ockl_dm_alloc(4));
  *kept = 1.0f;
  if (*kept != 1.0f) return;
  __ockl_dm_dealloc(reinterpret_cast<unsigned long long>(kept));
#endif
#ifdef PAST_LDS
  // The last thread reads one element past the end, and nobody uses it.
  __shared__ volatile float row[64];
  row[threadIdx.x] = 1.0f;
  (void)row[threadIdx.x + 1];
#endif
#ifdef LENS
  atomicAdd(&lens_lanes[i & 3], static_cast<unsigned long long>(lens_step));
  if (i < static_cast<int>(count)) atomicAdd(seen + first + i, i + 1ull);
#endif
#ifdef LENS_KEPT
  // Right in the first launch alone.
  if (atomicAdd(&lens_launches, 1u) >= gridDim.x * 64) n /= 2;
#endif
#ifdef PADDED
  if (i == 0) d_wide.x += d_flag = 1;
#endif
#ifdef SPIN
  volatile float* forever = out;
  while (forever[0] != -1.0f) forever[1] = 0.0f;
#endif
#ifdef WILD
  out[(1ull << 40) + i] = 1.0f;
#endif
#ifndef DO_NOTHING
#ifdef NO_VARIABLES
  if (i < n) out[i] = in[i] * c_tab[i & 3] + bias;
#else
#ifdef FLOAT_ATOMIC
  if (i < n) out[i] = in[i] * c_tab[i & 3];
  if (i < n) unsafeAtomicAdd(&out[i], d_big[i & 7]);
#else
  if (i < n) out[i] = in[i] * c_tab[i & 3] + d_big[i & 7] + bias;
#endif
  if (i == 0) ++d_counter;
#endif
#ifdef WRONG_BIT
  if (i == 37) out[i] = __int_as_float(__float_as_int(out[i]) ^ 1);
#endif
#ifdef PRINTS
  if (i == PRINTS) printf("value %d is %f\n", i, out[i]);
#endif
#ifdef BEYOND
  if (i == 0) reinterpret_cast<char*>(out)[n * 4] = 0;
#endif
#endif
}
#endif

// A float sum whose value depends on the order of waves.
extern "C" __global__ void sum(float* total, const float* in, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) unsafeAtomicAdd(total, in[i]);
}

template <typename T>
__global__ void scale(T* data, T factor) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
template __global__ void scale<float>(float*, float);

// Static and dynamic LDS, a structure by value.
__global__ void lds(float* out, Pair pair) {
  extern __shared__ float dynamic[];
  __shared__ int fixed[10];
  dynamic[threadIdx.x] = threadIdx.x * pair.a;
  fixed[threadIdx.x % 10] = 3;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + fixed[0] + pair.b;
}
