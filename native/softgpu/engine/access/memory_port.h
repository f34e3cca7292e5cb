// The checked way from a wave to memory. Every address is looked up before the first byte of the instruction is
// touched, so a fault leaves no half-done instruction behind. One port a worker; it also counts and records the
// accesses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/observe/access_recorder.h"
#include "softgpu/engine/observe/profile.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class Checker;
class FloatAtomicWatch;
class Prober;
struct WaveFault;

struct LaneRows;
struct LaneScan;

class MemoryPort {
 public:
  MemoryPort(const AddressSpace& space, AccessRecorder* recorder, Profiler* profiler = nullptr,
             Prober* prober = nullptr);

  // nullptr: no checks.
  void check_by(Checker* by) {
    checker = by;
    is_watched_ = checker || prober;
  }

  // `bytes` at each lane of the mask, in global memory. Counts transactions and bytes. Faults throw.
  void check_global(LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind);
  // `bytes` a lane from the address on, lanes 0 to 31 or 63 active and contiguous. Counts as above; nullptr, with
  // nothing counted, if they are not in one mapping: the lanes must then be checked one by one.
  uint8_t* check_contiguous(uint64_t address, uint32_t bytes, unsigned lanes, AccessKind kind);
  // The same by rows whose addresses do not descend, of which `base` is added; those of a store lie side by side. False
  // with nothing counted, as above.
  bool check_rows(uint64_t base, const LaneRows& rows, uint32_t bytes, unsigned lanes, AccessKind kind);
  // The same for the lanes of a mask at base + low[lane], with `high` base + (low[lane] | high[lane] << 32). False,
  // with nothing counted, if they must be checked one by one.
  bool check_places(const uint32_t* low, const uint32_t* high, uint64_t base, uint64_t lanes, uint32_t bytes,
                    AccessKind kind, bool& uniform);
  // `bytes` at offsets[lane] + immediate of the workgroup's LDS. The result refers to `offsets`, or holds until the
  // second next call.
  LdsAccess check_lds(const Wave& wave, const Instruction& instruction, const uint32_t* offsets, uint32_t immediate,
                      uint64_t lanes, uint32_t bytes, AccessKind kind);
  // For profiles: the passes that the access takes (bank_conflicts.h), and its bytes.
  void count_lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
    if (profiler) count_lds_access(offsets, immediate, lanes, bytes, kind);
  }
  // Checks offsets into the lanes' private memory; they stay offsets (WaveScratch::at gives the address).
  void check_private(Wave& wave, const LaneAddresses& offsets, uint64_t lanes, uint32_t bytes, AccessKind kind);
  // Scalar access.
  const uint8_t* check_scalar_load(uint64_t address, uint32_t bytes);

  // Host pointer to code, and how many bytes from there on belong to the same run of mappings; nullptr when unmapped.
  const uint8_t* code_at(uint64_t address, uint64_t* run_base, uint64_t* run_bytes);

  Counters counters;                          // counts of memory instructions
  Profiler* const profiler;                   // nullptr: none is asked for
  Prober* const prober;                       // likewise
  Checker* checker = nullptr;                 // set by check_by()
  FloatAtomicWatch* float_atomics = nullptr;  // nullptr: not watched
  uint64_t last_address = 0;  // one lane's, in global memory; in LDS behind its aperture's base; 0: neither
  AccessKind last_kind = AccessKind::kLoad;
  bool has_unordered_stores = false;  // to global memory, by this worker, since its last fence (store_order.h)
  // Called with the first lane of an access past the end of LDS (lds_end.h). Empty: such an access faults.
  std::function<void(const WaveFault&, const Wave&, const Instruction&)> past_lds;
  uint64_t lane_seed = 0;  // the order in which lanes execute an atomic; 0: ascending

 private:
  // Reports to checker and prober; one test an access if there is neither.
  void tell_global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void tell_lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void tell_scalar(uint64_t address, uint32_t bytes);

  struct Window {
    uint64_t base = 0, size = 0;
    bool writable = false;
  };

  bool covers(uint64_t address, uint64_t bytes, bool write);
  bool look_up(uint64_t address, uint64_t bytes, bool write);
  bool find(uint64_t address, uint64_t bytes, bool write);
  [[noreturn]] void raise_miss(uint64_t address, uint32_t bytes, bool write, int32_t lane);
  void require_aligned(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes);
  void check_each_lane(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, bool write);
  LdsAccess check_lds_by_lane(const Wave& wave, const Instruction& instruction, const uint32_t* offsets,
                              uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind);
  void count_lanes(uint64_t active, uint32_t bytes, AccessKind kind);
  void record(uint64_t address, uint64_t bytes, unsigned lane, AccessKind kind);
  uint64_t count_lines(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, uint64_t line_bytes,
                       const LaneScan& scan);
  uint64_t count_wide_lines(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, const LaneScan& scan);
  void count_transactions(uint64_t lines, uint32_t bytes);
  void count_lds_access(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind);

  const AddressSpace& space_;
  std::shared_ptr<const std::vector<AddressSpace::Mapping>> mappings_;
  AccessRecorder* recorder_;
  bool is_watched_ = false;
  // The mappings that were hit last; most kernels use a handful.
  static constexpr unsigned kWindows = 8;
  Window windows_[kWindows];
  unsigned last_window_ = 0, next_window_ = 0;
  // Open addressing by stamp, so that it needs no clearing.
  uint64_t line_keys_[256] = {};
  uint32_t line_stamps_[256] = {};
  uint32_t stamp_ = 0;
  // Sums of offsets that wrap around; two, for instructions with two addresses.
  alignas(64) uint32_t lds_sums_[2][kLanes];
  unsigned next_lds_sums_ = 0;
};

}  // namespace kernloop::softgpu
