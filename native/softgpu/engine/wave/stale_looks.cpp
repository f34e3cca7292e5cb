#include "softgpu/engine/wave/stale_looks.h"

#include <algorithm>

namespace kernloop::softgpu {

NearCaches caches_that_answer(const Instruction& load) {
  switch (load.isa) {
    case Isa::kGfx942:
      return load.scc ? 0 : kCacheOfUnit;  // sc1: the scope of an agent, or of the system
    case Isa::kGfx1030:
      return (load.glc ? 0 : kCacheOfUnit) | (load.dlc ? 0 : kCacheOfArray);
    case Isa::kGfx1100:
      return load.glc ? 0 : kCacheOfUnit | kCacheOfArray;
    default:
      return load.glc ? 0 : kCacheOfUnit;
  }
}

NearCaches caches_invalidated_by(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::buffer_wbinvl1:
    case Op::buffer_wbinvl1_vol:
    case Op::buffer_gl0_inv:
      return kCacheOfUnit;
    case Op::buffer_inv:
      return instruction.scc ? kCacheOfUnit : 0;
    case Op::buffer_gl1_inv:
    case Op::s_gl1_inv:
      return kCacheOfArray;
    default:
      return 0;
  }
}

const char* cache_name(Isa isa, NearCaches cache) {
  if (!is_rdna(isa)) return "vector L1 cache of the compute unit";
  return cache == kCacheOfUnit ? "L0 cache of the compute unit" : "L1 cache of the shader array";
}

StaleLooks::Since StaleLooks::look(const Instruction& load, uint64_t pc, uint64_t places, uint32_t now) {
  const NearCaches answer = caches_that_answer(load);
  if (!answer) return {};
  const auto known = std::find_if(looks_.begin(), looks_.end(),
                                  [&](const Look& look) { return look.pc == pc && look.places == places; });
  Look& look = known == looks_.end() ? looks_[next_++ % looks_.size()] : *known;
  if (known == looks_.end()) look = {.pc = pc, .places = places};
  const Since since{look.of_unit, look.of_array};
  if (answer & kCacheOfUnit) look.of_unit = std::min(look.of_unit, now);
  if (answer & kCacheOfArray) look.of_array = std::min(look.of_array, now);
  return since;
}

void StaleLooks::invalidate(NearCaches caches) {
  for (Look& look : looks_) {
    if (caches & kCacheOfUnit) look.of_unit = kNever;
    if (caches & kCacheOfArray) look.of_array = kNever;
  }
}

}  // namespace kernloop::softgpu
