// Loads that wait through a cache, which may answer each look with the value of the first one: stores of other compute
// units do not reach it. A load passes a cache by its bits, or its wave invalidates the cache between two looks (LLVM,
// AMDGPUUsage, "Memory Model": loads and acquires of each scope).
#pragma once

#include <array>
#include <cstdint>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// A set of caches, one bit each.
using NearCaches = uint8_t;
constexpr NearCaches kCacheOfUnit = 1;   // the vector L1 cache of CDNA, the L0 cache of RDNA
constexpr NearCaches kCacheOfArray = 2;  // the L1 cache of RDNA, of several compute units

// Those that may answer a vector load.
NearCaches caches_that_answer(const Instruction& load);
// Those that the instruction invalidates.
NearCaches caches_invalidated_by(const Instruction& instruction);
// One of them, in the terms of its architecture.
const char* cache_name(Isa isa, NearCaches cache);

// The last looks of one wave: of each load in a loop, unless there are more than four.
class StaleLooks {
 public:
  // Stores after this time are not in the cache, if it answers; kNever: it does not.
  static constexpr uint32_t kNever = ~0u;
  struct Since {
    uint32_t of_unit = kNever, of_array = kNever;
  };

  // A look at time `now` by the load at `pc`; `places` tells its addresses from others.
  Since look(const Instruction& load, uint64_t pc, uint64_t places, uint32_t now);
  void invalidate(NearCaches caches);

 private:
  struct Look {
    uint64_t pc = 0, places = 0;
    uint32_t of_unit = kNever, of_array = kNever;  // since when the caches may hold what it loaded
  };
  std::array<Look, 4> looks_;  // a ring
  unsigned next_ = 0;
};

}  // namespace kernloop::softgpu
