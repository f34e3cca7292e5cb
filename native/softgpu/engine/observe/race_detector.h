// Races between waves, in global memory and in LDS: two waves touch one byte, at least one of them by a plain store,
// and nothing orders them (race_order.h). Barriers order the waves of one workgroup; the stores that waves see of each
// other, through atomics and through loads past the caches, order all waves.
//
// A barrier orders the stores to LDS that their wave has waited for, and all others, except for stores to global memory
// if the workgroup runs on two compute units of RDNA (LLVM, AMDGPUUsage, "Memory Model": a release in the scope of a
// workgroup waits for these). If waits cannot be observed, each store counts as waited for.
//
// Ambiguous cases are not reported:
//   - a store is taken for an atomic one if the other access is an atomic or a load past the caches: the instructions
//     are the same (if it is missed because nobody waited for it, late_stores.h shows it);
//   - a store that does not change memory is no write, and if unordered waves store the same value, every load finds
//     it;
//   - if a wave waits by plain loads for another one of its workgroup (flags in LDS, wait_loops.h), or loads the same
//     address over and over, it sees the awaited value as by an atomic.
//
// A wait in global memory for a store that a cache may hide from its loads for ever (stale_looks.h) is reported as a
// race, whatever the store.
//
// One a dispatch, which must run on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "softgpu/engine/code/wait_loops.h"
#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/observe/race_order.h"
#include "softgpu/engine/wave/fault.h"
#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/race_shadow.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class RaceDetector {
 public:
  struct Services {
    uint64_t entry;                                                 // the kernel's
    std::function<Fault(const WaveFault&, const WaveSlot&)> place;  // adds the wave's place
    std::function<std::string(uint64_t pc)> describe;               // the instruction there
    std::function<uint64_t(uint64_t address)> allocation;           // the allocation that holds the address
    WaitLoops::Decode decode;
    bool has_split_memory;  // waves of one workgroup may run where they do not see each other's stores at once
  };
  explicit RaceDetector(Services services) : services_(std::move(services)), wait_loops_(services_.decode) {}

  void begin_workgroup(Workgroup& workgroup);
  // All waves of the workgroup that have not ended have met.
  void barrier(Workgroup& workgroup);
  // A barrier of the grid opens, and a wave passes it.
  void open_grid_barrier() { grid_barrier_ = now_; }
  void pass_grid_barrier(WaveSlot& wave);

  // Whether every wait for stores is reported from here on; else each store counts as waited for.
  void expect_waits(bool expected) { sees_waits_ = expected; }
  void wait(WaveSlot& wave, const MemoryWaits& waits);
  // The wave will store no more, or has waited for all that it has stored.
  void release(const WaveSlot& wave) { wave.workgroup->races->released = now_; }
  void invalidate(WaveSlot& wave, NearCaches caches) { wave.races.looks.invalidate(caches); }

  // Around the execution of one memory instruction, at wave.pc.
  void begin_access(WaveSlot& wave, const Instruction& instruction);
  void end_access();
  // In between: its accesses. `lane`: of the first address; -1: a scalar load.
  void global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void scalar(uint64_t address, uint32_t bytes);
  void lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind);

  std::vector<Fault> take_findings();

 private:
  enum class How : uint8_t { kLoad, kWaitingLoad, kStore, kAtomic };
  // Adds to the current wave's accesses.
  enum class Relation : uint8_t { kNone, kSameWave, kOrdered, kUnordered };
  struct Event {
    uint32_t group = 0;  // its serial
    uint16_t wave = 0;
    How how = How::kLoad;
    // The wait without which a barrier does not order it.
    bool by_lgkmcnt : 1 = false, by_stores : 1 = false;
    int32_t pc = 0;         // in dwords from the entry
    uint32_t released = 0;  // until when its workgroup's stores had been waited for
  };
  // Contiguous dwords in one memory.
  struct Span {
    RaceCell* cells;
    uint8_t* host;     // address of the first dword on the host
    uint64_t address;  // address of the first dword: in device memory or in LDS
    bool in_lds;
  };
  struct Memo {
    uint32_t time = 0;
    Relation relation = Relation::kNone;
  };
  // A store that is unordered with an earlier access of its dword. It is no race if it stores the value that was there:
  // settle() decides once the instruction has run.
  struct Suspect {
    Span at;             // one dword
    uint32_t before;     // its value before the store
    uint8_t bytes;       // of the dword: a bit each
    uint32_t earlier;    // time of the earlier access
    bool earlier_wrote;  // else it read
    int32_t lane;
    uint32_t size;  // bytes of a lane
  };
  struct Finding {
    Fault fault;
    bool in_lds;
    uint64_t dword;
    uint32_t group;
    std::tuple<uint64_t, uint64_t, uint64_t> key;
  };
  // A finding that is a race only if one of the stores is not to private memory.
  struct Doubt {
    Finding finding;
    std::vector<uint64_t> stores;
  };

  static constexpr uint32_t kLog = 1u << 23;

  // `places`: tells the addresses of all lanes from others.
  How how_of(AccessKind kind, uint64_t places);
  void look(uint64_t places);
  // Reports a load that waits, if a cache may hide the last store here from it.
  void look_at(const Span& at, uint8_t bytes, int32_t lane, uint32_t size);
  const Event& event(uint32_t time) const { return log_[time % kLog]; }
  uint64_t pc_of(const Event& event) const { return services_.entry + static_cast<uint64_t>(int64_t{event.pc} * 4); }
  Relation relation(uint32_t time, Memo& memo);
  Relation find_relation(uint32_t time, bool has_arrived = false) const;
  // The wait that was missing before the last barrier, which therefore does not order the store; nullptr: it does.
  const char* find_missing_wait(uint32_t time) const;
  bool is_unordered_store(const RaceCell& cell);
  void range(bool in_lds, uint64_t address, uint32_t bytes, int32_t lane, uint32_t lane_bytes, How how);
  void dword(const Span& at, uint8_t bytes, int32_t lane, uint32_t size, How how);
  void load(const Span& at, uint8_t bytes, int32_t lane, uint32_t size);
  void store(const Span& at, uint8_t bytes, int32_t lane, uint32_t size);
  void see(RaceCell& cell);
  void settle(const Suspect& suspect);
  void excuse(const Span& at);
  // The same for a load in a loop that waits, unless that stores for others.
  void excuse(const Span& at, const WaitLoop& loop, Finding finding);
  // The loop in which the load at `pc` waits for the wave that made the other access, one of the same workgroup.
  const WaitLoop* find_wait(uint64_t pc, const Span& at, uint32_t other);
  void report(Finding finding);
  Finding describe(const Span& at, uint8_t bytes, int32_t lane, uint32_t size, bool is_write, uint32_t earlier,
                   bool earlier_wrote, const char* stale_cache = nullptr) const;

  const Services services_;
  RaceOrder order_;
  RaceShadow shadow_;
  std::vector<Event> log_;  // a ring, by time
  uint32_t now_ = 0;
  uint32_t grid_barrier_ = 0;
  WaveSlot* wave_ = nullptr;
  const Instruction* instruction_ = nullptr;
  GroupRaces* group_ = nullptr;
  Memo written_, read_, other_;
  std::vector<Suspect> suspects_;
  std::vector<std::pair<uint32_t, uint32_t>> seen_;  // (workgroup, time) whose stores this access saw
  std::optional<StaleLooks::Since> look_;            // the access is a load that waits
  bool waits_ = false;                               // the wave made the same access just before
  bool sees_waits_ = false;
  WaitLoops wait_loops_;
  std::vector<Doubt> doubts_;
  std::set<uint64_t> stores_;  // by FLAT and MUBUF instructions, by pc: those to private memory are not reported
  std::vector<Finding> findings_;
  std::set<std::tuple<uint64_t, uint64_t, uint64_t>> told_;
};

}  // namespace kernloop::softgpu
