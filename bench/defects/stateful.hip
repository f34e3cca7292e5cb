#include "planted.h"

namespace planted {

// Blocks of one wave claim one item after the other from a queue and add it up, until none is left.
__global__ void drain_queue(const int* starts, const int* x, int* head, int* sums, int items) {
  __shared__ int item;
  const int t = threadIdx.x;
  for (;;) {
    // Without it clang 15 lets thread 0 claim while the others run ahead.
    __syncthreads();
    if (t == 0) item = atomicAdd(head, 1);
    __syncthreads();
    const int mine = item;
    if (mine >= items) return;
    int sum = 0;
    for (int k = starts[mine] + t; k < starts[mine + 1]; k += 64) sum += x[k];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (t == 0) sums[mine] = sum;
  }
}

// Each thread goes on with its own random numbers (xorshift), which the next launch finds where they ended.
__global__ void random_walk(unsigned* states, int* positions, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = states[i];
  int position = positions[i];
  for (int k = 0; k < steps; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    position += state & 1 ? 1 : -1;
  }
  states[i] = state;
  positions[i] = position;
}

void run_stateful() {
  {
    const int items = 60, blocks = 7;
    std::vector<int> starts(1, 0);
    for (int item = 0; item < items; ++item) starts.push_back(starts.back() + static_cast<int>(random_bits() % 200));
    const auto x = random_ints(starts.back(), -500, 900);
    const Device<int> dstarts(starts), dx(x), head(1, 0), sums(items, -1);
    drain_queue<<<blocks, 64>>>(dstarts.get(), dx.get(), head.get(), sums.get(), items);
    const auto actual = sums.read();
    bool ok = head.read()[0] == items + blocks;
    for (int item = 0; item < items; ++item) {
      int sum = 0;
      for (int k = starts[item]; k < starts[item + 1]; ++k) sum += x[k];
      ok = ok && actual[item] == sum;
    }
    report("drain_queue", ok);
  }
  {
    const int n = 1501, steps = 12;
    std::vector<unsigned> states(n);
    for (unsigned& state : states) state = random_bits() * 2 + 1;
    const Device<unsigned> dstates(states);
    const Device<int> positions(n, 100);
    random_walk<<<blocks_for(n, 128), 128>>>(dstates.get(), positions.get(), steps, n);
    const auto actual = positions.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) {
      int position = 100;
      for (int k = 0; k < steps; ++k) {
        states[i] ^= states[i] << 13;
        states[i] ^= states[i] >> 17;
        states[i] ^= states[i] << 5;
        position += states[i] & 1 ? 1 : -1;
      }
      ok = ok && actual[i] == position;
    }
    report("random_walk", ok && dstates.read() == states);
  }
}

}  // namespace planted
