#include "pgo/pass/use/block_info.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include <iterator>

namespace kernloop::pgo_pass {

namespace {

constexpr char kMetadata[] = "kernloop.pgo";
// A count of 2^64 - 1 waves or lanes never comes.
constexpr uint64_t kUnknown = UINT64_MAX;

llvm::Metadata* number(llvm::LLVMContext& context, uint64_t value) {
  return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
}

uint64_t number(const llvm::MDNode& node, unsigned operand) {
  return llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(operand))->getZExtValue();
}

std::optional<uint64_t> count_at(const llvm::MDNode& node, unsigned operand) {
  const uint64_t value = number(node, operand);
  return value == kUnknown ? std::nullopt : std::optional(value);
}

std::string text(const llvm::MDNode& node, unsigned operand) {
  return llvm::cast<llvm::MDString>(node.getOperand(operand))->getString().str();
}

}  // namespace

void attach(llvm::BasicBlock& block, const BlockInfo& info) {
  auto& context = block.getContext();
  llvm::Metadata* fields[] = {llvm::MDString::get(context, info.function),
                              number(context, info.block),
                              llvm::MDString::get(context, std::string(1, info.letter)),
                              number(context, info.lanes.value_or(kUnknown)),
                              number(context, info.waves.value_or(kUnknown)),
                              number(context, info.line),
                              llvm::MDString::get(context, info.file)};
  block.getTerminator()->setMetadata(kMetadata, llvm::MDNode::get(context, fields));
}

std::optional<BlockInfo> info_of(const llvm::BasicBlock& block) {
  const auto* terminator = block.getTerminator();
  const auto* node = terminator ? terminator->getMetadata(kMetadata) : nullptr;
  if (!node || node->getNumOperands() != 7) return std::nullopt;
  BlockInfo info;
  info.function = text(*node, 0);
  info.block = static_cast<unsigned>(number(*node, 1));
  info.letter = text(*node, 2).front();
  info.lanes = count_at(*node, 3);
  info.waves = count_at(*node, 4);
  info.line = static_cast<unsigned>(number(*node, 5));
  info.file = text(*node, 6);
  return info;
}

void find_line(const llvm::BasicBlock& block, BlockInfo& info) {
  for (const auto& instruction : block) {
    const auto& location = instruction.getDebugLoc();
    if (!location || location.getLine() == 0 || llvm::isa<llvm::PHINode>(instruction)) continue;
    info.line = location.getLine();
    info.file = location->getFilename().str();
    return;
  }
}

}  // namespace kernloop::pgo_pass
