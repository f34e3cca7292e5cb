// Profile data of a block, carried from instrumentation to code generation on the block's terminator (metadata
// !kernloop.pgo), because blocks are merged, copied and reordered on the way.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kernloop::pgo_pass {

struct BlockInfo {
  std::string function;  // the block's origin, by its name in the profile: code may have been inlined
  unsigned block = 0;    // its number in that function at the point of instrumentation
  char letter = '?';     // U, D, or not known
  std::optional<uint64_t> lanes, waves;
  unsigned line = 0;  // 0: no debug information
  std::string file;
};

void attach(llvm::BasicBlock& block, const BlockInfo& info);
std::optional<BlockInfo> info_of(const llvm::BasicBlock& block);

// Sets line and file from the first instruction that has them.
void find_line(const llvm::BasicBlock& block, BlockInfo& info);

}  // namespace kernloop::pgo_pass
