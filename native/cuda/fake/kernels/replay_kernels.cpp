// What the kernels of replay/test/data/replay_kernels.cu do, on the host. Parameter offsets are those of the cubin.
#include <cmath>
#include <cstdio>
#include <limits>

#include "cuda/fake/gpu.h"

namespace kernloop::cuda::fake {
namespace {

CUdeviceptr float_at(CUdeviceptr base, uint64_t index) {
  return base + index * sizeof(float);
}

void fill(Gpu& gpu) {
  const auto out = gpu.parameter<CUdeviceptr>(0), in = gpu.parameter<CUdeviceptr>(8);
  const uint64_t count = std::min<uint64_t>(static_cast<uint64_t>(gpu.parameter<int>(16)), gpu.threads());
  const CUdeviceptr table = gpu.variable("c_tab"), big = gpu.variable("d_big"), counter = gpu.variable("d_counter");
  if (gpu.has_variable("variant_do_nothing")) return;
  while (gpu.has_variable("variant_spin")) gpu.wait_a_little();
  if (gpu.has_variable("variant_prints")) {
    std::printf("out of the kernel\n");
    std::fflush(stdout);
  }
  if (gpu.has_variable("variant_wild")) gpu.write(0x4400000000, 1.0f);
  if (gpu.has_variable("variant_beyond")) gpu.write(float_at(out, count), uint8_t{0});
  for (uint64_t i = 0; i < count; ++i) {
    const float product = gpu.read<float>(float_at(in, i)) * gpu.read<float>(float_at(table, i % 4));
    float value = product + gpu.read<float>(float_at(big, i % 8));
    if (i == 37 && gpu.has_variable("variant_wrong_ulp"))
      value = std::nextafter(value, std::numeric_limits<float>::infinity());
    gpu.write(float_at(out, i), value);
  }
  gpu.write(counter, gpu.read<int32_t>(counter) + 1);
}
const KernelCode kFill("replay_fill", fill);

// The eighth word is the fake's alone: on hardware a kernel cannot tell.
void shape(Gpu& gpu) {
  const auto out = gpu.parameter<CUdeviceptr>(0);
  const LaunchShape& s = gpu.shape();
  const uint32_t words[] = {s.grid[0],    s.grid[1],   s.grid[2], s.block[0], s.dynamic_shared_bytes,
                            s.cluster[0], s.cluster[1]};
  for (size_t i = 0; i < std::size(words); ++i) gpu.write(out + 4 * i, words[i]);
  if (s.cooperative) gpu.write(out + 4 * std::size(words), uint32_t{1});
}
const KernelCode kShape("replay_shape", shape);

}  // namespace
}  // namespace kernloop::cuda::fake
