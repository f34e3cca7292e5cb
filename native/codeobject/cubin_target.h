// The architecture of a cubin: "sm_90", "sm_90a".
#pragma once

#include <cstdint>
#include <string>

#include "elf/image.h"

namespace kernloop::codeobject::cubin {

struct Target {
  uint32_t architecture = 0;  // 10 * major + minor of the compute capability
  // Code for this one architecture alone (suffix a). The suffix f is not recorded: code for a family loads on every
  // device that loads plain code of its architecture.
  bool specific = false;
  std::string name() const;
};

// Throws Malformed for an unknown encoding or architecture.
Target read_target(const elf::Image& image);

// Whether a cubin for `built` loads on a device of `device` ("sm_90"): the same major version, no newer minor one. Code
// for one architecture alone and code for Tegra only on its own.
bool target_fits(std::string_view built, std::string_view device);

}  // namespace kernloop::codeobject::cubin
