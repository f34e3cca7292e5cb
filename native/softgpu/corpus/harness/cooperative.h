// Cooperative launches. HIP 5.2 has them for host functions only, so the code object is registered as compiled host
// code registers its own.
#pragma once

#include "softgpu/corpus/harness/device.h"

namespace kernloop::softgpu::corpus {

void launch_cooperative_with(const std::string& theme, const std::string& name, const Shape& shape, void** arguments);

template <typename... Arguments>
void launch_cooperative(const std::string& theme, const std::string& name, const Shape& shape, Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  launch_cooperative_with(theme, name, shape, pointers);
}

}  // namespace kernloop::softgpu::corpus
