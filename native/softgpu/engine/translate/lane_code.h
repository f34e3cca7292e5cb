// The lane arithmetic of the vector rows as LLVM bitcode, which the build embeds if it has a clang; else empty.
#pragma once

#include <span>

namespace kernloop::softgpu {

std::span<const char> lane_code();
// The major version of the LLVM that made it: the oldest one that reads it for certain.
unsigned lane_code_llvm();

}  // namespace kernloop::softgpu
