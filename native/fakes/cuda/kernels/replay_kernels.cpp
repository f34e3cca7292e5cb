// The kernels of replay/test/data/replay_kernels.cu, on the host. Parameter offsets are those of the cubin.
#include <cmath>
#include <cstdio>
#include <limits>

#include "fakes/cuda/kernels/leftovers.h"
#include "fakes/cuda/work/gpu.h"

namespace kernloop::cuda::fake {
namespace {

CUdeviceptr float_at(CUdeviceptr base, uint64_t index) {
  return base + index * sizeof(float);
}

float as_float(uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// The variant `lens` has a count, an address and an offset behind its own parameters.
void count_for_lens(Gpu& gpu) {
  const CUdeviceptr lanes = gpu.variable("lens_lanes");
  if (!lanes) return;
  const auto step = gpu.read<uint32_t>(gpu.variable("lens_step"));
  const auto count = gpu.parameter<uint32_t>(20);
  const CUdeviceptr seen = gpu.parameter<CUdeviceptr>(24) + 8 * gpu.parameter<uint64_t>(32);
  const auto add = [&](CUdeviceptr at, uint64_t value) { gpu.write(at, gpu.read<uint64_t>(at) + value); };
  for (uint64_t i = 0; i < gpu.threads(); ++i) {
    add(lanes + 8 * (i % 4), step);
    if (i < count) add(seen + 8 * i, i + 1);
  }
}

void fill(Gpu& gpu) {
  count_for_lens(gpu);
  const auto out = gpu.parameter<CUdeviceptr>(0), in = gpu.parameter<CUdeviceptr>(8);
  uint64_t count = std::min<uint64_t>(static_cast<uint64_t>(gpu.parameter<int>(16)), gpu.threads());
  const CUdeviceptr table = gpu.variable("c_tab"), big = gpu.variable("d_big"), counter = gpu.variable("d_counter");
  if (gpu.has_variable("variant_do_nothing")) return;
  if (const CUdeviceptr calls = gpu.variable("variant_first_only")) {
    if (gpu.read<int32_t>(calls) > static_cast<int32_t>(gpu.threads())) count /= 2;
    gpu.write(calls, gpu.read<int32_t>(calls) + static_cast<int32_t>(gpu.threads()));
  }
  while (gpu.has_variable("variant_spin")) gpu.wait_a_little();
  if (gpu.has_variable("variant_prints")) {
    std::printf("out of the kernel\n");
    std::fflush(stdout);
  }
  float unwritten = 0;
  if (gpu.has_variable("variant_unwritten_shared")) unwritten = std::fmax(0.0f, as_float(left_in_shared_memory()));
  if (gpu.has_variable("variant_unwritten_local")) unwritten = as_float(left_in_local_memory());
  const auto is_filled = [](uint32_t word) { return (word & 0x7fffff00) == 0x5a5a5a00; };
  const bool looks_at_shared = gpu.has_variable("variant_filled_shared");
  const bool looks_at_local = gpu.has_variable("variant_filled_local");
  if ((looks_at_shared && (!is_filled(left_in_shared_memory()) || !is_filled(left_in_reserved_memory()))) ||
      (looks_at_local && !is_filled(left_in_local_memory())))
    gpu.write(counter, gpu.read<int32_t>(counter) + 1000);
  if (gpu.has_variable("variant_wild")) gpu.write(0x4400000000, 1.0f);
  if (gpu.has_variable("variant_beyond")) gpu.write(float_at(out, count), uint8_t{0});
  for (uint64_t i = 0; i < count; ++i) {
    const float product = gpu.read<float>(float_at(in, i)) * gpu.read<float>(float_at(table, i % 4));
    float value = product + gpu.read<float>(float_at(big, i % 8)) + unwritten;
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
