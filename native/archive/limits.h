// What a capture may be, of those bounds that whoever makes one has to keep as well.
#pragma once

#include <cstdint>

namespace kernloop::archive {

inline constexpr uint64_t kMaxCodeObjectBytes = uint64_t{4} << 30;

}  // namespace kernloop::archive
