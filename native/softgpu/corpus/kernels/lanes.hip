// Lanes that talk to each other: shuffles, ballots, and the intrinsics under them. The width of a wave is warpSize.
#include "device.h"

KERNEL void shuffles(const int* in, int* out) {
  const int i = global_index(), value = in[i], lane = threadIdx.x % warpSize;
  int* mine = out + 8 * i;
  mine[0] = __shfl(value, (lane * 5 + 3) % warpSize);
  mine[1] = __shfl_up(value, 3);
  mine[2] = __shfl_down(value, 7);
  mine[3] = __shfl_xor(value, 21);
  mine[4] = __shfl(value, (lane + 1) % 16, 16);
  mine[5] = __shfl_up(value, 2, 8);
  mine[6] = __shfl_down(value, 5, 16);
  mine[7] = __shfl_xor(value, 1, 4);
}

KERNEL void shuffle_double(const double* in, double* out) {
  const int i = global_index();
  double sum = in[i];
  for (int step = 1; step < warpSize; step *= 2) sum += __shfl_xor(sum, step);
  out[i] = sum;
}

// Votes inside a divergent branch see only its lanes.
KERNEL void votes(const int* in, unsigned long* ballots, int* flags) {
  const int i = global_index();
  ballots[2 * i] = __ballot(in[i] > 0);
  ballots[2 * i + 1] = 0;
  flags[i] = __any(in[i] == 77) | __all(in[i] < 100) << 1;
  if (in[i] % 3 == 0) {
    ballots[2 * i + 1] = __ballot(in[i] > 0);
    flags[i] |= __all(in[i] % 3 == 0) << 2 | __any(in[i] % 2 == 1) << 3;
  }
}

// One atomic a wave: each lane that wants a slot gets the leader's base plus its rank.
KERNEL void compact(const int* in, int* out, unsigned* used, unsigned n) {
  const unsigned i = global_index();
  const bool wanted = i < n && in[i] > 0;
  const unsigned long mask = __ballot(wanted);
  if (!wanted) return;
  const int leader = __ffsll(static_cast<unsigned long long>(mask)) - 1, lane = threadIdx.x % warpSize;
  const unsigned rank = __popcll(mask & ((1ul << lane) - 1));
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(used, static_cast<unsigned>(__popcll(mask)));
  base = __shfl(base, leader);
  out[base + rank] = in[i];
}

KERNEL void inclusive_scan(const unsigned* in, unsigned* out) {
  const unsigned i = global_index(), lane = threadIdx.x % warpSize;
  unsigned sum = in[i];
  for (unsigned step = 1; step < static_cast<unsigned>(warpSize); step *= 2) {
    const unsigned below = __shfl_up(sum, step);
    if (lane >= step) sum += below;
  }
  out[i] = sum;
}

KERNEL void swizzles(const int* in, int* out) {
  const int i = global_index(), value = in[i];
  int* mine = out + 6 * i;
  mine[0] = __builtin_amdgcn_ds_swizzle(value, 0x1f << 10 | 0x1f);  // lane ^ 31 in each 32
  mine[1] = __builtin_amdgcn_ds_swizzle(value, 0x03 << 5 | 0x18);   // (lane & 24) | 3
  mine[2] = __builtin_amdgcn_ds_swizzle(value, 0x80e4 ^ 0xff);      // quads backwards
  mine[3] = __builtin_amdgcn_ds_bpermute((static_cast<int>(threadIdx.x) * 7 % warpSize) * 4, value);
  mine[4] = __builtin_amdgcn_ds_permute((static_cast<int>(threadIdx.x) * 5 + 1) % warpSize * 4, value);
  mine[5] = __builtin_amdgcn_readfirstlane(value) ^ __builtin_amdgcn_readlane(value, 9);
}

KERNEL void moves(const int* in, int* out) {
  const int i = global_index(), value = in[i];
  int* mine = out + 8 * i;
  mine[0] = __builtin_amdgcn_mov_dpp(value, 0x1b, 0xf, 0xf, true);           // quad_perm 3,2,1,0
  mine[1] = __builtin_amdgcn_update_dpp(-5, value, 0x111, 0xf, 0xf, false);  // row_shr 1, old value where none
  mine[2] = __builtin_amdgcn_update_dpp(-5, value, 0x103, 0xf, 0xf, true);   // row_shl 3, zero where none
  mine[3] = __builtin_amdgcn_update_dpp(-5, value, 0x125, 0xf, 0xf, false);  // row_ror 5
  mine[4] = __builtin_amdgcn_update_dpp(-5, value, 0x140, 0xf, 0xf, false);  // row_mirror
  mine[5] = __builtin_amdgcn_update_dpp(-5, value, 0x141, 0x5, 0x3, false);  // row_half_mirror, some rows and banks
  mine[6] = value + __builtin_amdgcn_update_dpp(0, value, 0x112, 0xf, 0xf, false);  // folds into v_add_u32_dpp
  mine[7] = max(value, __builtin_amdgcn_update_dpp(value, value, 0x118, 0xf, 0xc, false));
}

// The reduction of a wave in registers, as libraries write it: rows by DPP, the rest by shuffles.
KERNEL void reduce(const int* in, int* out) {
  const int i = global_index();
  int sum = in[i];
  sum +=
      __builtin_amdgcn_update_dpp(0, sum, 0x118, 0xf, 0xf, true);  // row_shr 8, 4, 2, 1: lane 15 of a row has its sum
  sum += __builtin_amdgcn_update_dpp(0, sum, 0x114, 0xf, 0xf, true);
  sum += __builtin_amdgcn_update_dpp(0, sum, 0x112, 0xf, 0xf, true);
  sum += __builtin_amdgcn_update_dpp(0, sum, 0x111, 0xf, 0xf, true);
  int total = 0;
  for (int row = 0; row < warpSize / 16; ++row) total += __shfl(sum, row * 16 + 15);
  if (threadIdx.x % warpSize == 0) out[i / warpSize] = total;
}

KERNEL void lane_ids(unsigned* out) {
  const unsigned i = global_index();
  out[2 * i] = __lane_id();
  out[2 * i + 1] = warpSize;
}
