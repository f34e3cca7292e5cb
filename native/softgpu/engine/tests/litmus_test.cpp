// Orders of stores that other threads may see, by the rules of the LLVM AMDGPU memory model ("Memory Model" in
// AMDGPUUsage). KERNLOOP_LITMUS_ROUNDS=40000 is ten million of each shape.
#include <gtest/gtest.h>

#include <cstdlib>

#include "softgpu/engine/tests/program.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kLanes = 64, kPairs = 4;

uint32_t rounds_or(uint32_t usual) {
  const char* asked = std::getenv("KERNLOOP_LITMUS_ROUNDS");
  return asked != nullptr ? static_cast<uint32_t>(std::strtoul(asked, nullptr, 10)) : usual;
}

struct Setting {
  const char* name;
  Isa isa;
  uint32_t threads;
  friend void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }
};

class Litmus : public ::testing::TestWithParam<Setting> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/litmus_" + isa_name(GetParam().isa) + ".hsaco", GetParam().isa};
  void run(const std::string& kernel, const Geometry& geometry, const Arguments& arguments) {
    const DispatchOutcome outcome = device.run(kernel, geometry, arguments, {.threads = GetParam().threads});
    ASSERT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->text();
  }
};

TEST_P(Litmus, MessagesAreNeverOlderThanTheirFlagsNorTorn) {
  Array<uint8_t> data{device.space, kPairs * kLanes * 16, "data"};
  Array<uint32_t> flags{device.space, kPairs * kLanes, "flags"}, seen{device.space, kPairs * kLanes, "seen"},
      wrong{device.space, 1, "wrong"};
  const uint32_t rounds = rounds_or(200);
  std::vector<std::string> kernels = {"pass_scalar", "pass_b32_once", "pass_b128_once"};
  for (const char* width : {"b8", "b16", "b32", "b64", "b128"}) {
    for (const char* space : {"", "_flat", "_lds"}) kernels.push_back(std::string("pass_") + width + space);
  }
  for (const std::string& kernel : kernels) {
    std::fill(data.begin(), data.end(), uint8_t{0});
    for (auto* array : {&flags, &seen, &wrong}) std::fill(array->begin(), array->end(), 0u);
    const bool of_waves = kernel.ends_with("_lds");
    // A scalar load is a wave's.
    const uint32_t items = kernel == "pass_scalar" && is_rdna(GetParam().isa) ? 32 : kLanes;
    run(kernel, of_waves ? linear(kPairs * 2 * kLanes, 2 * kLanes) : linear(kPairs * 2 * items, items),
        Arguments(data.address(), flags.address(), seen.address(), wrong.address(), rounds));
    EXPECT_EQ(wrong[0], 0u) << kernel;
    if (!of_waves) EXPECT_EQ(flags[0], rounds) << kernel;
  }
}

TEST_P(Litmus, OneOfTwoThatStoreAndLookSeesTheOther) {
  const uint32_t rounds = rounds_or(200);
  const size_t cells = size_t{kPairs} * 2 * rounds * kLanes;
  Array<uint32_t> places{device.space, cells, "places"}, saw{device.space, cells, "saw"},
      meet{device.space, kPairs * 2, "meet"};
  std::fill(places.begin(), places.end(), 0u);
  std::fill(saw.begin(), saw.end(), 2u);
  std::fill(meet.begin(), meet.end(), 0u);
  run("store_buffering", linear(kPairs * 2 * kLanes, kLanes),
      Arguments(places.address(), saw.address(), meet.address(), rounds));
  size_t neither = 0, missing = 0;
  for (size_t pair = 0; pair < kPairs; ++pair) {
    for (size_t at = 0; at < size_t{rounds} * kLanes; ++at) {
      const uint32_t one = saw[pair * 2 * rounds * kLanes + at], other = saw[(pair * 2 + 1) * rounds * kLanes + at];
      neither += one == 0 && other == 0;
      missing += one > 1 || other > 1;
    }
  }
  EXPECT_EQ(neither, 0u);
  EXPECT_EQ(missing, 0u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Litmus,
                         ::testing::Values(Setting{"gfx90a_2", Isa::kGfx90a, 2}, Setting{"gfx90a_16", Isa::kGfx90a, 16},
                                           Setting{"gfx1030_2", Isa::kGfx1030, 2}, Setting{"gfx942_2", Isa::kGfx942, 2},
                                           Setting{"gfx942_16", Isa::kGfx942, 16},
                                           Setting{"gfx1100_2", Isa::kGfx1100, 2},
                                           Setting{"gfx1100_16", Isa::kGfx1100, 16}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kernloop::softgpu::testing
