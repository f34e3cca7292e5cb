// The optional checker: accesses that hardware lets pass, but that no correct program makes.
//   bounds         in a mapped page, but past the bytes that the allocation asked for
//   uninitialized  a load of a dword (or of less, for narrower loads) without a single written byte: device memory
//   since
//                  its allocation, LDS since the workgroup began. It is reported at the load, whether the value is
//                  used or not; private memory is not checked.
//   races          race_detector.h
// One a worker; a dispatch without checks has none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/observe/checks.h"
#include "softgpu/engine/observe/race_detector.h"
#include "softgpu/engine/wave/lds_shadow.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class LateStores;
struct DecodedInstruction;

class Checker {
 public:
  struct Services {
    uint64_t entry;  // the kernel's, to which program counters are relative
    std::function<Fault(const WaveFault&, const WaveSlot&)> place;  // describes a fault, with the wave's place
    std::function<std::string(uint64_t pc)> describe;               // the instruction there
    WaitLoops::Decode decode;                                       // the same for who reads it
    bool has_split_memory;                                          // race_detector.h
    std::function<void(Fault)> report;
  };
  Checker(Checks checks, const AddressSpace& space, Services services);
  // Reports the races: only now it is known which findings are no races.
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void begin_workgroup(Workgroup& workgroup);
  // The wave that makes the following accesses; its pc is that of the accessing instruction.
  void begin_wave(WaveSlot& wave) { wave_ = &wave; }
  // The race detector, if races are checked.
  RaceDetector* races() { return races_ ? &*races_ : nullptr; }

  // Stores that may be late, in the adverse order.
  LateStores* late_stores = nullptr;
  // Called around each instruction if results of memory operations have to be waited for (pending_results.h). The
  // adverse order ends if one was not.
  bool requires_waits() const { return checks_.waits; }
  void begin_instruction(WaveSlot& wave, const DecodedInstruction& instruction);

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
  void one_global(const Place& place);
  void report(Fault::Kind kind, const Place& place, std::string detail);

  const Checks checks_;
  const AddressSpace& space_;
  const Services services_;
  std::shared_ptr<const std::vector<AddressSpace::Mapping>> mappings_;
  WaveSlot* wave_ = nullptr;
  std::set<std::pair<Fault::Kind, uint64_t>> told_;  // by pc: a loop tells once
  std::optional<RaceDetector> races_;
};

}  // namespace kernloop::softgpu
