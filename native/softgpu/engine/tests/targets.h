// Tests that run on each target: the same source, assembled for it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {

struct TargetCase {
  const char* name;
  Isa isa;
  unsigned lanes;  // lanes of a wave
};

inline constexpr TargetCase kTargetCases[] = {{"gfx90a", Isa::kGfx90a, 64},
                                              {"gfx1030", Isa::kGfx1030, 32},
                                              {"gfx1030_wave64", Isa::kGfx1030, 64},
                                              {"gfx942", Isa::kGfx942, 64}};

inline std::string name_of_target(const ::testing::TestParamInfo<TargetCase>& instance) {
  return instance.param.name;
}

// kernels/SOURCE.s for the target.
inline std::string code_for(const char* source, const TargetCase& target) {
  return std::string(KERNLOOP_TEST_OBJECTS) + "/" + source + "_" + target.name + ".hsaco";
}

}  // namespace kernloop::softgpu::testing
