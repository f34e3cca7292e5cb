// Runs dispatches. The HSA runtime (softgpu/hsa) calls this; it knows no HSA types.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "softgpu/engine/counters.h"
#include "softgpu/engine/profile.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

class ByteShadow;
struct ProbeProgram;
struct ProbeResults;
struct Residency;

// Every reason for which a dispatch is stopped. Nothing else stops one, and nothing unsupported is ignored.
struct Fault {
  enum class Kind : uint8_t {
    kUnknownInstruction,
    kUnsupportedInstruction,
    kMemoryAccess,
    kMisaligned,
    kLdsOutOfRange,  // a finding, unless DispatchOptions::faults_past_lds
    kScratchOutOfRange,
    kInstructionLimit,
    kCancelled,
    kTrap,
    kBadDispatch,
    kInternal,
    // Findings of the checker: they do not stop the dispatch.
    kOutOfBounds,
    kUninitialized,
    kRace,
    kMissingWait,  // stops the adverse order (pending_results.h)
    kFloatAtomic,  // on watched memory (float_atomic_watch.h)
  };
  Kind kind = Kind::kInternal;
  std::string kernel;
  uint64_t pc = 0;          // absolute address
  uint64_t pc_offset = 0;   // from the kernel's entry
  std::string instruction;  // disassembled, or the raw dwords
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;
  int32_t lane = -1;     // -1: whole wave
  uint64_t address = 0;  // memory faults
  uint32_t bytes = 0;
  bool is_write = false;
  bool in_lds = false;  // for a race: the address is one of the workgroup's LDS
  std::string detail;   // e.g. the nearest allocation
  // The earlier access of a race.
  struct Other {
    uint64_t pc = 0;
    uint64_t pc_offset = 0;
    std::string instruction;
    uint32_t workgroup[3] = {0, 0, 0};
    uint32_t wave = 0;
    bool is_write = false;
  };
  std::optional<Other> other;
  // For a race over a barrier that does not order the two accesses: the wait that its wave lacks before the barrier.
  std::string missing_wait;
  // For a load that waits in a loop: the cache that may answer it with the value before the store for ever.
  std::string stale_cache;
  const char* kind_name() const;  // "memory_access", …
  std::string text() const;       // one readable sentence with all of the above
  std::string json() const;
};

struct AddressRange {
  uint64_t base;
  uint64_t size;
};

// Sorted, merged byte ranges of global memory a dispatch read and wrote.
struct AccessSets {
  std::vector<AddressRange> reads, writes;
  // Identifies by page which lanes access which bytes: a sum over all accesses, the same in any order.
  struct Page {
    uint64_t base, size;
    uint64_t by_lane;
  };
  std::vector<Page> pages;
};

// Memory that the GPU may touch. Thread-safe; waves read a snapshot, so map/unmap never blocks a running dispatch. An
// address not in here faults the dispatch, even if the host process has mapped it.
class AddressSpace {
 public:
  // A dispatch: while it lives, it may still reach memory that was mapped when it began.
  class Reader {
   public:
    explicit Reader(AddressSpace& space);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

   private:
    AddressSpace& space_;
    const uint64_t number_;
  };

  enum class Access : uint8_t { kRead = 1, kReadWrite = 3 };
  struct Mapping {
    uint64_t base;
    uint64_t size;
    Access access;
    std::string label;
    uint64_t used = 0;                              // bytes that were asked for; 0: all of them
    std::shared_ptr<ByteShadow> written = nullptr;  // for memory that begins uninitialised, if that is checked
  };
  // A recently unmapped range.
  struct Freed {
    uint64_t base;
    uint64_t size;
    std::string label;
  };

  AddressSpace();
  ~AddressSpace();
  void map(uint64_t base, uint64_t size, Access access, std::string label);  // replaces what overlaps
  void map(Mapping mapping);
  // `release` frees the memory itself: called once no reader can reach it any more, on this thread or on that of the
  // last such reader.
  void unmap(uint64_t base, uint64_t size, std::function<void()> release = nullptr);
  std::shared_ptr<const std::vector<Mapping>> snapshot() const;  // sorted by base
  // The last thing that was unmapped from the address, if that is remembered.
  std::optional<Freed> freed_at(uint64_t address) const;
  // The host wrote there: these bytes are no longer uninitialised.
  void mark_written(uint64_t address, uint64_t bytes) const;

 private:
  struct State;
  uint64_t begin_reading();
  void end_reading(uint64_t reader);
  std::unique_ptr<State> state_;
};

struct DispatchRequest {
  std::string kernel_name;
  uint64_t kernel_object = 0;  // address of the 64-byte kernel descriptor (LLVM AMDGPUUsage "Kernel Descriptor")
  uint32_t workgroup_size[3] = {1, 1, 1};
  uint32_t grid_size[3] = {1, 1, 1};  // work-items; the last workgroup of a dimension may be partial
  uint16_t dimensions = 1;
  uint32_t private_segment_bytes = 0;  // per work-item
  uint32_t group_segment_bytes = 0;
  uint64_t kernarg_address = 0;
  uint64_t packet_address = 0;  // dispatch_ptr
  uint64_t queue_address = 0;   // queue_ptr (amd_queue_t)
  uint64_t dispatch_id = 0;
};

// Checks that the checker makes (checker.h).
struct Checks {
  bool bounds = false, uninitialized = false, races = false, waits = false;
  explicit operator bool() const { return bounds || uninitialized || races || waits; }
};

// The adverse order: several workgroups run together, and their waves are interrupted at every access to memory and
// held there for short or long, as drawn from the seed (adverse_order.h).
struct Adverse {
  uint64_t wave_instructions = 0;  // instructions in this order, on one thread; then the rest runs as usual. 0: none
  bool races = false;              // check these for races
  explicit operator bool() const { return wave_instructions > 0; }
};

struct DispatchOptions {
  // Limit from the end of one workgroup to the end of another, and 16 times as much in all. 0: the default, 64 G.
  uint64_t max_wave_instructions = 0;
  uint64_t seed = 0;                                 // order in which workgroups and waves are taken; 0: ascending
  unsigned threads = 0;                              // 0: all cores
  AccessSets* accesses = nullptr;                    // filled when given (slower)
  KernelProfile* profile = nullptr;                  // filled when given (slower); Counters then has all it can have
  const std::function<bool()>* cancelled = nullptr;  // polled between time slices
  Checks checks{};                                   // slower; for races on one thread
  Adverse adverse{};                                 // slower; not with a profile
  const ProbeProgram* probes = nullptr;              // fills `probed` (probes.h); slower, on one thread unless set
  ProbeResults* probed = nullptr;
  uint64_t unwritten_fill = 0;  // pattern of unwritten memory and registers (unwritten_fill.h)
  // A machine in use by its seed, in place of that pattern: memory holds small numbers, and clocks have run for hours.
  // 0: none.
  uint32_t machine_in_use = 0;
  // The modelled limit of workgroups at once (residency.h): a workgroup that waits for one which does not fit beside it
  // waits until the instruction limit. Null: all fit.
  const Residency* residency = nullptr;
  // Whether an access past the end of LDS ends the dispatch. Otherwise it is a finding, and behaves as on hardware
  // (lds_end.h).
  bool faults_past_lds = false;
  // Disjoint memory in which the first floating-point atomic is a finding. Null: none.
  std::shared_ptr<const std::vector<AddressRange>> float_atomics = nullptr;
};

struct DispatchOutcome {
  std::optional<Fault> fault;
  // From the checker, the watches, and accesses past the end of LDS: one for each kind and instruction; races for both.
  std::vector<Fault> findings;
  uint64_t adverse_wave_instructions = 0;  // instructions that ran in the adverse order
  Counters counters;
};

class Engine {
 public:
  explicit Engine(AddressSpace& memory, Isa isa = Isa::kGfx90a);
  ~Engine();
  // Runs to completion or fault on this thread and the worker pool. Several threads may call it at once (queues).
  DispatchOutcome run(const DispatchRequest& request, const DispatchOptions& options);
  // Decoded programs of [base, base+size) are forgotten (a code object was unloaded).
  void forget_code(uint64_t base, uint64_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernloop::softgpu
