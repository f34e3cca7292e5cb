// Functions that are called, lanes that leave one by one, and an exit inside of a function.
__device__ __noinline__ float look(const float* p, int i) {
  if (i < 0) return 0.f;
  float s = 0;
  for (int k = 0; k < (i & 3) + 1; ++k) s += p[i + k];
  return s;
}

__device__ __noinline__ void leave(float* y, int i, float s) {
  y[i] = s;
  if (i >= 0) asm volatile("exit;");
  y[i] = -1;
}

extern "C" __global__ void calls(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = look(x, i) + look(x, i + 1);
}

extern "C" __global__ void ways(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = threadIdx.x % 3;
  if (r == 0) asm volatile("exit;");
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < r * 5; ++k) s += x[i + k];
  if (r == 1) leave(y, i, s);
  y[i] = 2 * s;
}
