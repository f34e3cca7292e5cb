#include "gpu.h"

extern "C" __global__ void vector_add(const int* a, const int* b, int* out, uint n) {
  const uint i = group_x() * 128 + local_x();
  if (i < n) out[i] = a[i] + b[i] * 3;
}

extern "C" __global__ void block_sum(const uint* in, uint* out, uint n) {
  __shared__ uint partial[256];
  const uint t = local_x(), i = group_x() * 256 + t;
  partial[t] = i < n ? in[i] : 0;
  barrier();
  for (uint step = 128; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    barrier();
  }
  if (t == 0) out[group_x()] = partial[0];
}

extern "C" __global__ void histogram(const unsigned char* in, uint* bins, uint n) {
  const uint i = group_x() * 256 + local_x();
  if (i < n) __hip_atomic_fetch_add(&bins[in[i]], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Every workgroup waits until all have arrived, several times over.
extern "C" __global__ void grid_barrier(uint* arrived, uint* log, uint groups, uint rounds) {
  for (uint round = 1; round <= rounds; ++round) {
    if (local_x() == 0) {
      __hip_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
      while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < groups * round) {
      }
    }
    barrier();
  }
  if (local_x() == 0) log[group_x()] = __hip_atomic_load(arrived, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Each workgroup waits for one that is given out after it: its right neighbour, or (pairs) the odd one of its pair.
extern "C" __global__ void wait_for_neighbour(uint* done, uint groups, uint pairs) {
  const uint mine = group_x();
  const bool waits = pairs ? mine % 2 == 0 : mine + 1 < groups;
  if (local_x() == 0) {
    while (waits && __hip_atomic_load(&done[mine + 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    __hip_atomic_store(&done[mine], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

// Waits for a flag that another dispatch, or the host, sets.
extern "C" __global__ void wait_for_flag(uint* flag, uint* out) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
  *out = 7;
}

extern "C" __global__ void wait_asleep(uint* flag, uint* out) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) __builtin_amdgcn_s_sleep(2);
  *out = 7;
}

extern "C" __global__ void set_flag(uint* flag) {
  __hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

__attribute__((noinline)) __device__ uint fibonacci(uint n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(uint* out) {
  out[local_x()] = fibonacci(local_x() % 10);
}

__attribute__((noinline)) __device__ uint deeper(volatile uint* above, uint n) {
  volatile uint mine[64];
  mine[n % 64] = *above + 1;
  return n == 0 ? mine[0] : deeper(&mine[n % 64], n - 1) + mine[n % 64];
}

extern "C" __global__ void stack_overflow(uint* out) {
  volatile uint first = 1;
  out[local_x()] = deeper(&first, 100000);
}

// A local array that is indexed at run time, of bytes, words and wide elements.
extern "C" __global__ void local_arrays(const uint* in, ulong* out) {
  volatile unsigned char bytes[16];
  volatile unsigned short words[16];
  volatile ulong wide[16];
  for (uint k = 0; k < 16; ++k) {
    const uint x = in[(local_x() + k) % 64];
    bytes[(k * 7) % 16] = x;
    words[(k * 5) % 16] = x;
    wide[(k * 3) % 16] = (ulong)x << 20 | k;
  }
  ulong sum = 0;
  for (uint k = 0; k < 16; ++k) sum = sum * 31 + bytes[k] + words[15 - k] * 3ul + wide[(k + in[0]) % 16];
  out[local_x()] = sum;
}

// One pointer that is global for some lanes, LDS for others and private for the rest.
extern "C" __global__ void flat_pointers(const uint* in, uint* out) {
  __shared__ uint shared[64];
  uint mine[4];
  const uint t = local_x();
  shared[t] = 1000 + t;
  for (uint k = 0; k < 4; ++k) mine[k] = 2000 + t + k;
  barrier();
  const uint* from = t % 3 == 0 ? in + t : t % 3 == 1 ? &shared[63 - t] : &mine[in[t] % 4];
  uint* volatile hidden = const_cast<uint*>(from);
  const uint value = *hidden;
  if (t % 3 == 2) *hidden = value + 5;
  out[t] = value + (t % 3 == 2 ? mine[in[t] % 4] : 0);
}

extern "C" __global__ void lds_overflow(uint* out, uint index) {
  __shared__ uint shared[64];
  shared[local_x()] = 1;
  barrier();
  out[local_x()] = shared[local_x() + index];
}

extern "C" __global__ void store_at(uint* where, uint value) {
  where[local_x()] = value;
}

extern "C" __global__ void forever(uint* out) {
  volatile uint* flag = out;
  while (*flag == 0) {
  }
}

extern "C" __global__ void give_up(uint* out) {
  if (out[local_x()] != 0) __builtin_trap();
  out[local_x()] = 5;
}

extern "C" __global__ void take_ticket(uint* next, uint* order) {
  if (local_x() == 0) order[__hip_atomic_fetch_add(next, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)] = group_x();
}

// Which wave of a workgroup comes first.
extern "C" __global__ void wave_order(uint* order) {
  __shared__ uint next;
  if (local_x() == 0) next = 0;
  barrier();
  if (local_x() % 64 == 0)
    order[__hip_atomic_fetch_add(&next, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)] = local_x() / 64;
}

extern "C" __global__ void identity(uint* out, uint width, uint height) {
  const uint x = group_x() * 8 + local_x(), y = group_y() * 4 + local_y(), z = group_z() * 2 + local_z();
  uint* mine = out + ((z * height + y) * width + x) * 2;
  mine[0] = group_x() | group_y() << 8 | group_z() << 16;
  mine[1] = local_x() | local_y() << 8 | local_z() << 16;
}

extern "C" __global__ void lane_of_each(uint* out, uint width, uint height) {
  const uint lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  out[(local_z() * height + local_y()) * width + local_x()] = lane + 1;
}

// The barrier of cooperative launches: one dispatch sets it, another waits on it.
extern "C" __global__ void set_grid_barrier(uint waves) {
  __builtin_amdgcn_ds_gws_init(waves - 1, 0);
}

extern "C" __global__ void meet_at_grid_barrier(uint* data, uint groups, uint rounds) {
  for (uint round = 0; round < rounds; ++round) {
    const uint seen = data[(group_x() + round + 1) % groups];
    barrier();
    if (local_x() == 0) __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
    barrier();
    if (local_x() == 0) data[group_x()] = data[group_x()] * 3 + seen;
    barrier();
    if (local_x() == 0) __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
    barrier();
  }
}

extern "C" __global__ void divergent(uint* out) {
  uint x = local_x();
  while (x % 7 != 0) x = x * 5 + 1;
  out[local_x()] = x;
}

// As the heap of ROCm's device library does, whose slabs grow one after the other.
extern "C" __global__ void wait_for_a_time(ulong* out, uint ticks) {
  const ulong until = __builtin_amdgcn_s_memrealtime() + ticks;
  ulong sleeps = 0;
  while (__builtin_amdgcn_s_memrealtime() < until) {
    __builtin_amdgcn_s_sleep(127);
    ++sleeps;
  }
  out[0] = sleeps;
}

extern "C" __global__ void clocks(ulong* out) {
  const ulong before = __builtin_readcyclecounter();
  out[1] = __builtin_amdgcn_s_memrealtime();
  out[0] = __builtin_readcyclecounter() - before;
}

#ifdef __gfx942__
// values holds five pairs of bfloat16 a work-item; olds the results of the three atomics that have one.
extern "C" __global__ void add_bfloat_pairs(uint* values, const uint* operands, uint* olds) {
  __shared__ uint pairs[2 * 64];
  const uint lane = local_x(), operand = operands[lane];
  uint* own = values + lane * 5;
  uint* old = olds + lane * 3;
  pairs[2 * lane] = own[3];
  pairs[2 * lane + 1] = own[4];
  const uint lds = static_cast<uint>(reinterpret_cast<ulong>(pairs)) + lane * 8;
  asm volatile("global_atomic_pk_add_bf16 %0, %1, off" ::"v"(own), "v"(operand) : "memory");
  asm volatile("global_atomic_pk_add_bf16 %0, %1, %2, off sc0\n s_waitcnt vmcnt(0)"
               : "=&v"(old[0])
               : "v"(own + 1), "v"(operand)
               : "memory");
  asm volatile("flat_atomic_pk_add_bf16 %0, %1, %2 sc0\n s_waitcnt vmcnt(0) lgkmcnt(0)"
               : "=&v"(old[1])
               : "v"(own + 2), "v"(operand)
               : "memory");
  asm volatile("ds_pk_add_bf16 %0, %1" ::"v"(lds), "v"(operand) : "memory");
  asm volatile("ds_pk_add_rtn_bf16 %0, %1, %2 offset:4\n s_waitcnt lgkmcnt(0)"
               : "=&v"(old[2])
               : "v"(lds), "v"(operand)
               : "memory");
  own[3] = pairs[2 * lane];
  own[4] = pairs[2 * lane + 1];
}
#endif
