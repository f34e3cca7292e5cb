// The kernels of test_kernels.cu, on the host. Parameter offsets are those of the cubin.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "fakes/cuda/work/gpu.h"

namespace kernloop::cuda::fake {
namespace {

// Variants of the code object carry a variable of that name.
bool idle(const Gpu& gpu) {
  return gpu.has_variable("fake_does_nothing");
}

float result(const Gpu& gpu, float value) {
  if (!gpu.has_variable("fake_is_one_ulp_wrong")) return value;
  return std::nextafter(value, std::numeric_limits<float>::infinity());
}

CUdeviceptr element(CUdeviceptr base, uint64_t index) {
  return base + index * sizeof(float);
}

// Calls each(i) for the threads of a row of blocks, as far as they have an element.
template <typename Each>
void for_elements(const Gpu& gpu, int n, Each each) {
  const uint64_t threads = uint64_t{gpu.shape().grid[0]} * gpu.shape().block[0];
  const uint64_t elements = std::min<uint64_t>(threads, static_cast<uint64_t>(std::max(n, 0)));
  for (uint64_t i = 0; i < elements; ++i) each(i);
}

void saxpy(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto a = gpu.parameter<float>(0);
  const auto x = gpu.parameter<CUdeviceptr>(8), y = gpu.parameter<CUdeviceptr>(16);
  for_elements(gpu, gpu.parameter<int>(24), [&](uint64_t i) {
    const float sum = a * gpu.read<float>(element(x, i)) + gpu.read<float>(element(y, i));
    gpu.write(element(y, i), result(gpu, sum));
  });
}
const KernelCode kSaxpy("_Z5saxpyfPKfPfi", saxpy);

void batched(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto in = gpu.parameter<CUdeviceptr>(0), out = gpu.parameter<CUdeviceptr>(8);
  const auto batches = std::min(static_cast<uint32_t>(gpu.parameter<int>(20)), gpu.shape().grid[1]);
  for (uint32_t batch = 0; batch < batches; ++batch) {
    const auto from = gpu.read<CUdeviceptr>(in + 8 * batch), to = gpu.read<CUdeviceptr>(out + 8 * batch);
    for_elements(gpu, gpu.parameter<int>(16),
                 [&](uint64_t i) { gpu.write(element(to, i), result(gpu, gpu.read<float>(element(from, i)) * 2.0f)); });
  }
}
const KernelCode kBatched("_Z7batchedPPfS0_ii", batched);

void scale_and_bias(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto in = gpu.parameter<CUdeviceptr>(0), out = gpu.parameter<CUdeviceptr>(8);
  const CUdeviceptr scale = gpu.variable("kScale"), bias = gpu.variable("gBias");
  for_elements(gpu, gpu.parameter<int>(16), [&](uint64_t i) {
    const float scaled = gpu.read<float>(element(in, i)) * gpu.read<float>(element(scale, i & 3));
    gpu.write(element(out, i), result(gpu, scaled + gpu.read<float>(element(bias, i & 255))));
  });
}
const KernelCode kScaleAndBias("_Z14scale_and_biasPKfPfi", scale_and_bias);

void add_in_place(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto x = gpu.parameter<CUdeviceptr>(0);
  const auto value = gpu.parameter<float>(8);
  for_elements(gpu, gpu.parameter<int>(12),
               [&](uint64_t i) { gpu.write(element(x, i), result(gpu, gpu.read<float>(element(x, i)) + value)); });
}
const KernelCode kAddInPlace("_Z12add_in_placePffi", add_in_place);

// In another order at each launch, as atomics are.
void atomic_sum(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto x = gpu.parameter<CUdeviceptr>(0), sum = gpu.parameter<CUdeviceptr>(8);
  std::vector<uint64_t> order;
  for_elements(gpu, gpu.parameter<int>(16), [&](uint64_t i) { order.push_back(i); });
  std::mt19937_64 random(gpu.seed());
  std::shuffle(order.begin(), order.end(), random);
  for (uint64_t i : order) gpu.write(sum, gpu.read<float>(sum) + gpu.read<float>(element(x, i)));
}
const KernelCode kAtomicSum("_Z10atomic_sumPKfPfi", atomic_sum);

void write_through_memory(Gpu& gpu) {
  if (idle(gpu)) return;
  gpu.write(gpu.read<CUdeviceptr>(gpu.parameter<CUdeviceptr>(0)), result(gpu, gpu.parameter<float>(8)));
}
const KernelCode kWriteThroughMemory("_Z20write_through_memoryPPff", write_through_memory);

void wait_for_flag(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto wanted = gpu.parameter<uint32_t>(8);
  while (gpu.read_volatile(gpu.parameter<CUdeviceptr>(0)) != wanted) gpu.wait_a_little();
  gpu.write(gpu.parameter<CUdeviceptr>(16), wanted);
}
const KernelCode kWaitForFlag("_Z13wait_for_flagPVjjPj", wait_for_flag);

void set_flag(Gpu& gpu) {
  if (!idle(gpu)) gpu.write(gpu.parameter<CUdeviceptr>(0), gpu.parameter<uint32_t>(8));
}
const KernelCode kSetFlag("_Z8set_flagPjj", set_flag);

void wild_write(Gpu& gpu) {
  if (!idle(gpu)) gpu.write(gpu.parameter<CUdeviceptr>(0), gpu.parameter<uint32_t>(8));
}
const KernelCode kWildWrite("_Z10wild_writeyj", wild_write);

void do_nothing(Gpu&) {}
const KernelCode kDoNothing("_Z10do_nothingPf", do_nothing);

void large_parameters(Gpu& gpu) {
  if (idle(gpu)) return;
  constexpr size_t kEntries = 1536, kTableBytes = kEntries * sizeof(float);
  const auto out = gpu.parameter<CUdeviceptr>(kTableBytes);
  for_elements(gpu, gpu.parameter<int>(kTableBytes + 8), [&](uint64_t i) {
    gpu.write(element(out, i), result(gpu, gpu.parameter<float>(i % kEntries * sizeof(float))));
  });
}
const KernelCode kLargeParameters("_Z16large_parameters10LargeTablePfi", large_parameters);

void count_launches(Gpu& gpu) {
  if (idle(gpu)) return;
  const CUdeviceptr launches = gpu.variable("gLaunches");
  gpu.write(launches, gpu.read<uint32_t>(launches) + 1);
  gpu.write(gpu.parameter<CUdeviceptr>(0), gpu.read<uint32_t>(launches));
}
const KernelCode kCountLaunches("_Z14count_launchesPj", count_launches);

// Copies the map's memory.
void read_tensor(Gpu& gpu) {
  if (idle(gpu)) return;
  const CUdeviceptr tensor = gpu.tensor_address(gpu.parameter<CUtensorMap>(0));
  const auto out = gpu.parameter<CUdeviceptr>(128);
  for_elements(gpu, gpu.parameter<int>(136),
               [&](uint64_t i) { gpu.write(element(out, i), result(gpu, gpu.read<float>(element(tensor, i)))); });
}
const KernelCode kReadTensor("_Z11read_tensor9TensorMapPfi", read_tensor);

void read_texture(Gpu& gpu) {
  if (idle(gpu)) return;
  const CUdeviceptr texels = gpu.texture_address(gpu.parameter<CUtexObject>(0));
  const auto out = gpu.parameter<CUdeviceptr>(8);
  for_elements(gpu, gpu.parameter<int>(16),
               [&](uint64_t i) { gpu.write(element(out, i), gpu.read<float>(element(texels, i))); });
}
const KernelCode kReadTexture("_Z12read_textureyPfi", read_texture);

void cluster_size(Gpu& gpu) {
  if (idle(gpu)) return;
  const uint32_t* cluster = gpu.shape().cluster;
  for (uint64_t block = 0; block < gpu.blocks(); ++block) {
    gpu.write(gpu.parameter<CUdeviceptr>(0) + 4 * block, cluster[0] * cluster[1] * cluster[2]);
  }
}
const KernelCode kClusterSize("_Z12cluster_sizePj", cluster_size);

void all_reduce(Gpu& gpu) {
  if (idle(gpu)) return;
  const auto x = gpu.parameter<CUdeviceptr>(0);
  for_elements(gpu, gpu.parameter<int>(8),
               [&](uint64_t i) { gpu.write(element(x, i), result(gpu, gpu.read<float>(element(x, i)) * 2.0f)); });
}
const KernelCode kAllReduce("ncclDevKernel_AllReduce_Sum_f32", all_reduce);

}  // namespace
}  // namespace kernloop::cuda::fake
