#include <algorithm>

#include "planted.h"

namespace planted {

__global__ void tree_sum(const float* x, float* sums, int n) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += x[i];
  partial[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

__global__ void wave_sum(const float* x, float* sums, int n) {
  __shared__ float waves[4];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  float sum = i < n ? x[i] : 0.0f;
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (t % 64 == 0) waves[t / 64] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = (waves[0] + waves[1]) + (waves[2] + waves[3]);
}

// The block that finishes last adds up what all blocks have left; the ticket is ready for the next launch.
__global__ void last_block_sum(const int* x, int* partials, unsigned* ticket, int* total, int n) {
  __shared__ int shared[256];
  __shared__ bool last;
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += x[i];
  shared[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partials[blockIdx.x] = shared[0];
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    __threadfence();
    int all = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) all += atomicAdd(&partials[block], 0);
    *total = all;
    *ticket = 0;
  }
}

// The largest element of a row and its place; of equal ones the first.
__global__ void argmax_rows(const int* x, int* value, int* place, int columns) {
  __shared__ int values[2];
  __shared__ int places[2];
  const int t = threadIdx.x;
  const int* row = x + blockIdx.x * columns;
  int best = -2147483647 - 1, at = 0;
  for (int i = t; i < columns; i += 128) {
    if (row[i] > best) {
      best = row[i];
      at = i;
    }
  }
  for (int step = 32; step > 0; step /= 2) {
    const int other = __shfl_xor(best, step);
    const int other_at = __shfl_xor(at, step);
    if (other > best || (other == best && other_at < at)) {
      best = other;
      at = other_at;
    }
  }
  if (t % 64 == 0) {
    values[t / 64] = best;
    places[t / 64] = at;
  }
  __syncthreads();
  if (t == 0) {
    const bool second = values[1] > values[0] || (values[1] == values[0] && places[1] < places[0]);
    value[blockIdx.x] = values[second];
    place[blockIdx.x] = places[second];
  }
}

// Float atomics: the order of the additions is free, so the last bits are.
__global__ void sum_by_key(const float* x, const int* keys, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[keys[i]], x[i]);
}

__global__ void extremes(const int* x, int* lowest, int* highest, int n) {
  __shared__ int low, high;
  if (threadIdx.x == 0) {
    low = 2147483647;
    high = -2147483647 - 1;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(&low, x[i]);
    atomicMax(&high, x[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMin(lowest, low);
    atomicMax(highest, high);
  }
}

// Whole numbers, of which any order makes the same sums. One array is fine-grained memory of the host, the other
// coarse-grained.
__global__ void host_sums(const float* x, float* fine, float* coarse, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&fine[i % 8], x[i]);
  atomicAdd(&coarse[i % 8], x[i]);
}

void run_reduce() {
  {
    const int n = 9973, blocks = 13;
    const auto x = random_floats(n);
    const Device<float> dx(x), sums(blocks, -1.0f);
    tree_sum<<<blocks, 256>>>(dx.get(), sums.get(), n);
    double total = 0.0, expected = 0.0;
    for (float sum : sums.read()) total += sum;
    for (float value : x) expected += value;
    report("tree_sum", std::fabs(total - expected) < 1e-2);
  }
  {
    const int n = 3100, blocks = blocks_for(n, 256);
    const auto x = random_floats(n);
    const Device<float> dx(x), sums(blocks, -1.0f);
    wave_sum<<<blocks, 256>>>(dx.get(), sums.get(), n);
    std::vector<double> expected(blocks);
    for (int i = 0; i < n; ++i) expected[i / 256] += x[i];
    report("wave_sum", near(sums.read(), expected, 1e-4));
  }
  {
    const int n = 6007, blocks = 9, spare = 200000;
    const auto x = random_ints(n, -1000, 3000);
    const Device<int> dx(x), total(1, -1);
    const Device<int> partials(std::vector<int>(blocks, -77), spare);
    const Device<unsigned> ticket(1, 0u);
    last_block_sum<<<blocks, 256>>>(dx.get(), partials.get(), ticket.get(), total.get(), n);
    int expected = 0;
    for (int value : x) expected += value;
    report("last_block_sum", total.read()[0] == expected && ticket.read()[0] == 0);
  }
  {
    const int rows = 21, columns = 333;
    auto x = random_ints(rows * columns, -5000, 20);  // ties are likely
    for (int row = 0; row < rows; ++row) x[row * columns + row * 15] = x[row * columns + 330 - row] = 25;
    const Device<int> dx(x), value(rows, -9), place(rows, -9);
    argmax_rows<<<rows, 128>>>(dx.get(), value.get(), place.get(), columns);
    const auto actual = value.read(), at = place.read();
    bool ok = true;
    for (int row = 0; row < rows; ++row) {
      int best = 0;
      for (int i = 1; i < columns; ++i) best = x[row * columns + i] > x[row * columns + best] ? i : best;
      ok = ok && at[row] == best && actual[row] == x[row * columns + best];
    }
    report("argmax_rows", ok);
  }
  {
    const int n = 2900, keys = 7;
    auto x = random_floats(n);
    for (float& value : x) value += 0.75f;
    const auto key = random_ints(n, 0, keys - 1);
    const Device<float> dx(x), sums(keys, 0.5f);
    const Device<int> dkey(key);
    sum_by_key<<<blocks_for(n, 256), 256>>>(dx.get(), dkey.get(), sums.get(), n);
    std::vector<double> expected(keys, 0.5);
    for (int i = 0; i < n; ++i) expected[key[i]] += x[i];
    report("sum_by_key", near(sums.read(), expected, 1e-4));
  }
  {
    const int n = 5001;
    const auto x = random_ints(n, 10, 1000000);
    const Device<int> dx(x), lowest(1, 2147483647), highest(1, 0);
    extremes<<<blocks_for(n, 256), 256>>>(dx.get(), lowest.get(), highest.get(), n);
    int low = x[0], high = x[0];
    for (int value : x) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    report("extremes", lowest.read()[0] == low && highest.read()[0] == high);
  }
  {
    const int n = 700;
    std::vector<float> x(n), expected(8, 0.0f);
    for (int i = 0; i < n; ++i) expected[i % 8] += x[i] = static_cast<float>(random_bits() % 50);
    const Device<float> dx(x);
    float *fine, *coarse;
    HIP_CHECK(hipHostMalloc(&fine, 8 * sizeof(float), hipHostMallocCoherent));
    HIP_CHECK(hipHostMalloc(&coarse, 8 * sizeof(float), hipHostMallocNonCoherent));
    std::fill_n(fine, 8, 0.0f);
    std::fill_n(coarse, 8, 0.0f);
    host_sums<<<blocks_for(n, 256), 256>>>(dx.get(), fine, coarse, n);
    HIP_CHECK(hipDeviceSynchronize());
    report("host_sums",
           std::equal(fine, fine + 8, expected.begin()) && std::equal(coarse, coarse + 8, expected.begin()));
    HIP_CHECK(hipHostFree(fine));
    HIP_CHECK(hipHostFree(coarse));
  }
}

}  // namespace planted
