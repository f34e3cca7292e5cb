// Built with -std=c++17 (hipcc of 5.2 takes C++11 for granted). Ten kernels, each of which must leave the same bytes as
// the same computation on the host: a line a kernel, "ok" or what differs.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const hipError_t error = (call);                                                     \
    if (error != hipSuccess) {                                                           \
      std::printf("FAILED %s: %s (line %d)\n", #call, hipGetErrorName(error), __LINE__); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

namespace {

constexpr uint32_t kCount = 10'000;  // no multiple of a workgroup
constexpr uint32_t kBlock = 256;

template <typename T>
struct Device {
  explicit Device(size_t count) : count(count) { CHECK(hipMalloc(&data, count * sizeof(T))); }
  explicit Device(const std::vector<T>& from) : Device(from.size()) {
    CHECK(hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(const Device&) = delete;
  ~Device() { (void)hipFree(data); }
  std::vector<T> read() const {
    std::vector<T> host(count);
    CHECK(hipMemcpy(host.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }
  T* data = nullptr;
  size_t count;
};

bool passed = true;

template <typename T>
void compare(const char* kernel, const std::vector<T>& got, const std::vector<T>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::memcmp(&got[i], &wanted[i], sizeof(T)) == 0) continue;
    std::printf("WRONG %s: element %zu\n", kernel, i);
    passed = false;
    return;
  }
  std::printf("ok %s\n", kernel);
}

std::vector<uint32_t> numbers(uint32_t count, uint32_t seed = 1) {
  std::vector<uint32_t> result(count);
  for (uint32_t& x : result) x = seed = seed * 1664525u + 1013904223u;
  return result;
}

uint32_t blocks(uint32_t count) {
  return (count + kBlock - 1) / kBlock;
}

__device__ uint32_t global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

}  // namespace

__global__ void saxpy(const float* x, float* y, float a, uint32_t n) {
  const uint32_t i = global_index();
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

// HIP since 6.0 copies to these by a kernel.
__constant__ uint32_t weights[64];
__global__ void weigh(const uint32_t* in, uint32_t* out, uint32_t n) {
  const uint32_t i = global_index();
  if (i < n) out[i] = in[i] * weights[i % 64];
}

__global__ void histogram(const uint32_t* in, uint32_t* bins, uint32_t n) {
  __shared__ uint32_t own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t i = global_index();
  if (i < n) atomicAdd(&own[in[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A sum within each wave, by shuffles.
__global__ void wave_sums(const uint32_t* in, uint32_t* out) {
  uint32_t sum = in[global_index()];
  for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) sum += __shfl_xor(sum, lanes);
  out[global_index()] = sum;
}

__global__ void transpose(const uint32_t* in, uint32_t* out, uint32_t side) {
  __shared__ uint32_t tile[16][17];
  const uint32_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * side + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * side + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void collatz(const uint32_t* in, uint32_t* out, uint32_t n) {
  const uint32_t i = global_index();
  if (i >= n) return;
  uint64_t x = in[i] % 10'000 + 1;
  uint32_t steps = 0;
  for (; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  out[i] = steps;
}

__device__ double last_total = 0;
__global__ void square_roots(const double* in, double* out, uint32_t n) {
  const uint32_t i = global_index();
  if (i < n) out[i] = sqrt(in[i]) / 3.0;
  if (i == 0) last_total = in[0] + 1;
}

// Private memory that is indexed by what the data say.
__global__ void shuffle_private(const uint32_t* in, uint32_t* out, uint32_t n) {
  const uint32_t i = global_index();
  if (i >= n) return;
  uint32_t own[16];
  for (uint32_t k = 0; k < 16; ++k) own[k] = in[i] + k * k;
  for (uint32_t k = 0; k < 16; ++k) {
    const uint32_t other = own[k] % 16, kept = own[k];
    own[k] = own[other];
    own[other] = kept;
  }
  uint32_t hash = 0;
  for (uint32_t k = 0; k < 16; ++k) hash = hash * 31 + own[k];
  out[i] = hash;
}

// Workgroups one after the other: each takes a ticket, and the last one adds up what all have left.
__global__ void last_block_sum(const uint32_t* in, uint32_t* partial, uint32_t* ticket, uint32_t* total, uint32_t n) {
  __shared__ uint32_t own;
  __shared__ bool is_last;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  const uint32_t i = global_index();
  if (i < n) atomicAdd(&own, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    __threadfence();
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  uint32_t sum = 0;
  for (uint32_t b = 0; b < gridDim.x; ++b)
    sum += __hip_atomic_load(&partial[b], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  *total = sum;
}

__global__ void add_one(uint32_t* data, uint32_t n) {
  const uint32_t i = global_index();
  if (i < n) data[i] += 1;
}

int main() {
  hipDeviceProp_t device;
  CHECK(hipGetDeviceProperties(&device, 0));
  int version = 0;
  CHECK(hipRuntimeGetVersion(&version));
  std::printf("HIP %d.%d on %s\n", version / 10'000'000, version / 100'000 % 100, device.gcnArchName);
  const std::vector<uint32_t> input = numbers(kCount);
  const Device<uint32_t> in(input);

  {
    std::vector<float> x(kCount), y(kCount), wanted(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      x[i] = static_cast<float>(input[i]) * 0x1p-20f;
      y[i] = 1.f / static_cast<float>(i + 1);
      wanted[i] = std::fma(2.5f, x[i], y[i]);
    }
    Device<float> dx(x), dy(y);
    saxpy<<<blocks(kCount), kBlock>>>(dx.data, dy.data, 2.5f, kCount);
    compare("saxpy", dy.read(), wanted);
  }
  {
    std::vector<uint32_t> table = numbers(64, 7), wanted(kCount);
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), table.data(), 64 * sizeof(uint32_t)));
    for (uint32_t i = 0; i < kCount; ++i) wanted[i] = input[i] * table[i % 64];
    Device<uint32_t> out(kCount);
    weigh<<<blocks(kCount), kBlock>>>(in.data, out.data, kCount);
    compare("weigh", out.read(), wanted);
  }
  {
    std::vector<uint32_t> wanted(64);
    for (uint32_t value : input) ++wanted[value % 64];
    Device<uint32_t> bins(64);
    CHECK(hipMemset(bins.data, 0, 64 * sizeof(uint32_t)));
    histogram<<<blocks(kCount), kBlock>>>(in.data, bins.data, kCount);
    compare("histogram", bins.read(), wanted);
  }
  {
    const uint32_t count = kCount / kBlock * kBlock, lanes = static_cast<uint32_t>(device.warpSize);
    std::vector<uint32_t> wanted(count);
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t k = 0; k < lanes; ++k) wanted[i] += input[i / lanes * lanes + k];
    }
    Device<uint32_t> out(count);
    wave_sums<<<count / kBlock, kBlock>>>(in.data, out.data);
    compare("wave_sums", out.read(), wanted);
  }
  {
    constexpr uint32_t side = 96;
    std::vector<uint32_t> wanted(side * side);
    for (uint32_t y = 0; y < side; ++y) {
      for (uint32_t x = 0; x < side; ++x) wanted[x * side + y] = input[y * side + x];
    }
    Device<uint32_t> out(side * side);
    transpose<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(in.data, out.data, side);
    compare("transpose", out.read(), wanted);
  }
  {
    std::vector<uint32_t> wanted(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      for (uint64_t x = input[i] % 10'000 + 1; x != 1; ++wanted[i]) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
    Device<uint32_t> out(kCount);
    collatz<<<blocks(kCount), kBlock>>>(in.data, out.data, kCount);
    compare("collatz", out.read(), wanted);
  }
  {
    std::vector<double> values(kCount), wanted(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      values[i] = input[i];
      wanted[i] = std::sqrt(values[i]) / 3.0;
    }
    Device<double> x(values), out(kCount);
    square_roots<<<blocks(kCount), kBlock>>>(x.data, out.data, kCount);
    wanted.push_back(values[0] + 1);
    std::vector<double> got = out.read();
    got.resize(kCount + 1);
    CHECK(hipMemcpyFromSymbol(&got[kCount], HIP_SYMBOL(last_total), sizeof(double)));
    compare("square_roots", got, wanted);
  }
  {
    std::vector<uint32_t> wanted(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      uint32_t own[16];
      for (uint32_t k = 0; k < 16; ++k) own[k] = input[i] + k * k;
      for (uint32_t k = 0; k < 16; ++k) {
        const uint32_t other = own[k] % 16, kept = own[k];
        own[k] = own[other];
        own[other] = kept;
      }
      for (uint32_t k = 0; k < 16; ++k) wanted[i] = wanted[i] * 31 + own[k];
    }
    Device<uint32_t> out(kCount);
    shuffle_private<<<blocks(kCount), kBlock>>>(in.data, out.data, kCount);
    compare("shuffle_private", out.read(), wanted);
  }
  {
    std::vector<uint32_t> wanted(1);
    for (uint32_t value : input) wanted[0] += value;
    Device<uint32_t> partial(blocks(kCount)), ticket(1), total(1);
    CHECK(hipMemset(ticket.data, 0, sizeof(uint32_t)));
    last_block_sum<<<blocks(kCount), kBlock>>>(in.data, partial.data, ticket.data, total.data, kCount);
    compare("last_block_sum", total.read(), wanted);
  }
  {
    // A graph of copies and kernels, recorded from a stream and launched three times, with an event behind each.
    std::vector<uint32_t> wanted = input, got(kCount);
    for (uint32_t& value : wanted) value += 2 * 3;
    Device<uint32_t> data(input);
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t run;
    hipEvent_t done;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipEventCreate(&done));
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    add_one<<<blocks(kCount), kBlock, 0, stream>>>(data.data, kCount);
    add_one<<<blocks(kCount), kBlock, 0, stream>>>(data.data, kCount);
    CHECK(hipMemcpyAsync(got.data(), data.data, kCount * sizeof(uint32_t), hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamEndCapture(stream, &graph));
    CHECK(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 3; ++i) {
      CHECK(hipGraphLaunch(run, stream));
      CHECK(hipEventRecord(done, stream));
      CHECK(hipEventSynchronize(done));
    }
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipGraphExecDestroy(run));
    CHECK(hipGraphDestroy(graph));
    CHECK(hipEventDestroy(done));
    CHECK(hipStreamDestroy(stream));
    compare("add_one in a graph", got, wanted);
  }
  return passed ? 0 : 1;
}
