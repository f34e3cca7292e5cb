// The optional checker: accesses that hardware lets pass, but that no correct program makes.
//   bounds         in a mapped page, but past the bytes that the allocation asked for
//   uninitialized  a load of a dword (or of less, for narrower loads) of which nobody has written a single byte: device
//                  memory since its allocation, LDS since the workgroup began. It is told at the load, whether the
//                  value is used or not; private memory is not looked at.
//   races          two waves of a workgroup touch one byte of LDS with no barrier in between, at least one of them
//                  writes it, and not both are atomic. Waves that order themselves by other means than s_barrier look
//                  like a race.
// One a worker; a dispatch without checks has none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/engine/lds_shadow.h"
#include "softgpu/engine/memory_port.h"
#include "softgpu/engine/wave_fault.h"

namespace kernloop::softgpu {

class Checker {
 public:
  using Report = std::function<void(const WaveFault& finding, const WaveSlot& wave)>;
  // `entry`: the kernel's, from which program counters are told.
  Checker(Checks checks, const AddressSpace& space, uint64_t entry, Report report);

  void begin_workgroup(Workgroup& workgroup) const;
  // The wave whose accesses follow; its pc is that of the accessing instruction.
  void begin_wave(WaveSlot& wave) { wave_ = &wave; }

  // Accesses that have been found to be in range.
  void global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void scalar(uint64_t address, uint32_t bytes);
  void lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind);

 private:
  struct Place {
    int32_t lane;
    uint64_t address;
    uint32_t bytes;
    AccessKind kind;
  };
  const AddressSpace::Mapping* mapping_of(uint64_t address);
  void check_bounds(const AddressSpace::Mapping& mapping, const Place& place);
  void check_initialized(const AddressSpace::Mapping& mapping, const Place& place);
  void check_lds_initialized(const LdsShadow& shadow, const Place& place);
  void check_race(const LdsShadow& shadow, const Place& place);
  void touch(LdsShadow& shadow, const Place& place) const;
  void one_global(const Place& place);
  bool is_at_odds(const LdsShadow& shadow, const LdsShadow::Access& earlier, AccessKind kind) const;
  void report(Fault::Kind kind, const Place& place, std::string detail);

  const Checks checks_;
  const AddressSpace& space_;
  const uint64_t entry_;
  const Report report_;
  std::shared_ptr<const std::vector<AddressSpace::Mapping>> mappings_;
  WaveSlot* wave_ = nullptr;
  std::set<std::pair<Fault::Kind, uint64_t>> told_;  // by pc: a loop tells once
};

}  // namespace kernloop::softgpu
