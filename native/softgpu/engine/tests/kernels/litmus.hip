// Litmus tests between workgroups, and between the waves of one: each lane has cells of its own. Even workgroups write,
// the odd one behind each reads; what it saw that no order allows is counted in `wrong`.
#include "gpu.h"

using uint4 = uint __attribute__((ext_vector_type(4)));

constexpr uint kLanes = 64;
constexpr uint kLead = 32;  // rounds that a writer may be ahead: bytes wrap around

__device__ inline void agent_fence() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
__device__ inline uint poll(const uint* at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void put(uint* at, uint value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// A round as a word of each width, and whether all parts of a word are of one round.
template <typename T>
struct Word {
  static __device__ T of(uint round) { return static_cast<T>(round); }
  static __device__ bool is_whole(T) { return true; }
  static __device__ int since(T word, uint round) {
    return sizeof(T) == 1   ? static_cast<signed char>(word - round)
           : sizeof(T) == 2 ? static_cast<short>(word - round)
                            : static_cast<int>(word - round);
  }
};
template <>
struct Word<ulong> {
  static __device__ ulong of(uint round) { return static_cast<ulong>(round) << 32 | round; }
  static __device__ bool is_whole(ulong word) { return static_cast<uint>(word >> 32) == static_cast<uint>(word); }
  static __device__ int since(ulong word, uint round) { return static_cast<int>(static_cast<uint>(word) - round); }
};
template <>
struct Word<uint4> {
  static __device__ uint4 of(uint round) { return uint4{round, round, round, round}; }
  static __device__ bool is_whole(uint4 word) { return word.x == word.y && word.x == word.z && word.x == word.w; }
  static __device__ int since(uint4 word, uint round) { return static_cast<int>(word.x - round); }
};

// Message passing (a flag is never newer than its data), coherence of one place (what is read never goes back), and
// words that are of one store.
template <typename T, typename Pointer>
__device__ inline void pass(bool writes, Pointer data, uint* flag, uint* seen, uint* wrong, uint rounds) {
  uint bad = 0;
  if (writes) {
    for (uint round = 1; round <= rounds; ++round) {
      while (static_cast<int>(round - poll(seen)) > static_cast<int>(kLead)) __builtin_amdgcn_s_sleep(1);
      *data = Word<T>::of(round);
      agent_fence();
      put(flag, round);
    }
    return;
  }
  for (uint round = 0; round < rounds;) {
    round = poll(flag);
    agent_fence();
    const T first = *data;
    const T second = *data;
    bad += Word<T>::since(first, round) < 0;
    bad += Word<T>::since(second, round) < Word<T>::since(first, round);
    bad += !Word<T>::is_whole(first) + !Word<T>::is_whole(second);
    put(seen, round);
  }
  __hip_atomic_fetch_add(wrong, bad, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// The compiler makes flat instructions for generic addresses, and those of the address space for others.
template <typename T>
using InGlobal = volatile __attribute__((address_space(1))) T*;
template <typename T>
using InLds = volatile __attribute__((address_space(3))) T*;
template <typename T>
using InFlat = volatile T*;

// With the bits of what is used once: slc, or nt of gfx942.
template <typename T>
class UsedOnce {
 public:
  explicit __device__ UsedOnce(T* at) : at_(at) {}
  __device__ UsedOnce operator*() const { return *this; }
  __device__ operator T() const { return __builtin_nontemporal_load(at_); }
  __device__ void operator=(T value) const { __builtin_nontemporal_store(value, at_); }

 private:
  T* at_;
};

#define PASS(name, type, Space)                                                                           \
  extern "C" __global__ void pass_##name(type* data, uint* flags, uint* seen, uint* wrong, uint rounds) { \
    const uint cell = group_x() / 2 * kLanes + local_x();                                                 \
    pass<type>(group_x() % 2 == 0, (Space<type>)(data + cell), flags + cell, seen + cell, wrong, rounds); \
  }
// The same through LDS: the first wave writes, the second reads.
#define PASS_LDS(name, type)                                                                              \
  extern "C" __global__ void pass_##name##_lds(type*, uint*, uint*, uint* wrong, uint rounds) {           \
    __shared__ type data[kLanes];                                                                         \
    __shared__ uint flags[kLanes], seen[kLanes];                                                          \
    const uint cell = local_x() % kLanes;                                                                 \
    if (local_x() < kLanes) {                                                                             \
      data[cell] = Word<type>::of(0);                                                                     \
      flags[cell] = seen[cell] = 0;                                                                       \
    }                                                                                                     \
    barrier();                                                                                            \
    pass<type>(local_x() < kLanes, (InLds<type>)(data + cell), flags + cell, seen + cell, wrong, rounds); \
  }
#define PASS_ALL(name, type)      \
  PASS(name, type, InGlobal)      \
  PASS(name##_flat, type, InFlat) \
  PASS_LDS(name, type)
PASS_ALL(b8, unsigned char)
PASS_ALL(b16, unsigned short)
PASS_ALL(b32, uint)
PASS_ALL(b64, ulong)
PASS_ALL(b128, uint4)
PASS(b32_once, uint, UsedOnce)
PASS(b128_once, uint4, UsedOnce)

// Flag and data by scalar loads, one cell a wave.
extern "C" __global__ void pass_scalar(uint* data, uint* flags, uint* seen, uint* wrong, uint rounds) {
  const uint cell = group_x() / 2 * kLanes;
  uint bad = 0;
  if (group_x() % 2 == 0) {
    pass<uint>(true, (InGlobal<uint>)(data + cell), flags + cell, seen + cell, wrong, rounds);
    return;
  }
  const uint *at = data + cell, *flag = flags + cell;
  for (uint round = 0; round < rounds;) {
    uint got;
    asm volatile("s_dcache_inv\n\ts_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)"
                 : "=&s"(round)
                 : "s"(flag)
                 : "memory");
    asm volatile("s_dcache_inv\n\ts_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=&s"(got) : "s"(at) : "memory");
    bad += static_cast<int>(got - round) < 0;
    put(seen + cell, round);
  }
  if (local_x() == 0) __hip_atomic_fetch_add(wrong, bad, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Store buffering: two store each a place of its own, and look at the other's behind a fence; one of them sees the
// other. `meet` keeps them side by side.
extern "C" __global__ void store_buffering(uint* places, uint* saw, uint* meet, uint rounds) {
  const uint pair = group_x() / 2, side = group_x() % 2, lane = local_x();
  uint *mine = places + (pair * 2 + side) * rounds * kLanes, *other = places + (pair * 2 + 1 - side) * rounds * kLanes;
  uint* out = saw + (pair * 2 + side) * rounds * kLanes;
  for (uint round = 0; round < rounds; ++round) {
    const uint at = round * kLanes + lane;
    put(meet + pair * 2 + side, round + 1);
    while (poll(meet + pair * 2 + 1 - side) <= round) continue;
    put(mine + at, 1);
    agent_fence();
    out[at] = poll(other + at);
  }
}
