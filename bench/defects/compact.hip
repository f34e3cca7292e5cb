#include <algorithm>

#include "planted.h"

namespace planted {

// Counted in LDS first.
__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[x[i] / 4], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

struct Record {
  int id;
  float value;
  int tag;
};

// Records that are larger than the threshold, in any order.
__global__ void compact_records(const float* x, float threshold, Record* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > threshold) {
    const int place = atomicAdd(count, 1);
    out[place].id = i;
    out[place].value = x[i];
    out[place].tag = i % 7 * 1000 + 3;
  }
}

// Keys with an even value, and what belongs to them, in any order.
__global__ void compact_pairs(const int* keys, const int* values, int* out_keys, int* out_values, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = keys[i];
  if (key % 2 == 0) {
    const int place = atomicAdd(count, 1);
    out_keys[place] = key;
    out_values[place] = values[i];
  }
}

// One bit an element.
__global__ void ballot_bits(const float* x, float threshold, unsigned long long* bits, int* ones, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool set = i < n && x[i] > threshold;
  const unsigned long long word = __ballot(set);
  if (i % 64 == 0 && i < n) {
    bits[i / 64] = word;
    ones[i / 64] = __popcll(word);
  }
}

// In order within a block, whose places begin at its offset: ranks by ballot within a wave, then over the waves.
__global__ void compact_ordered(const int* x, const int* offsets, int* out, int n) {
  __shared__ int counts[4];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const bool keep = i < n && x[i] % 3 != 0;
  const unsigned long long word = __ballot(keep);
  const int lane = t % 64;
  const int rank = __popcll(word & ((1ull << lane) - 1));
  if (lane == 0) counts[t / 64] = __popcll(word);
  __syncthreads();
  int place = offsets[blockIdx.x] + rank;
  for (int wave = 0; wave < t / 64; ++wave) place += counts[wave];
  if (keep) out[place] = x[i];
}

void run_compact() {
  const int n = 3011;
  const auto x = random_floats(n);
  const auto integers = random_ints(n, 1, 60000);
  const Device<float> dx(x);
  const Device<int> dintegers(integers);
  {
    std::vector<unsigned char> bytes(n);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random_bits() % 256);
    const Device<unsigned char> dbytes(bytes);
    const Device<unsigned> bins(64, 7u);
    histogram<<<5, 256>>>(dbytes.get(), bins.get(), n);
    std::vector<unsigned> expected(64, 7u);
    for (auto byte : bytes) ++expected[byte / 4];
    report("histogram", bins.read() == expected);
  }
  {
    const Device<Record> out(n, Record{-1, -1.0f, -1});
    const Device<int> count(1, 0);
    compact_records<<<blocks_for(n, 256), 256>>>(dx.get(), 0.1f, out.get(), count.get(), n);
    const auto records = out.read();
    bool ok = count.read()[0] == std::count_if(x.begin(), x.end(), [](float value) { return value > 0.1f; });
    for (int i = 0; i < count.read()[0]; ++i) ok = ok && x[records[i].id] == records[i].value;
    report("compact_records", ok);
  }
  {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = i * 10 + 1;
    const Device<int> dvalues(values), out_keys(n, -1), out_values(n, -1), count(1, 0);
    compact_pairs<<<blocks_for(n, 256), 256>>>(dintegers.get(), dvalues.get(), out_keys.get(), out_values.get(),
                                               count.get(), n);
    const auto key = out_keys.read(), value = out_values.read();
    const int found = count.read()[0];
    bool ok = found > n / 3;
    for (int i = 0; i < found; ++i) ok = ok && integers[value[i] / 10] == key[i];
    report("compact_pairs", ok);
  }
  {
    const int words = blocks_for(n, 64);
    const Device<unsigned long long> bits(words, 0x5555555555555555ull);
    const Device<int> ones(words, -1);
    ballot_bits<<<blocks_for(n, 256), 256>>>(dx.get(), 0.2f, bits.get(), ones.get(), n);
    const auto actual = bits.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && (actual[i / 64] >> (i % 64) & 1) == (x[i] > 0.2f);
    report("ballot_bits", ok);
  }
  {
    const int blocks = blocks_for(n, 256);
    std::vector<int> expected, offsets(blocks);
    for (int i = 0; i < n; ++i) {
      if (i % 256 == 0) offsets[i / 256] = static_cast<int>(expected.size());
      if (integers[i] % 3 != 0) expected.push_back(integers[i]);
    }
    const Device<int> doffsets(offsets), out(n, -1);
    compact_ordered<<<blocks, 256>>>(dintegers.get(), doffsets.get(), out.get(), n);
    auto actual = out.read();
    actual.resize(expected.size());
    report("compact_ordered", actual == expected);
  }
}

}  // namespace planted
