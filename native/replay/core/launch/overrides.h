// A launch that is not the captured one: another geometry, other kernel arguments. The app never computed its result,
// so it can be measured and looked at, but is never compared. The exception is a launch that a variant's source defines
// (Triton, or a configuration of kernel.json): it must compute what the captured kernel did, in other blocks, or with a
// scalar argument that divides its work differently.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "replay/core/device/device.h"
#include "verdict/values/element_type.h"

namespace kernloop::replay {

struct ArgumentOverride {
  std::string argument;  // its name in the metadata, or its position in the parameter list, from 0
  std::string type;      // "f32", …, "ptr"; empty: as the code object or the kernel's signature tells
  std::string value;     // a number; for a pointer, its address in hex
};

struct Overrides {
  std::optional<std::array<uint32_t, 3>> grid_blocks, block_threads;
  std::optional<uint32_t> dynamic_group_bytes;  // dynamic LDS, dynamic shared memory
  std::vector<ArgumentOverride> arguments;
  bool are_of_variant = false;  // apply only to the variant, whose result is compared

  bool any() const { return grid_blocks || block_threads || dynamic_group_bytes || !arguments.empty(); }
  bool make_another_result() const { return any() && !are_of_variant; }
};

// "4,2,1", "4,2" or "4": the rest is 1. None for anything else, or for a 0.
std::optional<std::array<uint32_t, 3>> parse_extent(const std::string& text);
// "NAME=VALUE", "INDEX=VALUE", "INDEX:TYPE=VALUE".
std::optional<ArgumentOverride> parse_argument_override(const std::string& text);

// Changes `launch` of `kernel`, the hidden arguments that describe its geometry included. Returns the changes as the
// fields of an event: {"grid_blocks": {"from": [4, 1, 1], "to": [8, 1, 1]}, "arguments": […]}. ARGUMENT_UNKNOWN,
// ARGUMENT_UNTYPED, ARGUMENT_VALUE; LAUNCH_REFUSED for a geometry that no device can launch.
Result<Json> apply_overrides(const Overrides& overrides, const archive::Manifest& manifest,
                             const codeobject::Kernel& kernel, Launch& launch);

}  // namespace kernloop::replay
