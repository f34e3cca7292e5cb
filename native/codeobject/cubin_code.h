// Facts of each function in a cubin's machine code and call graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "elf/image.h"

namespace kernloop::codeobject::cubin {

struct ImageUse {
  bool textures = false, surfaces = false;
};

// Bindless textures and surfaces leave no attribute: their handles are plain 64-bit arguments. Only the instructions
// show them. Volta to Blackwell (sm_70 to sm_121) have 16 bytes an instruction and, without the three bits for the
// kinds of operands, one number an operation: test/data/cubin/README.md says how that was checked. nullopt for others.
std::optional<ImageUse> find_image_instructions(Bytes text, uint32_t architecture);

// .nv.callgraph: pairs of symbol numbers, in parts that begin with a pair (0, -n).
struct CallGraph {
  std::map<uint32_t, std::set<uint32_t>> calls;
  std::set<uint32_t> indirect_callers, address_taken;
  std::set<uint32_t> launchers;  // functions that launch kernels

  // All functions that `function` may reach, itself included. Each edge costs one of `steps`: a hostile file may hold
  // many kernels and many edges. Throws Malformed when none are left.
  std::set<uint32_t> reachable(uint32_t function, uint64_t& steps) const;
};

CallGraph read_call_graph(const elf::Image& image);

}  // namespace kernloop::codeobject::cubin
