// Indexed profiles (.profdata): versions 11 to 13 of LLVM 22, and the RFC's version 14, whose records carry one bit of
// uniformity a counter.
#pragma once

#include "base/result.h"
#include "pgo/format/bytes.h"
#include "pgo/format/profile.h"

namespace kernloop::pgo {

inline constexpr uint64_t kIndexedMagic = 0x8169666f72706cff;  // "\xfflprofi\x81"
inline constexpr uint64_t kIndexedUniformVersion = 14;

bool is_indexed(Bytes file);
Result<Profile> read_indexed(Bytes file, const std::string& what);

}  // namespace kernloop::pgo
