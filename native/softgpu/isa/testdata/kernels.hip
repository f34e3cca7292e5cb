// A corpus for the decoder: device code whose instructions cover what compilers emit for gfx90a. It is compiled, never
// run.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

typedef float float2v __attribute__((ext_vector_type(2)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef float float16v __attribute__((ext_vector_type(16)));
typedef double double4v __attribute__((ext_vector_type(4)));
typedef _Float16 half2v __attribute__((ext_vector_type(2)));
typedef _Float16 half4v __attribute__((ext_vector_type(4)));
typedef short short2v __attribute__((ext_vector_type(2)));

__constant__ float kTable[64];
__device__ int counter;

extern "C" __global__ void floats(float* p, const float* q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = q[i];
  p[i] = sinf(x) + cosf(x) * expf(x) / logf(fabsf(x)) + powf(x, 3.5f) + sqrtf(x) + rsqrtf(x) + fmodf(x, q[i + 1]) +
         erff(x) + kTable[i & 63];
  p[i + n] = fminf(fmaxf(x, 0.f), 1.f) + floorf(x) + truncf(-x) + rintf(x) * ldexpf(x, n) + (x != x ? 1.f : x);
}

extern "C" __global__ void doubles(double* p, const double* q, long long* r) {
  const int i = threadIdx.x;
  const double x = q[i];
  p[i] = x / q[i + 1] + sqrt(x) * fma(x, x, 0.1) - floor(x) + (double)r[i] + (double)(unsigned)r[i];
  r[i] = (long long)x + (r[i] >> 3) * r[i + 1] / (r[i + 2] | 1) + __popcll(r[i]) + __clzll(r[i]) +
         __ffsll((unsigned long long)r[i]);
}

extern "C" __global__ void halves(__half* p, const __half* q, half2v* a, short2v* b, short* c, unsigned char* d) {
  const int i = threadIdx.x;
  p[i] = __hadd(__hmul(p[i], q[i]), __float2half(0.37f)) / q[i + 1];
  a[i] = a[i] * a[i + 1] + a[i + 2];
  b[i] = (b[i] + b[i + 1]) << (short2v)(3);
  b[i + 9] = b[i + 10] > b[i + 11] ? b[i + 10] : b[i + 11];
  c[i] = (short)(c[i] * -30000 + (unsigned short)c[i + 1] / 7);
  d[i] = (unsigned char)(d[i] * d[i + 1] + (d[i + 2] >> 1));
}

extern "C" __global__ void integers(int* p, const unsigned* q, const long long* l, int n) {
  const int i = threadIdx.x;
  const unsigned x = q[i];
  unsigned s = 0;
  for (int k = 0; k < n; ++k) s = __funnelshift_l(s, x, k) ^ __brev(x + k) ^ (x * 0x9E3779B1u >> 7);
  p[i] = (int)(s % (q[i + 1] | 1)) + __mulhi((int)x, n) + __sad((int)x, n, 5u) + __mul24((int)x, n) +
         (x & 0xff) * ((x >> 8) & 0xff);
  p[i + n] = (int)(l[i] * n + q[l[i] & 15]);
}

extern "C" __global__ void shared(float* p, int n) {
  __shared__ float tile[32][33];
  __shared__ double wide[64];
  extern __shared__ int dynamic[];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = p[y * n + x];
  wide[x] = tile[x][y];
  dynamic[x] = y;
  __syncthreads();
  p[x * n + y] = tile[x][y] + (float)wide[x ^ 1] + (float)dynamic[y];
  atomicAdd(&dynamic[x & 7], n);
  atomicAdd(&tile[0][x & 7], 1.f);
  __syncthreads();
  if (x == 0) p[n] = tile[0][y] + (float)dynamic[y];
}

extern "C" __global__ void atomics(int* a, unsigned long long* b, float* f, double* d) {
  const int i = threadIdx.x;
  a[i] = atomicAdd(&a[0], i) + atomicMax(&a[1], i) + atomicMin((unsigned*)&a[2], (unsigned)i) + atomicCAS(&a[3], 1, i) +
         atomicExch(&a[4], i) + atomicInc((unsigned*)&a[5], 9u) + atomicOr(&a[6], i) + atomicAdd(&counter, 1);
  b[i] = atomicAdd(&b[0], 1ull) + atomicCAS(&b[1], 1ull, 2ull) + atomicMax(&b[2], 3ull);
  atomicAdd(f, 1.f);
  atomicAdd(d, 1.0);
  __hip_atomic_fetch_add(a + 8, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_store(a + 9, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  __threadfence_system();
  __threadfence();
}

extern "C" __global__ void lanes(int* p, const int* q) {
  const int i = threadIdx.x;
  int v = q[i];
  v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, false);
#ifdef __gfx90a__  // broadcasts went, row_share came
  v += __builtin_amdgcn_update_dpp(v, v, 0x142, 0xa, 0xf, false);
#endif
  v += __builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, true);
  v += __builtin_amdgcn_update_dpp(0, v, 0x151, 0xf, 0xf, true);
  v ^= __builtin_amdgcn_ds_swizzle(v, 0x041f);
  v += __shfl_xor(v, 5) + __shfl_down(v, 3) + __shfl(v, 7);
  v += __builtin_amdgcn_readlane(v, i & 3) + __builtin_amdgcn_readfirstlane(v);
  const unsigned long long vote = __ballot(v > 3);
  p[i] = v + __popcll(vote) +
         (int)__builtin_amdgcn_mbcnt_hi((unsigned)(vote >> 32), __builtin_amdgcn_mbcnt_lo((unsigned)vote, 0)) +
         __any(v) + (int)(clock64() & 0xff);
}

#ifdef __gfx90a__
extern "C" __global__ void matrices(float16v* p, float4v* q, double4v* d, const float* a, const half4v* h,
                                    float2v* packed) {
  const int i = threadIdx.x;
  p[i] = __builtin_amdgcn_mfma_f32_32x32x2f32(a[i], a[i + 1], p[i], 0, 0, 0);
  p[i] = __builtin_amdgcn_mfma_f32_16x16x4f16(h[i], h[i + 1], p[i], 1, 2, 3);
  q[i] = __builtin_amdgcn_mfma_f32_16x16x16f16(h[i], h[i + 1], q[i], 0, 0, 0);
  d[i] = __builtin_amdgcn_mfma_f64_16x16x4f64((double)a[i], (double)a[i + 2], d[i], 0, 0, 0);
  packed[i] = packed[i] * packed[i + 1] + packed[i + 2];
  packed[i + 64] = packed[i + 65] + 1.0f;
}
#endif

extern "C" __global__ void dots(float* f, int* a, const half2v* h, const short2v* s) {
  const int i = threadIdx.x;
  f[i] = __builtin_amdgcn_fdot2(h[i], h[i + 1], f[i], true);
  a[i] = __builtin_amdgcn_sdot2(s[i], s[i + 1], a[i], false);
  a[i] = __builtin_amdgcn_sdot4(a[i], a[i + 1], a[i + 2], true);
  a[i] = (int)__builtin_amdgcn_udot8((unsigned)a[i], (unsigned)a[i + 1], (unsigned)a[i + 2], false);
}

__device__ __attribute__((noinline)) int callee(int* p, int depth) {
  int local[16];
  for (int k = 0; k < 16; ++k) local[k] = p[k] + depth;
  return depth == 0 ? local[p[0] & 15] : callee(local, depth - 1) + local[depth & 15];
}

extern "C" __global__ void calls(int* p, int n, int (*f)(int*, int)) {
  switch (n) {
    case 0:
      p[0] = callee(p, 3);
      break;
    case 1:
      p[1] = f(p, n);
      break;
    case 2:
      p[2] = p[n] / 3;
      break;
    case 3:
      __builtin_trap();
    case 4:
      __builtin_amdgcn_s_sleep(2);
      p[4] = 1;
      break;
    default:
      __builtin_amdgcn_s_setprio(1);
      p[5] = (int)__builtin_amdgcn_s_getreg(0xF801);
  }
}
