#include "softgpu/engine/access/memory_port.h"

#include <algorithm>
#include <cstdio>

#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/memory/nearby.h"
#include "softgpu/engine/observe/bank_conflicts.h"
#include "softgpu/engine/observe/checker.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/lds_end.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kLineBytes = 64, kWideLineBytes = 128;

// Distinct lines of rows that do not descend. `bytes` of one element.
uint64_t count_row_lines(uint64_t base, const LaneRows& rows, uint32_t bytes, unsigned lanes, uint64_t line_bytes) {
  uint64_t lines = 0, next = 0;  // the line behind all that were counted
  for (unsigned group = 0; group * 16 < lanes; ++group) {
    const uint64_t first = base + rows.first[group];
    const uint64_t extent = rows.side_by_side >> group & 1 ? 16 * bytes : bytes;
    const uint64_t begin = std::max(first / line_bytes, next), end = (first + extent - 1) / line_bytes + 1;
    if (begin >= end) continue;
    lines += end - begin;
    next = end;
  }
  return lines;
}

bool is_writable(const AddressSpace::Mapping& mapping) {
  return mapping.access == AddressSpace::Access::kReadWrite;
}

}  // namespace

MemoryPort::MemoryPort(const AddressSpace& space, AccessRecorder* recorder, Profiler* profiler_of_port,
                       Prober* prober_of_port)
    : profiler(profiler_of_port),
      prober(prober_of_port),
      space_(space),
      mappings_(space.snapshot()),
      recorder_(recorder),
      is_watched_(prober_of_port != nullptr) {}

void MemoryPort::tell_global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  if (checker) checker->global(addresses, lanes, bytes, kind);
  if (prober) prober->access(ProbeSpace::kGlobal, kind, addresses.at, lanes, bytes);
}

void MemoryPort::tell_lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes,
                          AccessKind kind) {
  if (checker) checker->lds(offsets, immediate, lanes, bytes, kind);
  if (prober) prober->lds(kind, offsets, immediate, lanes, bytes);
}

void MemoryPort::tell_scalar(uint64_t address, uint32_t bytes) {
  if (checker) checker->scalar(address, bytes);
  if (prober) prober->scalar(address, bytes);
}

bool MemoryPort::find(uint64_t address, uint64_t bytes, bool write) {
  const auto it = at_or_below(*mappings_, address);
  if (it == mappings_->end() || address - it->base >= it->size || it->size - (address - it->base) < bytes) return false;
  if (write && !is_writable(*it)) return false;
  last_window_ = next_window_;
  next_window_ = (next_window_ + 1) % kWindows;
  windows_[last_window_] = Window{it->base, it->size, is_writable(*it)};
  return true;
}

bool MemoryPort::look_up(uint64_t address, uint64_t bytes, bool write) {
  for (unsigned i = 0; i < kWindows; ++i) {
    const Window& window = windows_[i];
    const uint64_t offset = address - window.base;
    if (offset < window.size && window.size - offset >= bytes && (!write || window.writable)) {
      last_window_ = i;
      return true;
    }
  }
  return find(address, bytes, write);
}

inline bool MemoryPort::covers(uint64_t address, uint64_t bytes, bool write) {
  const Window& window = windows_[last_window_];
  const uint64_t offset = address - window.base;
  if (offset < window.size && window.size - offset >= bytes && (!write || window.writable)) return true;
  return look_up(address, bytes, write);
}

void MemoryPort::raise_miss(uint64_t address, uint32_t bytes, bool write, int32_t lane) {
  throw WaveFault{.kind = Fault::Kind::kMemoryAccess,
                  .detail = describe_miss(space_, address, bytes, write),
                  .lane = lane,
                  .address = address,
                  .bytes = bytes,
                  .is_write = write};
}

void MemoryPort::record(uint64_t address, uint64_t bytes, unsigned lane, AccessKind kind) {
  if (kind != AccessKind::kStore) recorder_->read(address, bytes, lane);
  if (kind != AccessKind::kLoad) recorder_->written(address, bytes, lane);
}

// Distinct lines of scattered addresses.
uint64_t MemoryPort::count_lines(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, uint64_t line_bytes,
                                 const LaneScan& scan) {
  const int shift = __builtin_ctzll(line_bytes);  // hosts take long to divide
  const uint64_t first_line = scan.lowest >> shift;
  if (((scan.highest + bytes - 1) >> shift) - first_line < 64)
    return count_near_lines(addresses.at, bytes, static_cast<unsigned>(shift), first_line);
  const bool is_aligned = (bytes & (bytes - 1)) == 0 && (scan.any_bits & (bytes - 1)) == 0;
  if (is_aligned) {  // no lane crosses the end of a line
    if (const uint64_t lines = count_group_lines(addresses.at, static_cast<unsigned>(shift))) return lines;
  }
  if (++stamp_ == 0) {
    std::fill_n(line_stamps_, 256, 0);
    stamp_ = 1;
  }
  uint64_t lines = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t last = (addresses.at[lane] + bytes - 1) >> shift;
    for (uint64_t line = addresses.at[lane] >> shift; line <= last; ++line) {
      unsigned at = static_cast<unsigned>((line * 0x9E3779B97F4A7C15ull) >> 56);
      while (line_stamps_[at] == stamp_ && line_keys_[at] != line) at = (at + 1) & 255;
      if (line_stamps_[at] == stamp_) continue;
      line_stamps_[at] = stamp_;
      line_keys_[at] = line;
      ++lines;
    }
  });
  return lines;
}

uint64_t MemoryPort::count_wide_lines(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes,
                                      const LaneScan& scan) {
  if (addresses.contiguous) return (scan.highest + bytes - 1) / kWideLineBytes - scan.lowest / kWideLineBytes + 1;
  if (!scan.lines_known) return count_lines(addresses, lanes, bytes, kWideLineBytes, scan);
  uint64_t lines = 1;  // they never descend, and no lane crosses the end of one
  for (unsigned lane = 0; lane + 1 < kLanes; ++lane)
    lines += addresses.at[lane] / kWideLineBytes != addresses.at[lane + 1] / kWideLineBytes;
  return lines;
}

void MemoryPort::count_transactions(uint64_t lines, uint32_t bytes) {
  counters.memory_transactions += lines;
  switch (bytes) {
    case 1:
      counters.transactions_b8 += lines;
      break;
    case 2:
      counters.transactions_b16 += lines;
      break;
    case 4:
      counters.transactions_b32 += lines;
      break;
    case 8:
      counters.transactions_b64 += lines;
      break;
    case 12:
      counters.transactions_b96 += lines;
      break;
    default:
      counters.transactions_b128 += lines;
      break;
  }
}

void MemoryPort::count_lds_access(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes,
                                  AccessKind kind) {
  const uint64_t moved = uint64_t{bytes} * static_cast<unsigned>(__builtin_popcountll(lanes));
  if (kind != AccessKind::kStore) counters.lds_bytes_read += moved;
  if (kind != AccessKind::kLoad) counters.lds_bytes_written += moved;
  if (!profiler->counts_lds_banks) return;
  const LdsUse use = kind == AccessKind::kLoad    ? LdsUse::kLoad
                     : kind == AccessKind::kStore ? LdsUse::kStore
                                                  : LdsUse::kAtomic;
  const LdsPasses passes = count_lds_passes(offsets, immediate, lanes, bytes, use);
  counters.lds_passes += passes.passes;
  counters.lds_bank_conflicts += passes.bank_conflicts;
  counters.lds_address_conflicts += passes.address_conflicts;
}

void MemoryPort::require_aligned(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes) {
  for_lanes(lanes, [&](unsigned lane) {
    if ((addresses.at[lane] & (bytes - 1)) == 0) return;
    throw WaveFault{.kind = Fault::Kind::kMisaligned,
                    .detail = "atomics need natural alignment; " + describe_place(space_, addresses.at[lane]),
                    .lane = static_cast<int32_t>(lane),
                    .address = addresses.at[lane],
                    .bytes = bytes,
                    .is_write = true};
  });
}

// Several mappings, or a miss: decided lane by lane. Mappings may have been added while the dispatch runs.
void MemoryPort::check_each_lane(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, bool write) {
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t address = addresses.at[lane];
    if (covers(address, bytes, write)) return;
    mappings_ = space_.snapshot();
    if (!find(address, bytes, write)) raise_miss(address, bytes, write, static_cast<int32_t>(lane));
  });
}

void MemoryPort::count_lanes(uint64_t active, uint32_t bytes, AccessKind kind) {
  const uint64_t moved = uint64_t{bytes} * active;
  if (kind != AccessKind::kStore) counters.bytes_read += moved;
  if (kind != AccessKind::kLoad) counters.bytes_written += moved;
  counters.lane_bytes += moved;
  if (kind == AccessKind::kAtomic) counters.atomic_lanes += active;
}

uint8_t* MemoryPort::check_contiguous(uint64_t address, uint32_t bytes, unsigned lanes, AccessKind kind) {
  const uint64_t size = uint64_t{bytes} * lanes;
  if (is_watched_) return nullptr;
  if (!covers(address, size, kind != AccessKind::kLoad)) return nullptr;
  const auto lines_of = [&](uint64_t line_bytes) {
    return (address + size - 1) / line_bytes - address / line_bytes + 1;
  };
  last_address = address;
  last_kind = kind;
  has_unordered_stores |= kind != AccessKind::kLoad;
  count_lanes(lanes, bytes, kind);
  count_transactions(lines_of(kLineBytes), bytes);
  if (profiler) counters.memory_lines_128 += lines_of(kWideLineBytes);
  if (recorder_) record(address, size, kLanes, kind);
  return reinterpret_cast<uint8_t*>(address);
}

bool MemoryPort::check_rows(uint64_t base, const LaneRows& rows, uint32_t bytes, unsigned lanes, AccessKind kind) {
  if (is_watched_ || recorder_) return false;
  const unsigned groups = lanes / 16;
  if (kind != AccessKind::kLoad && rows.side_by_side != (1u << groups) - 1) return false;
  uint64_t end = 0;
  for (unsigned group = 0; group < groups; ++group) {
    if (group != 0 && rows.first[group] < rows.first[group - 1]) return false;
    end = std::max(end, rows.first[group] + uint64_t{bytes} * (rows.side_by_side >> group & 1 ? 16 : 1));
  }
  const uint64_t address = base + rows.first[0];
  if (!covers(address, end - rows.first[0], kind != AccessKind::kLoad)) return false;
  last_address = address;
  last_kind = kind;
  has_unordered_stores |= kind != AccessKind::kLoad;
  count_lanes(lanes, bytes, kind);
  count_transactions(count_row_lines(base, rows, bytes, lanes, kLineBytes), bytes);
  if (profiler) counters.memory_lines_128 += count_row_lines(base, rows, bytes, lanes, kWideLineBytes);
  return true;
}

bool MemoryPort::check_places(const uint32_t* low, const uint32_t* high, uint64_t base, uint64_t lanes, uint32_t bytes,
                              AccessKind kind, bool& uniform) {
  if (is_watched_ || recorder_ || profiler || lanes == 0) return false;
  const auto first_lane = static_cast<unsigned>(__builtin_ctzll(lanes));
  if (high) base += uint64_t{high[first_lane]} << 32;
  const auto first = static_cast<uint32_t>(base % kLineBytes);
  PlaceScan scan;
  if (!scan_places(low, high, first, lanes, bytes, scan)) return false;
  if (kind == AccessKind::kAtomic && !scan.is_aligned) return false;
  if (!covers(base - first + scan.lowest, uint64_t{scan.highest} - scan.lowest + bytes, kind != AccessKind::kLoad))
    return false;
  uniform = scan.lowest == scan.highest;
  last_address = base + low[first_lane];
  last_kind = kind;
  has_unordered_stores |= kind != AccessKind::kLoad;
  count_lanes(lanes == ~uint64_t{0} ? kLanes : static_cast<unsigned>(__builtin_popcountll(lanes)), bytes, kind);
  count_transactions(scan.lines, bytes);
  return true;
}

void MemoryPort::check_global(LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  addresses.contiguous = addresses.uniform = false;
  if (lanes == 0) return;
  const bool all_active = lanes == ~uint64_t{0};
  if (!all_active) fill_inactive(addresses.at, lanes);
  last_address = addresses.at[__builtin_ctzll(lanes)];
  last_kind = kind;
  const LaneScan scan = scan_lanes(addresses.at, bytes);
  addresses.contiguous = all_active && scan.contiguous;
  addresses.uniform = scan.lowest == scan.highest;

  const bool write = kind != AccessKind::kLoad;
  has_unordered_stores |= write;
  if (kind == AccessKind::kAtomic && (scan.any_bits & (bytes - 1)) != 0) require_aligned(addresses, lanes, bytes);
  const bool in_one_mapping =
      scan.any_bits >> 63 == 0 && covers(scan.lowest, scan.highest - scan.lowest + bytes, write);
  if (!in_one_mapping) check_each_lane(addresses, lanes, bytes, write);

  count_lanes(all_active ? kLanes : static_cast<unsigned>(__builtin_popcountll(lanes)), bytes, kind);
  if (scan.lines_known) {
    count_transactions(scan.lines, bytes);
  } else if (addresses.contiguous) {
    count_transactions((scan.highest + bytes - 1) / kLineBytes - scan.lowest / kLineBytes + 1, bytes);
  } else {
    count_transactions(count_lines(addresses, lanes, bytes, kLineBytes, scan), bytes);
  }
  if (profiler) counters.memory_lines_128 += count_wide_lines(addresses, lanes, bytes, scan);
  if (is_watched_) tell_global(addresses, lanes, bytes, kind);
  if (!recorder_) return;
  if (addresses.contiguous) {
    record(scan.lowest, uint64_t{bytes} * kLanes, kLanes, kind);
  } else {
    for_lanes(lanes, [&](unsigned lane) { record(addresses.at[lane], bytes, lane, kind); });
  }
}

LdsAccess MemoryPort::check_lds(const Wave& wave, const Instruction& instruction, const uint32_t* offsets,
                                uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  const Workgroup& workgroup = *wave.workgroup;
  const LdsAccess access{.base = workgroup.lds + immediate, .offsets = offsets};
  if (lanes == 0) return access;
  last_address = kSharedApertureBase + uint32_t{offsets[__builtin_ctzll(lanes)] + immediate};
  last_kind = kind;
  // Transfers may have any alignment; atomics are aligned.
  const uint64_t reach = uint64_t{immediate} + bytes, size = workgroup.lds_bytes;
  const uint32_t misaligned = kind == AccessKind::kAtomic ? bytes - 1 : 0;
  if (reach <= size && (immediate & misaligned) == 0 &&
      are_within(offsets, lanes, static_cast<uint32_t>(size - reach), misaligned)) {
    if (is_watched_) tell_lds(offsets, immediate, lanes, bytes, kind);
    return access;
  }
  return check_lds_by_lane(wave, instruction, offsets, immediate, lanes, bytes, kind);
}

LdsAccess MemoryPort::check_lds_by_lane(const Wave& wave, const Instruction& instruction, const uint32_t* offsets,
                                        uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  const Workgroup& workgroup = *wave.workgroup;
  // The sum has 32 bits: compilers put negative offsets into the register (LLVM, GCNSubtarget::hasUsableDSOffset).
  uint32_t* const sums = lds_sums_[next_lds_sums_ ^= 1];
  uint64_t past = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t offset = sums[lane] = offsets[lane] + immediate, end = offset + bytes;
    WaveFault fault{.kind = Fault::Kind::kLdsOutOfRange,
                    .detail = {},
                    .lane = static_cast<int32_t>(lane),
                    .address = offset,
                    .bytes = bytes,
                    .is_write = kind != AccessKind::kLoad};
    if (end > workgroup.lds_bytes) {
      if (past == 0) {
        fault.detail = std::to_string(offset - std::min<uint64_t>(offset, workgroup.lds_bytes)) +
                       " bytes past the end of the workgroup's " + std::to_string(workgroup.lds_bytes) +
                       " bytes of LDS";
        if (!past_lds) throw fault;
        past_lds(fault, wave, instruction);
      }
      past |= uint64_t{1} << lane;
    }
    if (end > workgroup.lds_allocated) {
      sums[lane] = nowhere_of(workgroup, next_lds_sums_, lane);
      std::memset(workgroup.lds + sums[lane], 0, kNowhereBytes);
    } else if (kind == AccessKind::kAtomic && (offset & (bytes - 1)) != 0) {
      fault.kind = Fault::Kind::kMisaligned;
      fault.detail = "LDS atomics need natural alignment";
      throw fault;
    }
  });
  const uint64_t inside = lanes & ~past;
  if (is_watched_ && inside != 0) tell_lds(sums, 0, inside, bytes, kind);
  return LdsAccess{.base = workgroup.lds, .offsets = sums};
}

void MemoryPort::check_private(Wave& wave, const LaneAddresses& offsets, uint64_t lanes, uint32_t bytes,
                               AccessKind kind) {
  WaveScratch& scratch = static_cast<WaveSlot&>(wave).scratch;
  const bool write = kind != AccessKind::kLoad;
  uint64_t highest = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t offset = offsets.at[lane];
    if (offset + bytes > scratch.bytes_per_lane() || offset + bytes < offset) {
      const uint64_t end = scratch.bytes_per_lane();
      throw WaveFault{.kind = Fault::Kind::kScratchOutOfRange,
                      .detail = std::to_string(offset - std::min(offset, end)) + " bytes past the end: each lane has " +
                                std::to_string(scratch.bytes_per_lane()) +
                                " bytes of private memory (a stack overflow, or an index outside of a local array)",
                      .lane = static_cast<int32_t>(lane),
                      .address = offset,
                      .bytes = bytes,
                      .is_write = write};
    }
    highest = std::max(highest, offset);
  });
  if (lanes != 0) scratch.reach(static_cast<uint32_t>(highest + bytes));
  if (write && lanes != 0) scratch.written_up_to(static_cast<uint32_t>(highest + bytes));
  const uint64_t moved = uint64_t{bytes} * static_cast<unsigned>(__builtin_popcountll(lanes));
  if (kind != AccessKind::kStore) counters.scratch_bytes_read += moved;
  if (write) counters.scratch_bytes_written += moved;
  if (prober && lanes != 0) prober->access(ProbeSpace::kScratch, kind, offsets.at, lanes, bytes);
}

const uint8_t* MemoryPort::check_scalar_load(uint64_t address, uint32_t bytes) {
  if (!covers(address, bytes, false)) {
    mappings_ = space_.snapshot();
    if (!find(address, bytes, false)) raise_miss(address, bytes, false, -1);
  }
  last_address = address;
  last_kind = AccessKind::kLoad;
  counters.bytes_read += bytes;
  if (recorder_) recorder_->read(address, bytes, kLanes);
  if (is_watched_) tell_scalar(address, bytes);
  return reinterpret_cast<const uint8_t*>(address);
}

const uint8_t* MemoryPort::code_at(uint64_t address, uint64_t* run_base, uint64_t* run_bytes) {
  auto it = at_or_below(*mappings_, address);
  if (it == mappings_->end() || address - it->base >= it->size) {
    mappings_ = space_.snapshot();
    it = at_or_below(*mappings_, address);
    if (it == mappings_->end() || address - it->base >= it->size) return nullptr;
  }
  *run_base = it->base;
  uint64_t end = it->base + it->size;
  for (auto next = it + 1; next != mappings_->end() && next->base == end; ++next) end += next->size;
  for (auto before = it; before != mappings_->begin();) {
    --before;
    if (before->base + before->size != *run_base) break;
    *run_base = before->base;
  }
  *run_bytes = end - *run_base;
  return reinterpret_cast<const uint8_t*>(address);
}

}  // namespace kernloop::softgpu
