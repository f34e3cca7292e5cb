#include "codeobject/cubin_code.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/malformed.h"

namespace kernloop::codeobject::cubin {

namespace {

constexpr size_t kInstructionBytes = 16;
constexpr uint32_t kOperationMask = 0x1ff;
// TEX, TLD4, TLD, TMML, TXD, TXQ, each with the handle in a constant bank and in a register.
constexpr std::array kTextureOperations = {0x160, 0x161, 0x163, 0x164, 0x166, 0x167,
                                           0x169, 0x16a, 0x16c, 0x16d, 0x16f, 0x170};
constexpr uint32_t kFirstSurfaceOperation = 0x199, kLastSurfaceOperation = 0x1a0;  // SULD, SUST, SURED

uint32_t word_at(Bytes bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::optional<ImageUse> find_image_instructions(Bytes text, uint32_t architecture) {
  if (architecture < 70 || architecture > 121) return std::nullopt;
  ImageUse use;
  for (size_t at = 0; at + kInstructionBytes <= text.size(); at += kInstructionBytes) {
    const uint32_t operation = word_at(text, at) & kOperationMask;
    use.textures |= std::find(kTextureOperations.begin(), kTextureOperations.end(), static_cast<int>(operation)) !=
                    kTextureOperations.end();
    use.surfaces |= operation >= kFirstSurfaceOperation && operation <= kLastSurfaceOperation;
  }
  return use;
}

std::set<uint32_t> CallGraph::reachable(uint32_t function, uint64_t& steps) const {
  std::set<uint32_t> found = {function};
  std::vector<uint32_t> next = {function};
  const auto add = [&](const std::set<uint32_t>& more) {
    if (more.size() > steps) throw Malformed{"its call graph is impossibly large"};
    steps -= more.size();
    for (uint32_t callee : more) {
      if (found.insert(callee).second) next.push_back(callee);
    }
  };
  while (!next.empty()) {
    const uint32_t caller = next.back();
    next.pop_back();
    if (const auto called = calls.find(caller); called != calls.end()) add(called->second);
    if (indirect_callers.contains(caller)) add(address_taken);
  }
  return found;
}

CallGraph read_call_graph(const elf::Image& image) {
  CallGraph graph;
  const elf::Section* section = image.section(".nv.callgraph");
  if (!section) return graph;
  int32_t part = 0;
  for (size_t at = 0; at + 8 <= section->bytes.size(); at += 8) {
    const uint32_t first = word_at(section->bytes, at), second = word_at(section->bytes, at + 4);
    if (first == 0) {
      part = static_cast<int32_t>(second);
    } else if (part == -1) {
      graph.calls[first].insert(second);
    } else if (part == -2) {
      graph.address_taken.insert(first);
    } else if (part == -3) {
      graph.indirect_callers.insert(first);
    } else if (part == -4) {
      graph.launchers.insert(first);
    }
  }
  return graph;
}

}  // namespace kernloop::codeobject::cubin
