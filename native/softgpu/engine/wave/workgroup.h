// A workgroup that is resident on a worker, and the storage behind its waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "softgpu/engine/wave/lds_shadow.h"
#include "softgpu/engine/wave/pending_results.h"
#include "softgpu/engine/wave/race_shadow.h"
#include "softgpu/engine/wave/unwritten_fill.h"
#include "softgpu/engine/wave/vector_register_set.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

// Anonymous pages, zero at first, released on destruction.
class PageBlock {
 public:
  PageBlock() = default;
  explicit PageBlock(size_t bytes);
  ~PageBlock();
  PageBlock(PageBlock&& other) noexcept;
  PageBlock& operator=(PageBlock&& other) noexcept;
  PageBlock(const PageBlock&) = delete;
  PageBlock& operator=(const PageBlock&) = delete;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// The private memory of one wave in the hardware's layout: dword k of lane l is at k * 256 + l * 4 (AMDGPUUsage,
// swizzled scratch). A wave finds the fill there, the same in every wave: it is written as far as waves reach, and then
// only where the previous wave wrote.
class WaveScratch {
 public:
  // `fill` must live as long as the wave.
  void begin_wave(uint32_t bytes_per_lane, const UnwrittenFill& fill);
  uint32_t bytes_per_lane() const { return bytes_per_lane_; }
  uint8_t* at(uint32_t offset, unsigned lane) const {
    return block_.data() + (uint64_t{offset & ~3u} << 6) + lane * 4 + (offset & 3);
  }
  // Ahead of an access to bytes below `offset`.
  void reach(uint32_t offset) {
    if (offset > filled_end_) lay_fill_up_to(offset);
  }
  void written_up_to(uint32_t offset) {
    if (offset > dirty_end_) dirty_end_ = offset;
  }
  size_t capacity() const { return block_.size(); }

 private:
  void lay_fill_up_to(uint32_t offset);
  void lay_fill(uint32_t begin, uint32_t end);

  PageBlock block_;
  const UnwrittenFill* fill_ = nullptr;
  uint64_t pattern_ = 0;  // pattern of the bytes below filled_end_, unless written since
  uint32_t bytes_per_lane_ = 0;
  uint32_t filled_end_ = 0, dirty_end_ = 0;
};

// A Wave with the engine's state beside the architectural one.
struct WaveSlot : Wave {
  // vgpr and agpr are neighbours, followed by a guard as large as the widest register tuple.
  static constexpr unsigned kRegisterRows = 256 + 256 + 32;

  WaveSlot();
  // Registers as the kernel finds them: the fill from `line` on. Vector registers that are not in `read` are left as
  // they are.
  void begin_wave(unsigned vgprs, unsigned agprs, const UnwrittenFill& fill, uint64_t line,
                  const VectorRegisterSet& read = VectorRegisterSet().set());

  WaveScratch scratch;
  uint64_t flat_scratch = 0;   // gfx1030 keeps it in a hardware register, gfx90a in s[102:103]
  uint64_t lanes_outside = 0;  // EXEC before s_or_saveexec added all lanes for a while; 0: it did not
  bool was_split = false;      // for profiles: EXEC's last change left fewer lanes, but some
  uint64_t slice_end = 0;      // the instruction count at which the wave's time slice ends
  // The last memory instruction, in runs that end at memory instructions (code_cache.h).
  uint64_t last_access_pc = 0, last_access_address = 0;
  bool repeats_access = false;     // it was the same as the one before: the wave waits for something
  bool is_narrow = false;          // it was of one lane or a scalar: what a workgroup shares, more often than not
  bool met_another = false;        // it was an access where another wave stored, or a store where another one had been
                                   // (meetings.h)
  bool was_published = false;      // it was a store or an atomic where another workgroup had been, in global memory
  bool read_shared = false;        // an atomic or a load past the caches: these read other workgroups' writes
  uint64_t memory_operations = 0;  // operations that late_stores.h has counted
  PendingResults pending;          // if they are checked
  WaveRaces races;
  // State of a probe's wave (probes.h).
  struct Probed {
    uint64_t lanes = 0;  // lanes that are work-items
    uint64_t start = 0;  // the clock then
    bool has_begun = false;
  } probes;

 private:
  PageBlock registers_;
  unsigned stale_vgprs_ = 0, stale_agprs_ = 0;  // rows that an earlier kernel used
};

struct Workgroup {
  uint32_t id[3] = {0, 0, 0};
  uint64_t ordinal = 0;
  uint8_t* lds = nullptr;
  uint32_t lds_bytes = 0;      // requested size
  uint32_t lds_allocated = 0;  // whole granules (lds_end.h)
  GlobalWaveSync* wave_sync = nullptr;
  std::vector<WaveSlot*> waves;           // in the order in which they are taken
  uint64_t instructions = 0;              // executed by all its waves so far
  std::unique_ptr<LdsShadow> lds_shadow;  // if LDS is checked
  std::unique_ptr<GroupRaces> races;      // if races are checked
};

}  // namespace kernloop::softgpu
