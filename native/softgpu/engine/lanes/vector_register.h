// A vector register: one dword a lane.
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

inline constexpr unsigned kLanes = 64;
using VectorRegister = uint32_t[kLanes];

}  // namespace kernloop::softgpu
