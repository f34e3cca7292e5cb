// Vector registers that may still be read: a segment need not store what nobody reads before it is written again.
#pragma once

#include <functional>
#include <unordered_map>

#include "softgpu/engine/translate/register_use.h"

namespace kernloop::softgpu {

// The instruction at an address, if its code may be relied upon; else nullptr.
using FindInstruction = std::function<const DecodedInstruction*(uint64_t address)>;

// Follows code, whatever executes it. The end of a wave reads nothing.
class Liveness {
 public:
  explicit Liveness(FindInstruction find) : find_(std::move(find)) {}

  // Registers of which a wave at the address may still read the value that they have there, in a lane that is active
  // there; in any lane.
  VectorRegisterSet in_active_lanes(uint64_t address) { return from(address, true); }
  VectorRegisterSet in_any_lane(uint64_t address) { return from(address, false); }

 private:
  struct Known {
    const DecodedInstruction* instruction = nullptr;
    RegisterUse use;
  };
  VectorRegisterSet from(uint64_t address, bool covers);
  const Known& look_at(uint64_t address);

  const FindInstruction find_;
  std::unordered_map<uint64_t, Known> known_;
};

}  // namespace kernloop::softgpu
