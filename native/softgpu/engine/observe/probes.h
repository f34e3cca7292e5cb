// Probes: observations of a running dispatch, as records of each thread or wave in maps in host memory. No code is
// rewritten and no memory of the kernel is touched. At an event (a wave begins or ends, an instruction of a class, an
// access to memory) a probe saves a record of its map, or adds to the only one there is.
//
// A map has Neutrino's layout: (workgroup * units of a workgroup + unit) * bytes of a unit; a unit is a work-item or a
// wave, and a partial workgroup has places for all that a whole one has. A unit keeps as many records as it has room
// for; their total is counted beside it, and so is the exact number dropped.
//
// The clock of a probe is not a time: it counts the wave-instructions that this worker has executed. A probe sees a
// worker as a compute unit, each with a clock of its own; with one thread everything repeats.
//
// A probed dispatch runs from a code cache of its own, in which instructions that a probe waits for call it before they
// do their work, and end their runs, which makes clock and program counter exact. Without probes no check
// is added, as for profiles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

enum class ProbeValue : uint8_t {
  kConstant,
  kClock,      // counts the executed instruction
  kStart,      // the clock when the wave began
  kElapsed,    // since then
  kCu,         // the worker
  kWorkgroup,  // its number in the grid
  kWave,       // in the workgroup
  kLane,
  kThread,  // in the workgroup
  kLanes,   // how many are active
  kPc,
  kAddress,  // address of an access; for a wave's access, of the first active lane
  kBytes,    // bytes of a lane; for a wave's access, of all lanes
};

enum class ProbeSpace : uint8_t { kGlobal, kLds, kScratch, kScalar };

// A set of events. Instructions are selected by their class of counting.
class ProbeEvents {
 public:
  static constexpr unsigned kClasses = static_cast<unsigned>(InstructionClass::kCount), kKinds = 3;

  void add_start() { bits_ |= kStart; }
  void add_end() { bits_ |= kEnd; }
  void add(InstructionClass counted_as) { bits_ |= bit(counted_as); }
  void add(ProbeSpace space, AccessKind kind) { bits_ |= bit(space, kind); }
  ProbeEvents& operator|=(const ProbeEvents& more) {
    bits_ |= more.bits_;
    return *this;
  }

  bool has_start() const { return bits_ & kStart; }
  bool has_end() const { return bits_ & kEnd; }
  bool has(InstructionClass counted_as) const { return bits_ & bit(counted_as); }
  bool has(ProbeSpace space, AccessKind kind) const { return bits_ & bit(space, kind); }
  bool has_accesses() const { return bits_ >> kFirstAccess; }

 private:
  static constexpr uint32_t kStart = 1, kEnd = 2;
  static constexpr unsigned kFirstClass = 2, kFirstAccess = kFirstClass + kClasses;
  static uint32_t bit(InstructionClass counted_as) { return 1u << (kFirstClass + static_cast<unsigned>(counted_as)); }
  static uint32_t bit(ProbeSpace space, AccessKind kind) {
    return 1u << (kFirstAccess + kKinds * static_cast<unsigned>(space) + static_cast<unsigned>(kind));
  }
  uint32_t bits_ = 0;
};

struct ProbeField {
  uint32_t offset = 0, bytes = 8;  // in the record; 4 or 8, where a larger value becomes the largest
  ProbeValue value = ProbeValue::kConstant;
  uint64_t constant = 0;
};

struct ProbeMap {
  std::string name;
  bool is_of_threads = false;
  uint32_t record_bytes = 0;
  uint64_t capacity = 0;  // records of a unit
};

struct Probe {
  std::string name;
  size_t map = 0;
  bool adds = false;  // to the first record
  std::vector<ProbeField> fields;
  ProbeEvents events;
};

// The requested maps and probes.
struct ProbeProgram {
  std::vector<ProbeMap> maps;
  std::vector<Probe> probes;
  ProbeEvents events;  // union over all probes

  // Parses "kernloop.probes/1". Errors go to `problem`.
  static std::unique_ptr<const ProbeProgram> parse(const std::string& json, std::string* problem);

  bool ends_run(const DecodedInstruction& instruction) const;
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// Content of a map after the dispatch.
struct ProbedMap {
  std::string name;
  uint64_t units = 0, unit_bytes = 0;
  std::unique_ptr<uint8_t, FreeMemory> records;  // units * unit_bytes, zero where nothing was written
  std::unique_ptr<uint32_t, FreeMemory> counts;  // records of each unit, kept or not; stops at the largest number
  uint64_t kept = 0, dropped = 0;
};

struct ProbeResults {
  std::vector<ProbedMap> maps;
  uint32_t wave_size = 0;
};

// The parts of a dispatch's geometry that number its units.
struct ProbedGrid {
  uint32_t workgroup_size[3] = {1, 1, 1};
  uint32_t grid_size[3] = {1, 1, 1};
  uint64_t workgroups = 1;
  uint32_t wave_size = kLanes;

  uint64_t threads() const { return uint64_t{workgroup_size[0]} * workgroup_size[1] * workgroup_size[2]; }
  uint64_t waves() const { return (threads() + wave_size - 1) / wave_size; }
};

// The maps of a dispatch, shared by its workers: a unit is one worker's.
class ProbeStore {
 public:
  // Returns an error message, or an empty string.
  std::string allocate(const ProbeProgram& program, const ProbedGrid& grid, ProbeResults* results);

  const ProbeProgram& program() const { return *program_; }
  const ProbedGrid& grid() const { return grid_; }
  ProbedMap& map(size_t index) const { return results_->maps[index]; }
  uint32_t next_worker() { return workers_.fetch_add(1, std::memory_order_relaxed); }

 private:
  const ProbeProgram* program_ = nullptr;
  ProbedGrid grid_;
  ProbeResults* results_ = nullptr;
  std::atomic<uint32_t> workers_{0};
};

// One a worker.
class Prober {
 public:
  explicit Prober(ProbeStore& store);
  // Adds up the records that this worker kept and dropped; the caller has the dispatch's lock.
  void add_to_results();

  void begin_workgroup(const Workgroup& workgroup);
  void begin_slice(WaveSlot& wave);
  void end_slice(WaveSlot& wave);
  // For the wave whose slice it is, before the instruction does its work.
  void instruction(const DecodedInstruction& instruction);
  // Accesses that have been found to be in range; addresses[lane] of the lanes of the mask.
  void access(ProbeSpace space, AccessKind kind, const uint64_t* addresses, uint64_t lanes, uint32_t bytes);
  void lds(AccessKind kind, const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes);
  void scalar(uint64_t address, uint32_t bytes);

 private:
  struct Access {
    const uint64_t* addresses;  // by lane; one for a scalar access
    uint32_t bytes;
    bool is_scalar;
  };
  struct Tally {
    uint64_t kept = 0, dropped = 0;
  };
  uint64_t clock() const { return executed_ + wave_->instructions - slice_start_; }
  void fire(const Probe& probe, uint64_t lanes, const Access* access);
  // `lane`: of a thread's record; -1 of a wave's.
  void write(const Probe& probe, uint64_t unit, int lane, uint64_t lanes, const Access* access);
  uint64_t value_of(const ProbeField& field, int lane, uint64_t lanes, const Access* access) const;
  // Number of the lane's work-item in its workgroup.
  uint64_t thread_of(unsigned lane) const;

  ProbeStore& store_;
  const ProbeProgram& program_;
  const ProbedGrid& grid_;
  const uint32_t worker_;
  WaveSlot* wave_ = nullptr;
  uint64_t executed_ = 0;  // by this worker before the slice
  uint64_t slice_start_ = 0;
  std::vector<Tally> tallies_;
};

}  // namespace kernloop::softgpu
