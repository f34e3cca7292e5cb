// FLAT: the address tells the memory of each lane (global, LDS or private). SCRATCH: private memory.
#include <cstdio>

#include "softgpu/engine/access/private_access.h"
#include "softgpu/engine/access/whole_wave.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

namespace {

// Absolute flat scratch: private addresses are relative to FLAT_SCRATCH, which the kernel's prolog sets, or the
// hardware (gfx942, gfx1100).
void require_flat_scratch(const Wave& wave, Isa isa) {
  const uint64_t base = is_rdna(isa) ? static_cast<const WaveSlot&>(wave).flat_scratch : wave.sgpr64(kFlatScratch);
  if (base == kScratchWaveBase) return;
  char text[128];
  std::snprintf(text, sizeof text, "FLAT_SCRATCH is 0x%llx, not the base of this wave's private memory (0x%llx)",
                static_cast<unsigned long long>(base), static_cast<unsigned long long>(kScratchWaveBase));
  throw WaveFault{.kind = Fault::Kind::kScratchOutOfRange, .detail = text, .address = base};
}

// Lanes by the memory that they access.
struct Partition {
  uint64_t global = 0, lds = 0, scratch = 0;
};

LanePlaces places_of(Wave& wave, const Instruction& i) {
  const VectorRegister* vaddr = register_rows(wave, i.src[0]);
  return {vaddr[0], vaddr[1], static_cast<uint64_t>(static_cast<int64_t>(i.offset))};
}

Partition compute_flat(Wave& wave, const Instruction& i, LaneAddresses& addresses) {
  places_of(wave, i).of_lanes(addresses);
  uint64_t any = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) any |= addresses.at[lane];
  Partition partition{.global = wave.exec()};
  if (any < kSharedApertureBase) return partition;
  for_lanes(wave.exec(), [&](unsigned lane) {
    const uint64_t bit = uint64_t{1} << lane, address = addresses.at[lane];
    if (address - kSharedApertureBase < kApertureBytes) {
      partition.lds |= bit;
      addresses.at[lane] -= kSharedApertureBase;
    } else if (address - kPrivateApertureBase < kApertureBytes) {
      partition.scratch |= bit;
      addresses.at[lane] -= kPrivateApertureBase;
    }
  });
  partition.global &= ~(partition.lds | partition.scratch);
  if (partition.scratch) require_flat_scratch(wave, i.isa);
  return partition;
}

// The low halves of addresses in the LDS aperture.
struct LdsOffsets {
  VectorRegister low;
  explicit LdsOffsets(const LaneAddresses& addresses) {
    for (unsigned lane = 0; lane < kLanes; ++lane) low[lane] = static_cast<uint32_t>(addresses.at[lane]);
  }
};

template <Load load>
[[gnu::noinline]] void load_by_partition(Wave& wave, const Instruction& i, VectorRegister* rows) {
  MemoryPort& port = *wave.memory;
  LaneAddresses addresses;
  const Partition lanes = compute_flat(wave, i, addresses);
  if (lanes.lds) {
    ++port.counters.lds;
    const LdsOffsets offsets(addresses);
    load_lanes<load>(rows, port.check_lds(wave, i, offsets.low, 0, lanes.lds, bytes_of(load), AccessKind::kLoad),
                     lanes.lds);
    port.count_lds(offsets.low, 0, lanes.lds, bytes_of(load), AccessKind::kLoad);
  }
  if (lanes.scratch) {
    LaneAddresses in_scratch = addresses;
    private_load<load>(wave, in_scratch, lanes.scratch, rows);
  }
  if (lanes.global || !(lanes.lds | lanes.scratch)) {
    ++port.counters.vmem_read;
    port.check_global(addresses, lanes.global, bytes_of(load), AccessKind::kLoad);
    load_lanes<load>(rows, addresses, lanes.global);
  }
}

// No aperture is a part of a mapping, so that a whole wave is in global memory if its range is in one.
bool may_be_global(const LanePlaces& places) {
  return places.common() < kSharedApertureBase;
}

template <Load load>
void flat_load(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.flat;
  VectorRegister* const rows = register_rows(wave, i.dst[0]);
  const LanePlaces places = places_of(wave, i);
  if (!may_be_global(places) || !load_whole_wave<load>(port, places, wave.exec(), rows))
    return load_by_partition<load>(wave, i, rows);
  ++port.counters.vmem_read;
}

template <Store store>
[[gnu::noinline]] void store_by_partition(Wave& wave, const Instruction& i, const VectorRegister* rows) {
  MemoryPort& port = *wave.memory;
  LaneAddresses addresses;
  const Partition lanes = compute_flat(wave, i, addresses);
  if (lanes.lds) {
    ++port.counters.lds;
    const LdsOffsets offsets(addresses);
    store_lanes<store>(rows, port.check_lds(wave, i, offsets.low, 0, lanes.lds, bytes_of(store), AccessKind::kStore),
                       lanes.lds);
    port.count_lds(offsets.low, 0, lanes.lds, bytes_of(store), AccessKind::kStore);
  }
  if (lanes.scratch) {
    LaneAddresses in_scratch = addresses;
    private_store<store>(wave, in_scratch, lanes.scratch, rows);
  }
  if (lanes.global || !(lanes.lds | lanes.scratch)) {
    ++port.counters.vmem_write;
    port.check_global(addresses, lanes.global, bytes_of(store), AccessKind::kStore);
    store_lanes<store>(rows, addresses, lanes.global);
  }
}

template <Store store>
void flat_store(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.flat;
  const VectorRegister* const rows = register_rows(wave, i.src[1]);
  const LanePlaces places = places_of(wave, i);
  if (!may_be_global(places) || !store_whole_wave<store>(port, places, wave.exec(), rows))
    return store_by_partition<store>(wave, i, rows);
  ++port.counters.vmem_write;
}

template <Atomic atomic, typename T>
void flat_atomic(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.flat;
  LaneAddresses addresses;
  const Partition lanes = compute_flat(wave, i, addresses);
  const VectorRegister* data = register_rows(wave, i.src[1]);
  const VectorRegister* compared = data + (data_count(atomic) == 2 ? sizeof(T) / 4 : 0);
  VectorRegister* result = i.glc ? register_rows(wave, i.dst[0]) : nullptr;
  if (lanes.lds) {
    ++port.counters.lds;
    const LdsOffsets offsets(addresses);
    const LdsAccess where = port.check_lds(wave, i, offsets.low, 0, lanes.lds, sizeof(T), AccessKind::kAtomic);
    port.count_lds(offsets.low, 0, lanes.lds, sizeof(T), AccessKind::kAtomic);
    modify_lanes<atomic, T, false>(where, lanes.lds, compared, data, result, wave_atomic_mode<atomic, T>(wave),
                                   LaneOrder::of(wave));
  }
  if (lanes.scratch) {
    LaneAddresses in_scratch = addresses;
    private_atomic<atomic, T>(wave, in_scratch, lanes.scratch, compared, data, result,
                              wave_atomic_mode<atomic, T>(wave));
  }
  if (lanes.global || !(lanes.lds | lanes.scratch)) {
    ++port.counters.atomics;
    note_atomic<atomic>(wave, i, addresses, lanes.global, sizeof(T));
    port.check_global(addresses, lanes.global, sizeof(T), AccessKind::kAtomic);
    modify_lanes<atomic, T, true>(addresses, lanes.global, compared, data, result, memory_atomic_mode(i.isa),
                                  LaneOrder::of(wave));
  }
}

// SCRATCH: a vector offset or a scalar one or neither, plus the immediate.
void compute_scratch(Wave& wave, const Instruction& i, const Operand& vaddr, const Operand& saddr,
                     LaneAddresses& offsets) {
  require_flat_scratch(wave, i.isa);
  uint64_t uniform = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  if (saddr.kind == Operand::Kind::kSgpr) uniform += wave.sgpr[saddr.index];
  const bool has_vector = vaddr.kind == Operand::Kind::kVgpr;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    offsets.at[lane] = uniform + (has_vector ? wave.vgpr[vaddr.index][lane] : 0);
  }
}

template <Load load>
void scratch_load(Wave& wave, const Instruction& i) {
  LaneAddresses offsets;
  compute_scratch(wave, i, i.src[0], i.src[1], offsets);
  private_load<load>(wave, offsets, wave.exec(), register_rows(wave, i.dst[0]));
}

template <Store store>
void scratch_store(Wave& wave, const Instruction& i) {
  LaneAddresses offsets;
  compute_scratch(wave, i, i.src[0], i.src[2], offsets);
  private_store<store>(wave, offsets, wave.exec(), register_rows(wave, i.src[1]));
}

}  // namespace

ExecuteFn select_flat(const Instruction& instruction) {
  switch (instruction.op) {
    KERNLOOP_SELECT_LOADS(flat, flat_load)
    KERNLOOP_SELECT_STORES(flat, flat_store)
    KERNLOOP_SELECT_ATOMICS(flat, flat_atomic)
    KERNLOOP_SELECT_RDNA2_ATOMICS(flat, flat_atomic)
    case Op::flat_atomic_add_f32:
      return flat_atomic<Atomic::kFloatAdd, uint32_t>;
    case Op::flat_atomic_pk_add_f16:
      return flat_atomic<Atomic::kPackedHalfAdd, uint32_t>;
    case Op::flat_atomic_pk_add_bf16:
      return flat_atomic<Atomic::kPackedBfloatAdd, uint32_t>;
      KERNLOOP_SELECT_LOADS(scratch, scratch_load)
      KERNLOOP_SELECT_STORES(scratch, scratch_store)
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
