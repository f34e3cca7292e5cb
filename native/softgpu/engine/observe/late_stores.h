// Stores that have not arrived yet, in the adverse order: on hardware a store is on its way until the wave has waited
// for it (s_waitcnt vmcnt, on gfx1030 s_waitcnt_vscnt: a release fence in machine code), and a later atomic may arrive
// before it (LLVM, AMDGPUUsage, "Memory Model"). Some stores are therefore hidden from other workgroups until then:
// they are in memory while a wave of their own workgroup runs, and the old content is there while others run.
//
// Orders that hardware guarantees are kept: a workgroup sees its own stores at once; a store to an address that it
// accesses again, or that another workgroup overwrites, has arrived (one address, one order). Ambiguous waits count in
// the kernel's favour: a wave's wait covers all stores of its workgroup (a barrier, or LDS, hands them on to it), and
// no store is late for long, least of all where a wave waits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class LateStores {
 public:
  explicit LateStores(uint64_t seed);
  ~LateStores() { arrive_all(); }
  LateStores(const LateStores&) = delete;
  LateStores& operator=(const LateStores&) = delete;

  // A wave of the workgroup runs from here on.
  void show(const Workgroup& workgroup);
  // Called around one memory instruction of that wave: before it is executed; in between with its accesses to global
  // memory, before that changes; afterwards, with whether another workgroup has accessed it.
  void begin_access(WaveSlot& wave, const Instruction& instruction);
  void access(const WaveSlot& wave, const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void end_access(bool met_another_workgroup);
  // The wave waits until at most so many of its last operations on memory are outstanding.
  void wait(const WaveSlot& wave, uint64_t outstanding);
  bool has_of(const WaveSlot& wave) const;

  void arrive(const WaveSlot& wave);
  void arrive_all();

 private:
  struct Store {
    const Workgroup* workgroup;
    const WaveSlot* wave;
    uint64_t number;     // number among the wave's operations on memory
    uint32_t accesses;   // the wave's accesses since
    uint64_t low, high;  // bounds of its addresses
    bool is_shown;
    uint32_t bytes;              // at each address
    std::vector<uint8_t*> at;    // the addresses
    std::vector<uint8_t> other;  // if shown: the content before; else: the stored bytes
  };

  void set_shown(Store& store, bool is_shown);
  template <typename P>
  void arrive_if(P&& has_arrived);

  uint64_t state_;
  const Workgroup* shown_ = nullptr;
  bool is_last_new_ = false;                            // the access at hand is in `stores_`, as the last one
  std::vector<std::unique_ptr<Store>> stores_, spare_;  // oldest first
};

}  // namespace kernloop::softgpu
