// Kernels with one race each, and ways of sharing memory that are none. Workgroups have 128 items unless said
// otherwise.
#include "gpu.h"

#define DEVICE_SCOPE __HIP_MEMORY_SCOPE_AGENT
#define GROUP_SCOPE __HIP_MEMORY_SCOPE_WORKGROUP

constexpr uint kItems = 128;

__device__ inline void device_fence() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

__device__ inline uint sum_of_group(const uint* in) {
  __shared__ uint partial[kItems];
  const uint t = local_x();
  partial[t] = in[group_x() * kItems + t];
  barrier();
  for (uint step = kItems / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    barrier();
  }
  return partial[0];
}

// Races.

extern "C" __global__ void lose_update(const uint* in, uint* sum) {
  const uint mine = sum_of_group(in);
  if (local_x() == 0) *sum += mine;
}

extern "C" __global__ void lose_update_in_lds(const uint* in, uint* out) {
  __shared__ uint counts[4];
  const uint t = local_x();
  if (t < 4) counts[t] = 0;
  barrier();
  counts[in[group_x() * kItems + t] % 4] += 1;
  barrier();
  if (t < 4) out[group_x() * 4 + t] = counts[t];
}

extern "C" __global__ void plain_flag(uint* done, uint* out, uint groups) {
  if (local_x() != 0) return;
  done[group_x()] = 1;
  out[group_x()] = done[(group_x() + 1) % groups];
}

// A workgroup waits for the one behind it, which begins later.
#define WAIT_FOR_TURN(name, ...)                                           \
  extern "C" __global__ void name(uint* turns, uint* out, uint groups) {   \
    if (local_x() != 0) return;                                            \
    const uint g = group_x();                                              \
    if (g + 1 < groups) {                                                  \
      uint* const turn = &turns[g + 1];                                    \
      while ((__VA_ARGS__) == 0) {                                         \
      }                                                                    \
    }                                                                      \
    out[g] = g;                                                            \
    __hip_atomic_fetch_add(&turns[g], 1u, __ATOMIC_RELEASE, DEVICE_SCOPE); \
  }
WAIT_FOR_TURN(wait_asleep, __builtin_amdgcn_s_sleep(1), *turn)
WAIT_FOR_TURN(wait_in_group_scope, __hip_atomic_load(turn, __ATOMIC_RELAXED, GROUP_SCOPE))
WAIT_FOR_TURN(wait_by_acquire_in_group_scope, __hip_atomic_load(turn, __ATOMIC_ACQUIRE, GROUP_SCOPE))
// These pass the caches.
WAIT_FOR_TURN(wait_in_device_scope, __hip_atomic_load(turn, __ATOMIC_RELAXED, DEVICE_SCOPE))
WAIT_FOR_TURN(wait_by_acquire_in_device_scope, __hip_atomic_load(turn, __ATOMIC_ACQUIRE, DEVICE_SCOPE))
WAIT_FOR_TURN(wait_volatile, *static_cast<volatile uint*>(turn))
WAIT_FOR_TURN(wait_with_fences, __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"), *turn)

extern "C" __global__ void read_neighbour(const uint* in, uint* out, uint n) {
  const uint i = group_x() * kItems + local_x();
  if (i >= n) return;
  out[i] = in[i] * 3;
  if (local_x() == 0 && i > 0) out[i] += out[i - 1];
}

// The same by a load of what is used once.
extern "C" __global__ void read_neighbour_once(const uint* in, uint* out, uint n) {
  const uint i = group_x() * kItems + local_x();
  if (i >= n) return;
  out[i] = in[i] * 3;
  if (local_x() == 0 && i > 0) out[i] += __builtin_nontemporal_load(&out[i - 1]);
}

// Each group leaves its number, all of its waves the same.
extern "C" __global__ void last_one_wins_by_all(uint* out) {
  *out = group_x() + 1;
}

// Each group leaves its number.
extern "C" __global__ void last_one_wins(uint* out) {
  if (local_x() == 0) *out = group_x() + 1;
}

extern "C" __global__ void tile_loop_without_barrier(const uint* in, uint* out, uint tiles) {
  __shared__ uint tile[kItems];
  const uint t = local_x();
  uint sum = 0;
  for (uint k = 0; k < tiles; ++k) {
    tile[t] = in[k * kItems + t];
    barrier();
    for (uint j = 0; j < kItems; j += 16) sum += tile[(t + j) % kItems];
  }
  out[group_x() * kItems + t] = sum;
}

// Reads one too early: the last workgroup but one sums up. Or does not wait for what it leaves.
template <uint too_early, bool has_fence = true>
__device__ void sum_by_last(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  __shared__ uint ticket;
  const uint mine = sum_of_group(in);
  if (local_x() == 0) {
    partials[group_x()] = mine;
    if (has_fence) device_fence();
    ticket = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  }
  barrier();
  if (ticket + 1 + too_early != groups || local_x() != 0) return;
  device_fence();
  uint sum = 0;
  for (uint k = 0; k < groups; ++k) sum += partials[k];
  *out = sum;
}
extern "C" __global__ void sum_by_last_but_one(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  sum_by_last<1>(in, partials, counter, out, groups);
}
extern "C" __global__ void sum_by_last_without_fence(const uint* in, uint* partials, uint* counter, uint* out,
                                                     uint groups) {
  sum_by_last<0, false>(in, partials, counter, out, groups);
}

// The same between one workgroup and the next. The flag is one that volatile accesses, which are waited for, would make
// right.
extern "C" __global__ void hand_on_without_fence(const uint* in, uint* flags, uint* sums, uint* out) {
  const uint g = group_x();
  if (local_x() != 0) return;
  uint sum = in[g];
  if (g > 0) {
    while (__hip_atomic_load(&flags[g - 1], __ATOMIC_ACQUIRE, DEVICE_SCOPE) == 0) {
    }
    sum += sums[g - 1];
  }
  sums[g] = sum;
  __hip_atomic_store(&flags[g], 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  out[g] = sum;
}

// Each lane finds its place among the sorted numbers of the workgroup: where it looks next depends on what it has seen,
// but it does not wait for anything.
extern "C" __global__ void search_without_barrier(const uint* in, uint* out) {
  __shared__ uint sorted[kItems];
  const uint t = local_x();
  sorted[t] = in[group_x() * kItems + t];
  uint low = 0, high = kItems;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (sorted[middle] < in[group_x() * kItems] + t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[group_x() * kItems + t] = low;
}

// One lane of each wave looks at the same place over and over, the others elsewhere: nobody waits.
extern "C" __global__ void strides_without_barrier(const uint* in, uint* out) {
  __shared__ uint tile[kItems];
  const uint t = local_x();
  tile[t] = in[group_x() * kItems + t];
  uint sum = 0;
#pragma clang loop unroll(disable)
  for (uint k = 0; k < 8; ++k) sum += tile[t % 32 * k % kItems];
  out[group_x() * kItems + t] = sum;
}

// A round ends with a look at what the next one begins to write, and no barrier is in between.
extern "C" __global__ void rounds_with_one_barrier(const uint* in, uint* out) {
  __shared__ uint any;
  const uint t = local_x();
  uint rounds = 0;
  do {
    if (t == 0) any = 0;
    barrier();
    if (in[group_x() * kItems + t] % kItems == rounds + 2) any = 1;
    barrier();
    ++rounds;
  } while (any != 0);
  out[group_x() * kItems + t] = rounds;
}

// A wave waits in LDS for the other, which sets its flag too early.
extern "C" __global__ void flag_before_data_in_lds(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    if (t == 0) __hip_atomic_store(&ready, 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    value[t] = in[group_x() * 32 + t] + 1;
  } else if (t >= 96) {
    while (__hip_atomic_load(&ready, __ATOMIC_ACQUIRE, GROUP_SCOPE) == 0) {
    }
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}
// The wave that reads does not wait for the flag.
extern "C" __global__ void flag_that_nobody_waits_for(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    if (t == 0) __hip_atomic_store(&ready, 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
  } else if (t >= 96) {
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

// No races.

extern "C" __global__ void last_group_sums(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  sum_by_last<0>(in, partials, counter, out, groups);
}

extern "C" __global__ void same_value(const uint* in, uint* flag, uint* counts) {
  __shared__ uint any;
  const uint t = local_x();
  any = 0;
  barrier();
  if (in[group_x() * kItems + t] % 3 == 0) {
    *flag = 1;
    any = 1;
  }
  barrier();
  if (t == 0) counts[group_x()] = any;
}

// Every wave stores what it then loads.
extern "C" __global__ void same_value_for_all(const uint* in, uint* out) {
  __shared__ volatile uint scale;
  scale = in[group_x()];
  out[group_x() * kItems + local_x()] = scale + local_x();
}

template <bool plain_release>
__device__ void add_under_lock(const uint* in, uint* lock, uint* sum) {
  const uint mine = sum_of_group(in);
  if (local_x() != 0) return;
  uint expected = 0;
  while (!__hip_atomic_compare_exchange_strong(lock, &expected, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, DEVICE_SCOPE))
    expected = 0;
  *sum += mine;
  device_fence();
  if (plain_release) {
    *(volatile uint*)lock = 0;
  } else {
    __hip_atomic_exchange(lock, 0u, __ATOMIC_RELEASE, DEVICE_SCOPE);
  }
}
extern "C" __global__ void lock_by_exchange(const uint* in, uint* lock, uint* sum) {
  add_under_lock<false>(in, lock, sum);
}
extern "C" __global__ void lock_by_store(const uint* in, uint* lock, uint* sum) {
  add_under_lock<true>(in, lock, sum);
}

extern "C" __global__ void histograms(const uint* in, uint* bins) {
  __shared__ uint counts[16];
  const uint t = local_x();
  if (t < 16) counts[t] = 0;
  barrier();
  __hip_atomic_fetch_add(&counts[in[group_x() * kItems + t] % 16], 1u, __ATOMIC_RELAXED, GROUP_SCOPE);
  barrier();
  if (t < 16) __hip_atomic_fetch_add(&bins[t], counts[t], __ATOMIC_RELAXED, DEVICE_SCOPE);
}

// Adds as programs do that have no atomic addition of their type: from a plain load on.
extern "C" __global__ void add_by_compare_and_swap(const uint* in, uint* sums) {
  __shared__ uint local;
  const uint t = local_x();
  if (t == 0) local = 0;
  barrier();
  const uint mine = in[group_x() * kItems + t];
  uint seen = local;
  while (!__hip_atomic_compare_exchange_strong(&local, &seen, seen + mine, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               GROUP_SCOPE)) {
  }
  barrier();
  if (t != 0) return;
  uint* at = &sums[0];
  seen = *at;
  while (!__hip_atomic_compare_exchange_strong(at, &seen, seen + local, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               DEVICE_SCOPE)) {
  }
}

// Every lane of every group adds to the same.
extern "C" __global__ void all_compare_and_swap(const uint* in, uint* sum) {
  const uint mine = in[group_x() * kItems + local_x()];
  uint seen = *sum;
  while (!__hip_atomic_compare_exchange_strong(sum, &seen, seen + mine, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               DEVICE_SCOPE)) {
  }
}

// A histogram of each workgroup, added to that of all by `merge`, which may lose updates without a race.
template <typename Merge>
__device__ inline void merge_counts(const uint* in, Merge merge) {
  __shared__ uint counts[kItems];
  const uint t = local_x();
  counts[t] = 0;
  barrier();
  __hip_atomic_fetch_add(&counts[in[group_x() * kItems + t] % kItems], 1u, __ATOMIC_RELAXED, GROUP_SCOPE);
  barrier();
  merge(t, counts[t]);
}

extern "C" __global__ void merge_by_load_and_store(const uint* in, uint* bins) {
  merge_counts(in, [&](uint t, uint count) {
    const uint seen = __hip_atomic_load(bins + t, __ATOMIC_RELAXED, DEVICE_SCOPE);
    __hip_atomic_store(bins + t, seen + count, __ATOMIC_RELAXED, DEVICE_SCOPE);
  });
}

extern "C" __global__ void merge_by_volatile(const uint* in, volatile uint* bins) {
  merge_counts(in, [&](uint t, uint count) { bins[t] = bins[t] + count; });
}

extern "C" __global__ void merge_by_exchange(const uint* in, uint* bins) {
  merge_counts(in, [&](uint t, uint count) {
    const uint seen = __hip_atomic_fetch_add(bins + t, 0u, __ATOMIC_RELAXED, DEVICE_SCOPE);
    __hip_atomic_exchange(bins + t, seen + count, __ATOMIC_RELAXED, DEVICE_SCOPE);
  });
}

extern "C" __global__ void merge_by_one_try(const uint* in, uint* bins) {
  merge_counts(in, [&](uint t, uint count) {
    uint seen = __hip_atomic_load(bins + t, __ATOMIC_RELAXED, DEVICE_SCOPE);
    __hip_atomic_compare_exchange_strong(bins + t, &seen, seen + count, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         DEVICE_SCOPE);
  });
}

extern "C" __global__ void merge_by_tries(const uint* in, uint* bins) {
  merge_counts(in, [&](uint t, uint count) {
    uint seen = __hip_atomic_load(bins + t, __ATOMIC_RELAXED, DEVICE_SCOPE);
    while (!__hip_atomic_compare_exchange_strong(bins + t, &seen, seen + count, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                 DEVICE_SCOPE)) {
    }
  });
}

// A lock that is looked at, and then taken by another access.
extern "C" __global__ void lock_looked_at(const uint* in, uint* lock, uint* sum) {
  const uint mine = sum_of_group(in);
  if (local_x() != 0) return;
  while (__hip_atomic_load(lock, __ATOMIC_ACQUIRE, DEVICE_SCOPE) != 0) {
  }
  __hip_atomic_store(lock, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  const uint seen = __hip_atomic_load(sum, __ATOMIC_RELAXED, DEVICE_SCOPE);
  __hip_atomic_store(sum, seen + mine, __ATOMIC_RELAXED, DEVICE_SCOPE);
  __hip_atomic_store(lock, 0u, __ATOMIC_RELEASE, DEVICE_SCOPE);
}

// A scan that looks back: each workgroup waits for the one before it.
extern "C" __global__ void look_back(const uint* in, volatile uint* flags, uint* prefixes, uint* out) {
  __shared__ uint before;
  const uint mine = sum_of_group(in), g = group_x();
  if (local_x() == 0) {
    uint sum = 0;
    if (g > 0) {
      while (flags[g - 1] == 0) {
      }
      device_fence();
      sum = prefixes[g - 1];
    }
    before = sum;
    prefixes[g] = sum + mine;
    device_fence();
    flags[g] = 1;
  }
  barrier();
  out[g * kItems + local_x()] = before + in[g * kItems + local_x()];
}

// One wave waits for the other in LDS.
extern "C" __global__ void hand_over_in_lds(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (t == 0) *(volatile uint*)&ready = 1;
  } else if (t >= 96) {
    while (*(volatile uint*)&ready == 0) {
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

// The same by C++11, with loads that no bit of the instruction tells from plain ones.
extern "C" __global__ void release_in_lds(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    if (t == 0) __hip_atomic_store(&ready, 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
  } else if (t >= 96) {
    while (__hip_atomic_load(&ready, __ATOMIC_ACQUIRE, GROUP_SCOPE) == 0) {
    }
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

// The same with a load that also waits for the stores of its own wave.
extern "C" __global__ void ordered_in_lds(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    if (t == 0) __hip_atomic_store(&ready, 1u, __ATOMIC_SEQ_CST, GROUP_SCOPE);
  } else if (t >= 96) {
    while (__hip_atomic_load(&ready, __ATOMIC_SEQ_CST, GROUP_SCOPE) == 0) {
    }
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

extern "C" __global__ void volatile_in_lds(const uint* in, uint* out) {
  __shared__ uint value[32];
  __shared__ volatile uint ready;
  const uint t = local_x();
  if (t == 0) ready = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (t == 0) ready = 1;
  } else if (t >= 96) {
    while (ready == 0) {
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

// A ring: each wave waits for what the one before it has counted, sleeps in between, and gives up after very long.
extern "C" __global__ void turns_in_lds(const uint* in, uint* out) {
  __shared__ uint sum, turn;
  const uint t = local_x(), wave = t / 64;
  if (t == 0) sum = turn = 0;
  barrier();
  for (uint round = 0; round < 3; ++round) {
    if (t % 64 != 0) continue;
    for (uint looks = 0; looks < 1u << 24; ++looks) {
      if (__hip_atomic_load(&turn, __ATOMIC_ACQUIRE, GROUP_SCOPE) == round * (kItems / 64) + wave) break;
      __builtin_amdgcn_s_sleep(1);
    }
    sum += in[group_x() * kItems + wave];
    __hip_atomic_store(&turn, round * (kItems / 64) + wave + 1, __ATOMIC_RELEASE, GROUP_SCOPE);
  }
  barrier();
  out[group_x() * kItems + t] = sum;
}

// Lanes of the last wave wait for two flags each, which are beside the values: a scan of waves looks back so.
extern "C" __global__ void two_flags_in_lds(const uint* in, uint* out) {
  __shared__ ulong states[32];
  __shared__ uint began;
  const uint t = local_x();
  if (t == 0) began = 0;
  if (t < 32) states[t] = 0;
  barrier();
  if (t < 32) {
    if (t == 0) __hip_atomic_store(&began, 1u, __ATOMIC_RELAXED, GROUP_SCOPE);
    __hip_atomic_store(&states[t], static_cast<ulong>(in[group_x() * 32 + t]) << 32 | 1, __ATOMIC_RELEASE, GROUP_SCOPE);
  } else if (t >= 96) {
    ulong state = 0;
    while (__hip_atomic_load(&began, __ATOMIC_RELAXED, GROUP_SCOPE) == 0 ||
           (state = __hip_atomic_load(&states[t - 96], __ATOMIC_ACQUIRE, GROUP_SCOPE)) == 0) {
    }
    out[group_x() * 32 + t - 96] = static_cast<uint>(state >> 32);
  }
}

// Tested, and then taken by an atomic.
extern "C" __global__ void lock_in_lds(const uint* in, uint* out) {
  __shared__ uint lock, sum;
  const uint t = local_x();
  if (t == 0) lock = sum = 0;
  barrier();
  if (t % 64 == 0) {
    do {
      while (__hip_atomic_load(&lock, __ATOMIC_RELAXED, GROUP_SCOPE) != 0) {
      }
    } while (__hip_atomic_exchange(&lock, 1u, __ATOMIC_ACQUIRE, GROUP_SCOPE) != 0);
    sum += in[group_x() * kItems + t];
    __hip_atomic_store(&lock, 0u, __ATOMIC_RELEASE, GROUP_SCOPE);
  }
  barrier();
  out[group_x() * kItems + t] = sum;
}

// Each item counts itself behind its value, and all wait for the count: whoever sees it has seen all arrivals.
extern "C" __global__ void arrivals_in_lds(const uint* in, uint* out) {
  __shared__ uint values[kItems], count;
  const uint t = local_x();
  if (t == 0) count = 0;
  barrier();
  values[t] = in[group_x() * kItems + t];
  __hip_atomic_fetch_add(&count, 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
  while (__hip_atomic_load(&count, __ATOMIC_ACQUIRE, GROUP_SCOPE) < kItems) {
  }
  uint sum = 0;
  for (uint k = 0; k < kItems; ++k) sum += values[k];
  out[group_x() * kItems + t] = sum;
}

// One item of each 64 counts for them, and sleeps in between.
extern "C" __global__ void arrivals_asleep(const uint* in, uint* out) {
  __shared__ uint values[kItems / 64], count;
  const uint t = local_x();
  if (t == 0) count = 0;
  barrier();
  if (t % 64 != 0) return;
  values[t / 64] = in[group_x() * kItems + t];
  __hip_atomic_fetch_add(&count, 1u, __ATOMIC_ACQ_REL, GROUP_SCOPE);
  while (__hip_atomic_load(&count, __ATOMIC_ACQUIRE, GROUP_SCOPE) != kItems / 64) __builtin_amdgcn_s_sleep(1);
  out[group_x() * kItems + t] = values[(t / 64 + 1) % (kItems / 64)];
}

// Counted before the values are there.
extern "C" __global__ void arrivals_before_values(const uint* in, uint* out) {
  __shared__ uint values[kItems], count;
  const uint t = local_x();
  if (t == 0) count = 0;
  barrier();
  __hip_atomic_fetch_add(&count, 1u, __ATOMIC_RELAXED, GROUP_SCOPE);
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  values[t] = in[group_x() * kItems + t];
  while (__hip_atomic_load(&count, __ATOMIC_ACQUIRE, GROUP_SCOPE) < kItems) {
  }
  uint sum = 0;
  for (uint k = 0; k < kItems; ++k) sum += values[k];
  out[group_x() * kItems + t] = sum;
}

// A look in front of a loop that waits is none of its looks where it goes elsewhere.
extern "C" __global__ void look_elsewhere_before_waiting(const uint* in, uint* out) {
  __shared__ uint value[32], flags[2];
  const uint t = local_x(), at = in[group_x() * 32] % 2;
  if (t < 2) flags[t] = 0;
  barrier();
  if (t < 32) {
    value[t] = in[group_x() * 32 + t] + 1;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (t == 0) flags[at ^ 1] = 1;
    if (t == 0) __hip_atomic_store(&flags[at], 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
  } else if (t >= 96) {
    if (flags[at ^ 1] == 0) {
      while (__hip_atomic_load(&flags[at], __ATOMIC_ACQUIRE, GROUP_SCOPE) == 0) __builtin_amdgcn_s_sleep(1);
    }
    out[group_x() * 32 + t - 96] = value[t - 96];
  }
}

// The last item to count itself goes on alone: its atomic acquires from all others.
extern "C" __global__ void last_arrival_in_lds(const uint* in, uint* out) {
  __shared__ uint values[kItems], count;
  const uint t = local_x();
  if (t == 0) count = 0;
  barrier();
  values[t] = in[group_x() * kItems + t];
  if (__hip_atomic_fetch_add(&count, 1u, __ATOMIC_ACQ_REL, GROUP_SCOPE) + 1 != kItems) return;
  uint sum = 0;
  for (uint k = 0; k < kItems; ++k) sum += values[k];
  out[group_x()] = sum;
}

// A barrier between waves that can be used again: the last to arrive begins the next generation.
extern "C" __global__ void generations_in_lds(const uint* in, uint* out) {
  __shared__ uint values[kItems / 64], count, generation;
  const uint t = local_x(), waves = kItems / 64;
  if (t == 0) count = generation = 0;
  barrier();
  if (t % 64 != 0) return;
  const auto meet = [&] {
    const uint now = __hip_atomic_load(&generation, __ATOMIC_RELAXED, GROUP_SCOPE);
    if (__hip_atomic_fetch_add(&count, 1u, __ATOMIC_ACQ_REL, GROUP_SCOPE) + 1 == waves) {
      __hip_atomic_store(&count, 0u, __ATOMIC_RELAXED, GROUP_SCOPE);
      __hip_atomic_store(&generation, now + 1, __ATOMIC_RELEASE, GROUP_SCOPE);
    } else {
      while (__hip_atomic_load(&generation, __ATOMIC_ACQUIRE, GROUP_SCOPE) == now) {
      }
    }
  };
  uint mine = in[group_x() * kItems + t];
  for (uint round = 0; round < 4; ++round) {
    values[t / 64] = mine;
    meet();
    mine += values[(t / 64 + 1) % waves];
    meet();
  }
  out[group_x() * kItems + t] = mine;
}

// A flag in global memory for waves of one workgroup, whose loads are plain ones on gfx90a.
extern "C" __global__ void release_to_the_workgroup(const uint* in, uint* flags, uint* values, uint* out) {
  const uint t = local_x(), g = group_x();
  if (t < 32) {
    values[g * 32 + t] = in[g * 32 + t] + 1;
    if (t == 0) __hip_atomic_store(&flags[g], 1u, __ATOMIC_RELEASE, GROUP_SCOPE);
  } else if (t >= 96) {
    while (__hip_atomic_load(&flags[g], __ATOMIC_ACQUIRE, GROUP_SCOPE) == 0) {
    }
    out[g * 32 + t - 96] = values[g * 32 + t - 96];
  }
}

// All of these is atomic, so that only an order shows what is wrong with them.

enum class Mistake { kNone, kNoFence, kDataLast };

// The last workgroup to take a ticket adds up what the others have left.
template <Mistake mistake>
__device__ void sum_by_ticket(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  const uint mine = sum_of_group(in);
  if (local_x() != 0) return;
  if (mistake != Mistake::kDataLast) partials[group_x()] = mine;
  if (mistake == Mistake::kNone) device_fence();
  const uint ticket = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  if (mistake == Mistake::kDataLast) {
    device_fence();
    __hip_atomic_store(&partials[group_x()], mine, __ATOMIC_RELAXED, DEVICE_SCOPE);
  }
  if (ticket + 1 != groups) return;
  device_fence();
  uint sum = 0;
  for (uint k = 0; k < groups; ++k) sum += __hip_atomic_load(&partials[k], __ATOMIC_RELAXED, DEVICE_SCOPE);
  *out = sum;
}
extern "C" __global__ void ticket_behind_data(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  sum_by_ticket<Mistake::kNone>(in, partials, counter, out, groups);
}
extern "C" __global__ void ticket_without_fence(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  sum_by_ticket<Mistake::kNoFence>(in, partials, counter, out, groups);
}
extern "C" __global__ void ticket_before_data(const uint* in, uint* partials, uint* counter, uint* out, uint groups) {
  sum_by_ticket<Mistake::kDataLast>(in, partials, counter, out, groups);
}

// Each workgroup waits for the one that took the ticket before it, and leaves the sum of its own and all before. Groups
// of any size.
template <Mistake mistake>
__device__ void scan_by_flags(const uint* in, uint* sums, uint* flags, uint* counter) {
  __shared__ uint place;
  if (local_x() == 0) place = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  barrier();
  if (local_x() != 0) return;
  const uint at = place;
  uint sum = in[at];
  if (at > 0) {
    while (__hip_atomic_load(&flags[at - 1], __ATOMIC_RELAXED, DEVICE_SCOPE) == 0) {
    }
    device_fence();
    sum += __hip_atomic_load(&sums[at - 1], __ATOMIC_RELAXED, DEVICE_SCOPE);
  }
  if (mistake != Mistake::kDataLast) sums[at] = sum;
  if (mistake == Mistake::kNone) device_fence();
  __hip_atomic_store(&flags[at], 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  if (mistake == Mistake::kDataLast) {
    device_fence();
    __hip_atomic_store(&sums[at], sum, __ATOMIC_RELAXED, DEVICE_SCOPE);
  }
}
extern "C" __global__ void flag_behind_data(const uint* in, uint* sums, uint* flags, uint* counter) {
  scan_by_flags<Mistake::kNone>(in, sums, flags, counter);
}
extern "C" __global__ void flag_without_fence(const uint* in, uint* sums, uint* flags, uint* counter) {
  scan_by_flags<Mistake::kNoFence>(in, sums, flags, counter);
}
extern "C" __global__ void flag_before_data(const uint* in, uint* sums, uint* flags, uint* counter) {
  scan_by_flags<Mistake::kDataLast>(in, sums, flags, counter);
}

// Right, though the wave that stores does not wait: one behind the barrier waits for all (what clang 22 makes of
// __syncthreads() on gfx90a).
extern "C" __global__ void ticket_behind_barrier(const uint* in, uint* values, uint* counter, uint* out, uint groups) {
  __shared__ uint ticket;
  const uint t = local_x();
  __hip_atomic_store(&values[group_x() * kItems + t], in[group_x() * kItems + t], __ATOMIC_RELAXED, DEVICE_SCOPE);
  __builtin_amdgcn_s_barrier();
  if (t == 0) {
    device_fence();
    ticket = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  }
  __builtin_amdgcn_s_barrier();
  if (ticket + 1 != groups) return;
  device_fence();
  uint sum = 0;
  for (uint k = 0; k < groups; ++k) sum += __hip_atomic_load(&values[k * kItems + t], __ATOMIC_RELAXED, DEVICE_SCOPE);
  out[t] = sum;
}

// One address has one order, without any wait: what a wave stores is there when it adds to it, and a workgroup sees its
// own stores.
extern "C" __global__ void one_place_after_another(uint* values, uint* out) {
  const uint t = local_x(), at = group_x() * kItems + t;
  __hip_atomic_store(&values[at], 5u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  __hip_atomic_store(&values[at], 7u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  __hip_atomic_fetch_add(&values[at], 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  barrier();
  out[at] = __hip_atomic_load(&values[at ^ 64], __ATOMIC_RELAXED, DEVICE_SCOPE) + t;
}

// Whoever stores without ever waiting for it is seen all the same, in the end.
extern "C" __global__ void meet_without_waiting(uint* flags, uint* out, uint groups) {
  if (local_x() == 0) {
    __hip_atomic_store(&flags[group_x()], 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
    for (uint k = 0; k < groups; ++k) {
      while (__hip_atomic_load(&flags[k], __ATOMIC_RELAXED, DEVICE_SCOPE) == 0) {
      }
    }
  }
  __builtin_amdgcn_s_barrier();
  out[group_x() * kItems + local_x()] = group_x();
}

// A value that is its own flag needs no fence: who has seen it past the caches, and whom that wave tells, may load it.
extern "C" __global__ void value_is_its_own_flag(uint* values, uint* out) {
  __shared__ uint seen;
  const uint g = group_x();
  if (local_x() == 0) {
    if (g > 0) {
      while (__hip_atomic_load(&values[g - 1], __ATOMIC_RELAXED, DEVICE_SCOPE) == 0) {
      }
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    }
    seen = g;
    __hip_atomic_store(&values[g], g + 1, __ATOMIC_RELAXED, DEVICE_SCOPE);
  }
  barrier();
  if (g > 0) out[g * kItems + local_x()] = values[seen - 1];
}

// Bytes of one dword, by lanes of different waves.
extern "C" __global__ void bytes_beside_each_other(unsigned char* out) {
  out[(local_x() % 64) * 2 + local_x() / 64] = static_cast<unsigned char>(local_x());
}

// Places are claimed by an atomic; the whole grid meets in between.
extern "C" __global__ void claim_and_meet(uint* next, uint* arrived, uint* values, uint* out, uint groups) {
  __shared__ uint place;
  if (local_x() == 0) place = __hip_atomic_fetch_add(next, 1u, __ATOMIC_RELAXED, DEVICE_SCOPE);
  barrier();
  values[place * kItems + local_x()] = place + local_x();
  barrier();
  if (local_x() == 0) {
    __hip_atomic_fetch_add(arrived, 1u, __ATOMIC_RELEASE, DEVICE_SCOPE);
    while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, DEVICE_SCOPE) < groups) {
    }
  }
  barrier();
  const uint other = (place + 1) % groups;
  out[place * kItems + local_x()] = values[other * kItems + local_x()];
}

// In which order lanes of one wave take their numbers.
extern "C" __global__ void number_lanes(uint* next, uint* out) {
  const uint t = local_x();
  out[t] = __hip_atomic_fetch_add(next, t + 1, __ATOMIC_RELAXED, DEVICE_SCOPE);
}
