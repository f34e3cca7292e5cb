// Bounds of a capture that its makers have to keep as well as its readers.
#pragma once

#include <cstdint>

namespace kernloop::archive {

inline constexpr uint64_t kMaxCodeObjectBytes = uint64_t{4} << 30;
inline constexpr uint64_t kMaxCodeBytes = uint64_t{16} << 30;  // of all code objects together
// Regions and variables together are in one process when they are captured, and when they are replayed.
inline constexpr uint64_t kMaxMemoryBytes = uint64_t{1} << 48;

}  // namespace kernloop::archive
