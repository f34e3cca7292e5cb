// Loads that wait for another wave. An atomic load of LDS, and one of global memory in the scope of a workgroup, is the
// instruction of a plain load on some targets: only its loop identifies it. A load waits if control may come back to
// it, along a path that stores nothing and passes no barrier, to load the same address again, and if the
// loaded value decides whether it does.
//
// The path is followed with a number for each register's value. The address is the same if two rounds end with the same
// numbers: neither a loop over an array nor a search in one waits.
//
// Compilers take the first look out of a loop that does something between two looks. A load in front of a loop waits
// like the loop's own load if it loads the same address and its value decides whether the loop is entered.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

struct WaitLoop {
  // Stores in the loop that must be to private memory for it to wait: unoptimised code keeps variables there by FLAT
  // instructions.
  std::vector<uint64_t> stores;
  // For a load in front of the loop: its required LDS address, if only the address at run time identifies it as the
  // loop's.
  struct Place {
    uint32_t address, bytes;
  };
  std::optional<Place> in_lds;
};

class WaitLoops {
 public:
  // nullptr: no instruction.
  using Decode = std::function<const DecodedInstruction*(uint64_t pc)>;
  explicit WaitLoops(Decode decode) : decode_(std::move(decode)) {}

  // The loop in which the load waits; nullptr: it does not.
  const WaitLoop* find(uint64_t pc);

 private:
  std::optional<WaitLoop> find_around(uint64_t pc);

  const Decode decode_;
  std::unordered_map<uint64_t, std::optional<WaitLoop>> known_;
};

}  // namespace kernloop::softgpu
