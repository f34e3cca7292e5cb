#include "pgo/pass/use/block_marks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include <map>

#include "pgo/pass/use/block_info.h"

namespace kernloop::pgo_pass {

namespace {

constexpr char kMark[] = "kernloop.pgo.mark";

std::optional<uint64_t> mark_of(const llvm::BasicBlock& block) {
  const auto* node = block.getTerminator()->getMetadata(kMark);
  if (!node) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue();
}

void add_to(std::optional<uint64_t>& sum, const std::optional<uint64_t>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

}  // namespace

BlockMarks::BlockMarks(llvm::Module& module) {
  auto* type = llvm::Type::getInt64Ty(module.getContext());
  for (auto& function : module) {
    for (auto& block : function) {
      auto* number = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, blocks_.size()));
      block.getTerminator()->setMetadata(kMark, llvm::MDNode::get(module.getContext(), number));
      blocks_.push_back(&block);
    }
  }
}

void BlockMarks::attach_all(const std::vector<ProfiledFunction>& of_clone) {
  std::map<uint64_t, BlockInfo> found;
  for (const auto& function : of_clone) {
    if (!function.found) continue;
    for (const auto& block : function.blocks) {
      const auto mark = block.original ? mark_of(*block.original) : std::nullopt;
      if (!mark) continue;
      const auto [entry, is_new] = found.emplace(*mark, block.info);
      if (is_new) continue;
      add_to(entry->second.lanes, block.info.lanes);
      add_to(entry->second.waves, block.info.waves);
      if (entry->second.function != block.info.function) entry->second.waves = std::nullopt;
    }
  }
  for (const auto& [mark, info] : found)
    if (info.waves) attach(*blocks_[mark], info);
}

void BlockMarks::remove() {
  for (auto* block : blocks_) block->getTerminator()->setMetadata(kMark, nullptr);
}

}  // namespace kernloop::pgo_pass
