#include "planted.h"

namespace planted {

// Inclusive, a block at a time, by doubling between two buffers.
__global__ void scan_doubling(const int* x, int* y, int n) {
  __shared__ int buffer[2][256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  int from = 0;
  buffer[0][t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    buffer[1 - from][t] = t >= step ? buffer[from][t] + buffer[from][t - step] : buffer[from][t];
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) y[i] = buffer[from][t];
}

// Exclusive, work-efficient: up the tree, then down; two elements a thread.
__global__ void scan_tree(const int* x, int* y, int* totals, int n) {
  __shared__ int tree[256];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 256;
  tree[t] = base + t < n ? x[base + t] : 0;
  tree[t + 128] = base + t + 128 < n ? x[base + t + 128] : 0;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * step - 1;
    if (right < 256) tree[right] += tree[right - step];
  }
  if (t == 0) {
    totals[blockIdx.x] = tree[255];
    tree[255] = 0;
  }
  for (int step = 128; step > 0; step /= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * step - 1;
    if (right < 256) {
      const int left = tree[right - step];
      tree[right - step] = tree[right];
      tree[right] += left;
    }
  }
  __syncthreads();
  if (base + t < n) y[base + t] = tree[t];
  if (base + t + 128 < n) y[base + t + 128] = tree[t + 128];
}

// Inclusive sums that begin anew where a flag stands, within a block.
__global__ void scan_segments(const int* x, const unsigned char* heads, int* y, int n) {
  __shared__ int sums[128];
  __shared__ int flags[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 128 + t;
  int sum = i < n ? x[i] : 0;
  int flag = i < n ? heads[i] : 1;
  for (int step = 1; step < 128; step *= 2) {
    sums[t] = sum;
    flags[t] = flag;
    __syncthreads();
    if (t >= step && !flag) {
      sum += sums[t - step];
      flag = flags[t - step];
    }
    __syncthreads();
  }
  if (i < n) y[i] = sum;
}

// One pass over the whole array: a block takes the next ticket and waits for what the block before it has published.
__global__ void scan_chained(const int* x, int* y, int* published, int* ready, int* ticket, int n) {
  __shared__ int sums[256];
  __shared__ int block, before;
  const int t = threadIdx.x;
  if (t == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  const int i = block * 256 + t;
  sums[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int add = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    int carried = 0;
    if (block > 0) {
      while (atomicAdd(&ready[block - 1], 0) == 0) {
      }
      __threadfence();
      carried = atomicAdd(&published[block - 1], 0);
    }
    atomicExch(&published[block], carried + sums[255]);
    __threadfence();
    atomicExch(&ready[block], 1);
    before = carried;
  }
  __syncthreads();
  if (i < n) y[i] = before + sums[t];
}

void run_scan() {
  const int n = 3700, blocks = blocks_for(n, 256);
  const auto x = random_ints(n, 1, 50);
  const Device<int> dx(x);
  {
    const Device<int> y(n, -1);
    scan_doubling<<<blocks, 256>>>(dx.get(), y.get(), n);
    const auto actual = y.read();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
      sum = (i % 256 ? sum : 0) + x[i];
      ok = ok && actual[i] == sum;
    }
    report("scan_doubling", ok);
  }
  {
    const Device<int> y(n, -1), totals(blocks, -1);
    scan_tree<<<blocks, 128>>>(dx.get(), y.get(), totals.get(), n);
    const auto actual = y.read();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
      if (i % 256 == 0) sum = 0;
      ok = ok && actual[i] == sum;
      sum += x[i];
    }
    report("scan_tree", ok);
  }
  {
    std::vector<unsigned char> heads(n);
    for (int i = 0; i < n; ++i) heads[i] = random_bits() % 9 == 0;
    const Device<unsigned char> dheads(heads);
    const Device<int> y(n, -1);
    scan_segments<<<blocks_for(n, 128), 128>>>(dx.get(), dheads.get(), y.get(), n);
    const auto actual = y.read();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
      sum = (i % 128 && !heads[i] ? sum : 0) + x[i];
      ok = ok && actual[i] == sum;
    }
    report("scan_segments", ok);
  }
  {
    const Device<int> y(n, -1), published(blocks, -1), ready(blocks, 0), ticket(1, 0);
    scan_chained<<<blocks, 256>>>(dx.get(), y.get(), published.get(), ready.get(), ticket.get(), n);
    const auto actual = y.read();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
      sum += x[i];
      ok = ok && actual[i] == sum;
    }
    report("scan_chained", ok);
  }
}

}  // namespace planted
