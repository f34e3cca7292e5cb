// Offload bundles as clang compresses them (--offload-compress, the default of some ROCm libraries).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"

namespace kernloop::codeobject {

inline constexpr std::string_view kCompressedMagic = "CCOB";

struct DecompressedBundle {
  std::shared_ptr<const std::vector<uint8_t>> bytes;  // an offload bundle
  uint64_t compressed_bytes;                          // from the magic on
};

// The bundle that begins with the magic at the start of `bytes`, of at most `limit_bytes` decompressed. Source of the
// layout: LLVM's OffloadBundler.cpp, versions 2 and 3.
Result<DecompressedBundle> decompress_bundle(Bytes bytes, uint64_t limit_bytes, const std::string& what);

}  // namespace kernloop::codeobject
