// Bounds of a capture that its makers have to keep as well as its readers.
#pragma once

#include <cstdint>

namespace kernloop::archive {

inline constexpr uint64_t kMaxCodeObjectBytes = uint64_t{4} << 30;

}  // namespace kernloop::archive
