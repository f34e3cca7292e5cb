// Atomics of every width and kind, in global memory and in LDS; what has no instruction becomes a loop over CAS.
#include "device.h"

// atomicInc and atomicDec of these headers call intrinsics that newer compilers no longer have.
template <typename Pointer>
__device__ void increment(Pointer at, unsigned wrap) {
  __builtin_amdgcn_atomic_inc32(at, wrap, __ATOMIC_RELAXED, "agent");
}
template <typename Pointer>
__device__ void decrement(Pointer at, unsigned wrap) {
  __builtin_amdgcn_atomic_dec32(at, wrap, __ATOMIC_RELAXED, "agent");
}

KERNEL void integers32(int* cells, const int* values, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const int v = values[i];
  atomicAdd(&cells[0], v);
  atomicSub(&cells[1], v);
  atomicMin(&cells[2], v);
  atomicMax(&cells[3], v);
  atomicAnd(&cells[4], v | 0xff);
  atomicOr(&cells[5], v & 0x0f0f);
  atomicXor(&cells[6], v);
  atomicMin(reinterpret_cast<unsigned*>(&cells[7]), static_cast<unsigned>(v));
  atomicMax(reinterpret_cast<unsigned*>(&cells[8]), static_cast<unsigned>(v));
  increment(reinterpret_cast<unsigned*>(&cells[9]), 12);
  decrement(reinterpret_cast<unsigned*>(&cells[10]), 17);
}

KERNEL void integers64(unsigned long long* cells, const unsigned long long* values, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned long long v = values[i];
  atomicAdd(&cells[0], v);
  atomicMin(&cells[1], v);
  atomicMax(&cells[2], v);
  atomicAnd(&cells[3], v | 0xff00ff);
  atomicOr(&cells[4], v & 0x0f0f0f0f0f);
  atomicXor(&cells[5], v);
}

// Each thread gets a place of its own from a counter, and leaves its mark there.
KERNEL void tickets(unsigned* next, unsigned* order, unsigned long long* next64, unsigned* order64, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  order[atomicAdd(next, 1u)] = i;
  order64[atomicAdd(next64, 3ull) / 3] = i;
}

KERNEL void reals(float* floats, double* doubles, const double* values, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  atomicAdd(&floats[0], static_cast<float>(values[i]));
  unsafeAtomicAdd(&floats[1], static_cast<float>(values[i]));
  atomicAdd(&doubles[0], values[i]);
  unsafeAtomicAdd(&doubles[1], -values[i]);
}

// A maximum of doubles, and a product of floats modulo 1: loops over compare-and-swap.
KERNEL void swap_loops(unsigned long long* largest, unsigned* product, const double* values, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned long long seen = *largest;
  while (__longlong_as_double(static_cast<long long>(seen)) < values[i]) {
    const unsigned long long wanted = static_cast<unsigned long long>(__double_as_longlong(values[i]));
    const unsigned long long before = atomicCAS(largest, seen, wanted);
    if (before == seen) break;
    seen = before;
  }
  unsigned old = *product, assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, assumed * (2 * i + 1));
  } while (old != assumed);
}

// A stack of free places, as a list that all threads push to and pop from.
KERNEL void exchange(unsigned* head, unsigned* next, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  next[i] = atomicExch(head, i);
}

KERNEL void in_lds(const int* values, int* out, double* sums, unsigned n) {
  __shared__ int cells[8];
  __shared__ unsigned long long wide[3];
  __shared__ float real;
  __shared__ double reals;
  const unsigned t = threadIdx.x;
  if (t < 8) cells[t] = t == 2 ? 0x7fffffff : t == 3 ? -0x7fffffff : 0;
  if (t < 3) wide[t] = t == 1 ? ~0ull : 0;
  if (t == 0) real = 0, reals = 0;
  __syncthreads();
  const unsigned i = global_index();
  if (i < n) {
    const int v = values[i];
    atomicAdd(&cells[0], v);
    atomicSub(&cells[1], v);
    atomicMin(&cells[2], v);
    atomicMax(&cells[3], v);
    atomicOr(&cells[4], v & 0x3333);
    atomicXor(&cells[5], v);
    increment(reinterpret_cast<unsigned*>(&cells[6]), 9);
    int seen = cells[7];
    for (int before; (before = atomicCAS(&cells[7], seen, seen + (v & 7))) != seen;) seen = before;
    atomicAdd(&wide[0], static_cast<unsigned long long>(v) * 0x100000001ull);
    atomicMin(&wide[1], static_cast<unsigned long long>(v) << 13);
    atomicMax(&wide[2], static_cast<unsigned long long>(v) << 13);
    atomicAdd(&real, static_cast<float>(v % 64));
    atomicAdd(&reals, v * 0.5);
  }
  __syncthreads();
  if (t < 8) out[blockIdx.x * 16 + t] = cells[t];
  if (t < 3) reinterpret_cast<unsigned long long*>(out + blockIdx.x * 16 + 8)[t] = wide[t];
  if (t == 0) sums[2 * blockIdx.x] = real, sums[2 * blockIdx.x + 1] = reals;
}

KERNEL void halves(_Float16* cells, const int* values, unsigned n) {
#if defined(__gfx90a__)
  const unsigned i = global_index();
  typedef _Float16 pair __attribute__((ext_vector_type(2)));
  typedef __attribute__((address_space(1))) pair* global_pair;
  if (i < n) {
    const pair value = {static_cast<_Float16>(values[i] % 4), static_cast<_Float16>(1)};
    __builtin_amdgcn_global_atomic_fadd_v2f16((global_pair)(cells), value);
  }
#else
  // No packed atomic: a loop over the word that holds both.
  const unsigned i = global_index();
  if (i >= n) return;
  union {
    unsigned word;
    _Float16 half[2];
  } seen, wanted;
  seen.word = *reinterpret_cast<unsigned*>(cells);
  for (;;) {
    wanted.half[0] = seen.half[0] + static_cast<_Float16>(values[i] % 4);
    wanted.half[1] = seen.half[1] + static_cast<_Float16>(1);
    const unsigned before = atomicCAS(reinterpret_cast<unsigned*>(cells), seen.word, wanted.word);
    if (before == seen.word) break;
    seen.word = before;
  }
#endif
}

// A lock a bin. One lane of a wave tries at a time: a lane that waits for another one of its wave waits for ever.
KERNEL void locks(unsigned* lock, unsigned* sums, unsigned bins, unsigned n) {
  const unsigned i = global_index(), bin = i % bins;
  if (i >= n) return;
  for (unsigned lane = 0; lane < static_cast<unsigned>(warpSize); ++lane) {
    if (lane != threadIdx.x % warpSize) continue;
    while (atomicCAS(&lock[bin], 0u, 1u) != 0) __builtin_amdgcn_s_sleep(1);
    __threadfence();
    volatile unsigned* sum = &sums[bin];
    *sum = *sum * 2 % 65521 + 1;
    __threadfence();
    atomicExch(&lock[bin], 0u);
  }
}

KERNEL void scopes(unsigned* cells, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  __hip_atomic_fetch_add(&cells[0], 1u, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_fetch_add(&cells[1], 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  atomicAdd_system(&cells[2], 1u);
  unsigned expected = i;
  __hip_atomic_compare_exchange_strong(&cells[3], &expected, i + 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                       __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_store(&cells[4 + i], expected, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
