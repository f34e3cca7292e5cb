// LDS: static and dynamic, of every element size, with barriers between phases.
#include "device.h"

KERNEL void dynamic(const float* in, float* out) {
  extern __shared__ float values[];
  const unsigned t = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
  float* second = values + n;
  values[t] = in[base + t];
  second[n - 1 - t] = in[base + t] * 2;
  __syncthreads();
  out[base + t] = values[(t + 1) % n] + second[t];
}

// Arrays of different types carved out of one dynamic allocation.
KERNEL void carved(const double* in, double* out, unsigned n) {
  extern __shared__ char memory[];
  double* doubles = reinterpret_cast<double*>(memory);
  unsigned short* places = reinterpret_cast<unsigned short*>(doubles + n);
  char* flags = reinterpret_cast<char*>(places + n);
  const unsigned t = threadIdx.x;
  doubles[t] = in[t];
  places[t] = static_cast<unsigned short>(t * 37 % n);
  flags[t] = static_cast<char>(t % 3 - 1);
  __syncthreads();
  const unsigned from = places[(t + 5) % n];
  out[t] = doubles[from] * flags[from];
}

KERNEL void transpose(const float* in, float* out, unsigned width, unsigned height) {
  __shared__ float tile[32][33];
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8)
    if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
  __syncthreads();
  const unsigned tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8)
    if (tx < height && ty + k < width) out[(ty + k) * height + tx] = tile[threadIdx.x][threadIdx.y + k];
}

// From memory into LDS past the registers, where the compiler has a builtin for it. A wave's lanes lie side by side.
KERNEL void fetched(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[256];
  const unsigned t = threadIdx.x, n = blockDim.x, first = t / warpSize * warpSize;
  const unsigned* from = in + blockIdx.x * n + (t ^ 5);
#if __clang_major__ >= 22 && !defined(__gfx1100__)
  __builtin_amdgcn_global_load_lds((__attribute__((address_space(1))) void*)from,
                                   (__attribute__((address_space(3))) void*)(tile + first), 4, 0, 0);
  __builtin_amdgcn_s_waitcnt(0);
#else
  tile[first + t % warpSize] = *from;
#endif
  __syncthreads();
  out[blockIdx.x * n + t] = tile[n - 1 - t];
}

KERNEL void histogram(const unsigned char* in, unsigned* bins, unsigned n) {
  __shared__ unsigned mine[256];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (unsigned i = global_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], mine[k]);
}

struct Particle {
  float3 place;
  short kind;
  unsigned char mark;
  double weight;
};
KERNEL void structures(const Particle* in, Particle* out) {
  __shared__ Particle particles[64];
  const unsigned t = threadIdx.x;
  particles[t] = in[global_index()];
  __syncthreads();
  Particle p = particles[63 - t];
  p.place.y += particles[(t + 1) % 64].place.x;
  p.mark ^= particles[t].kind;
  p.weight = -p.weight;
  out[global_index()] = p;
}

// 8, 16, 64, 96 and 128 bits a lane.
KERNEL void widths(const unsigned* in, unsigned* out) {
  __shared__ unsigned char bytes[256];
  __shared__ unsigned short shorts[128];
  __shared__ uint4 fours[64];
  __shared__ uint3 threes[64];
  __shared__ uint2 twos[64];
  const unsigned t = threadIdx.x, base = blockIdx.x * 64, v = in[base + t];
  for (unsigned k = 0; k < 4; ++k) bytes[4 * t + k] = static_cast<unsigned char>(v >> (8 * k));
  shorts[2 * t] = static_cast<unsigned short>(v);
  shorts[2 * t + 1] = static_cast<unsigned short>(v >> 16);
  fours[t] = make_uint4(v, v + 1, v ^ 2, ~v);
  threes[t] = make_uint3(v * 3, v * 5, v * 7);
  twos[t] = make_uint2(v << 1, v >> 1);
  __syncthreads();
  const unsigned o = (t * 11 + 3) % 64;
  const uint4 four = fours[o];
  const uint3 three = threes[o];
  const uint2 two = twos[o];
  unsigned* mine = out + (base + t) * 4;
  mine[0] = static_cast<unsigned>(static_cast<signed char>(bytes[(5 * t) % 256])) +
            static_cast<unsigned>(static_cast<short>(shorts[o]));
  mine[1] = four.x ^ four.y ^ four.z ^ four.w;
  mine[2] = three.x + three.y - three.z;
  mine[3] = two.x ^ two.y;
}

// Bitonic sort of a block.
KERNEL void bitonic(unsigned* data) {
  extern __shared__ unsigned keys[];
  const unsigned t = threadIdx.x;
  keys[t] = data[global_index()];
  __syncthreads();
  for (unsigned size = 2; size <= blockDim.x; size *= 2) {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const unsigned other = t ^ step;
      if (other > t && (keys[t] > keys[other]) == ((t & size) == 0)) {
        const unsigned key = keys[t];
        keys[t] = keys[other];
        keys[other] = key;
      }
      __syncthreads();
    }
  }
  data[global_index()] = keys[t];
}

__shared__ int written_by_function[256];
__device__ __attribute__((noinline)) void put(int value) {
  written_by_function[threadIdx.x] = value;
}
KERNEL void through_function(const int* in, int* out) {
  put(in[global_index()]);
  __syncthreads();
  int* generic = in[0] > 0 ? &written_by_function[threadIdx.x ^ 1] : out;  // a flat access
  out[global_index()] = *generic;
}
