// The kernels of the test cubins in ../test/data (make_cubins.sh builds them). On the fake, test_kernels.cpp does what
// each does here. VARIANT 0: as written; 1: none does anything; 2: results are one unit in the last place too large.
#ifndef VARIANT
#define VARIANT 0
#endif

#if VARIANT == 1
#define UNLESS_IDLE return
__device__ int fake_does_nothing = 1;
#elif VARIANT == 2
#define UNLESS_IDLE
__device__ int fake_is_one_ulp_wrong = 1;
#else
#define UNLESS_IDLE
#endif

__constant__ float kScale[4];
__device__ float gBias[256];
__device__ unsigned int gLaunches;

struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};
struct LargeTable {
  float values[1536];
};

__device__ float result(float value) {
  return VARIANT == 2 ? __int_as_float(__float_as_int(value) + 1) : value;
}
__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void saxpy(float a, const float* x, float* y, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) y[i] = result(a * x[i] + y[i]);
}

__global__ void batched(float** in, float** out, int n, int batches) {
  UNLESS_IDLE;
  const int i = thread_index(), batch = blockIdx.y;
  if (i < n && batch < batches) out[batch][i] = result(in[batch][i] * 2.0f);
}

__global__ void scale_and_bias(const float* in, float* out, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) out[i] = result(in[i] * kScale[i & 3] + gBias[i & 255]);
}

__global__ void add_in_place(float* x, float value, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) x[i] = result(x[i] + value);
}

__global__ void atomic_sum(const float* x, float* sum, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) atomicAdd(sum, x[i]);
}

__global__ void write_through_memory(float** holder, float value) {
  UNLESS_IDLE;
  if (thread_index() == 0) **holder = result(value);
}

__global__ void wait_for_flag(volatile unsigned int* flag, unsigned int wanted, unsigned int* seen) {
  UNLESS_IDLE;
  if (thread_index() != 0) return;
  while (*flag != wanted) {
  }
  *seen = wanted;
}

__global__ void set_flag(unsigned int* flag, unsigned int value) {
  UNLESS_IDLE;
  if (thread_index() == 0) *flag = value;
}

__global__ void wild_write(unsigned long long address, unsigned int value) {
  UNLESS_IDLE;
  if (thread_index() == 0) *reinterpret_cast<unsigned int*>(address) = value;
}

__global__ void do_nothing(float*) {}

__global__ void large_parameters(const __grid_constant__ LargeTable table, float* out, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) out[i] = result(table.values[i % 1536]);
}

__global__ void count_launches(unsigned int* out) {
  UNLESS_IDLE;
  if (thread_index() == 0) *out = ++gLaunches;
}

__global__ void read_tensor(const __grid_constant__ TensorMap map, float* out, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) out[i] = static_cast<float>(map.opaque[i & 15]);  // the fake copies what the map stands for
}

__global__ void read_texture(unsigned long long texture, float* out, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}

// Each block gets the number of blocks in its cluster, or 1.
__global__ void cluster_size(unsigned int* out) {
  UNLESS_IDLE;
  unsigned int blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (threadIdx.x == 0) out[blockIdx.x] = blocks;
}

extern "C" __global__ void ncclDevKernel_AllReduce_Sum_f32(float* x, int n) {
  UNLESS_IDLE;
  const int i = thread_index();
  if (i < n) x[i] = result(x[i] * 2.0f);
}
