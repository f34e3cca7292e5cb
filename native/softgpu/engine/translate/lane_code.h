// The lane arithmetic of the vector rows as LLVM bitcode, which the build embeds if it has a clang; else empty.
#pragma once

#include <span>

namespace kernloop::softgpu {

std::span<const char> lane_code();

}  // namespace kernloop::softgpu
