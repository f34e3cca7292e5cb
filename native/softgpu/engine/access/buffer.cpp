// MUBUF: the private segment through its swizzled resource (what clang emits for stack objects), and linear buffers,
// raw or structured.
#include <algorithm>
#include <string>

#include "softgpu/engine/access/lds_load.h"
#include "softgpu/engine/access/private_access.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

// OOB_SELECT of RDNA. Before it, instructions with an index check the index, if there is a stride, and others the
// offset.
enum class RangeCheck : uint8_t { kIndexAndStride, kIndex, kNothing, kOffset, kByIndexing };

// Buffer resource (V#) of GFX9, and RDNA's version of it (RDNA2 and RDNA3 ISA, "Buffer resource descriptor").
struct Resource {
  Resource(const uint32_t* words, Isa isa)
      : base(words[0] | uint64_t{words[1] & 0xffff} << 32),
        stride((words[1] >> 16) & 0x3fff),
        swizzled((words[1] >> (isa == Isa::kGfx1100 ? 30 : 31)) != 0),  // there the size of an element, 0 for none
        range_check(is_rdna(isa) ? static_cast<RangeCheck>(words[3] >> 28 & 3) : RangeCheck::kByIndexing),
        records(words[2]),
        index_stride((words[3] >> 21) & 3),
        adds_thread_id((words[3] >> 23 & 1) != 0) {}
  uint64_t base;
  uint32_t stride;
  bool swizzled;
  RangeCheck range_check;
  uint32_t records;
  uint32_t index_stride;  // 2: 32, 3: 64
  bool adds_thread_id;
};

// vaddr, srsrc and soffset are consecutive; stores and atomics have their data before them.
struct BufferOperands {
  const Operand *vaddr, *resource, *soffset;
  BufferOperands(const Instruction& i, unsigned first)
      : vaddr(&i.src[first]), resource(&i.src[first + 1]), soffset(&i.src[first + 2]) {}
};

struct BufferAddresses {
  LaneAddresses lanes;  // addresses, or offsets into private memory
  bool is_private = false;
  uint64_t whole = 0;         // lanes of which every byte is in range
  uint64_t partial = 0;       // lanes of which some dwords are
  uint64_t in_range[4] = {};  // by dword
};

// The offset of a lane, without index and scalar offset. The sum has 32 bits before gfx1250 (llvm/llvm-project#152584;
// measured on gfx950: ROCm/rocm-systems#10928): compilers put negative offsets into the register.
uint32_t offset_of(const Instruction& i, const uint32_t* voffset, unsigned lane) {
  return static_cast<uint32_t>(i.offset) + (voffset ? voffset[lane] : 0);
}

void locate_in_private(const Resource& resource, uint64_t soffset, const uint32_t* voffset, const Instruction& i,
                       uint64_t exec, BufferAddresses& out) {
  // The address is base + soffset + swizzle(voffset + offset), in units in which a lane's byte counts as many as there
  // are lanes.
  const int64_t lanes = 8 << resource.index_stride;
  const int64_t start = static_cast<int64_t>(resource.base + soffset - kScratchWaveBase);
  if (start % (4 * lanes) != 0) raise_unsupported("private segment offset that is no multiple of a dword a lane");
  const auto uniform = static_cast<uint64_t>(start / lanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) out.lanes.at[lane] = uniform + offset_of(i, voffset, lane);
  out.is_private = true;
  out.whole = exec;
}

void check_range(const Resource& resource, bool structured, uint64_t soffset, const uint32_t* index,
                 const uint64_t* offsets, uint32_t bytes, uint64_t exec, BufferAddresses& out) {
  // The scalar offset counts on all targets, and the difference does not wrap: AMD's engineers found this on gfx950
  // (ROCm/rocm-systems#10928), and state it for RDNA with OOB_SELECT 3 (ROCm/rocMLIR#678). LLVM's documents of its
  // intrinsics state a promise of their callers.
  const uint64_t limit = resource.records - std::min<uint64_t>(resource.records, soffset);
  const unsigned dwords = bytes <= 4 ? 1 : bytes / 4;
  const uint32_t piece = bytes <= 4 ? bytes : 4;
  for_lanes(exec, [&](unsigned lane) {
    const uint64_t bit = uint64_t{1} << lane;
    if (structured) {
      if (index[lane] < resource.records) {
        out.whole |= bit;
      }
      return;
    }
    unsigned inside = 0;
    for (unsigned k = 0; k < dwords; ++k) {
      if (offsets[lane] + 4 * k + piece > limit) continue;
      out.in_range[k] |= bit;
      ++inside;
    }
    if (inside == dwords) {
      out.whole |= bit;
    } else if (inside > 0) {
      out.partial |= bit;
    }
  });
}

// Whether a resource of RDNA is checked as check_range does it.
bool is_checked_alike(const Resource& resource, bool structured, const uint64_t* offsets, uint32_t bytes,
                      uint64_t exec) {
  bool within_stride = true;
  switch (resource.range_check) {
    case RangeCheck::kByIndexing:
      return true;
    case RangeCheck::kOffset:
      return !structured;
    case RangeCheck::kIndex:
      return structured;
    case RangeCheck::kIndexAndStride:
      for_lanes(exec, [&](unsigned lane) { within_stride &= offsets[lane] + bytes <= resource.stride; });
      return structured && within_stride;
    case RangeCheck::kNothing:
      return false;
  }
  return false;
}

void compute_addresses(Wave& wave, const Instruction& i, unsigned first_operand, uint32_t bytes, BufferAddresses& out) {
  const BufferOperands operands(i, first_operand);
  const Resource resource(&wave.sgpr[operands.resource->index], i.isa);
  const uint64_t soffset = operands.soffset->kind == Operand::Kind::kOff ? 0 : read32(wave, *operands.soffset);
  const VectorRegister* vaddr = i.idxen || i.offen ? register_rows(wave, *operands.vaddr) : nullptr;
  const uint32_t* index = i.idxen ? vaddr[0] : nullptr;
  const uint32_t* voffset = i.offen ? vaddr[i.idxen ? 1 : 0] : nullptr;
  const uint64_t exec = wave.exec();

  if (resource.swizzled || resource.adds_thread_id) {
    const bool is_private_segment = resource.swizzled && resource.adds_thread_id && resource.index_stride >= 2 &&
                                    !i.idxen && resource.base - kScratchBackingBase < kApertureBytes;
    if (!is_private_segment) raise_unsupported("swizzled buffer resource that is not the private segment's");
    locate_in_private(resource, soffset, voffset, i, exec, out);
    return;
  }
  const bool structured = i.idxen && resource.stride != 0;
  uint64_t offsets[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    offsets[lane] = offset_of(i, voffset, lane);
    out.lanes.at[lane] =
        resource.base + soffset + offsets[lane] + (index ? uint64_t{index[lane]} * resource.stride : 0);
  }
  if (!is_checked_alike(resource, structured, offsets, bytes, exec)) {
    raise_unsupported("buffer resource with OOB_SELECT " + std::to_string(static_cast<unsigned>(resource.range_check)) +
                      (structured ? " for an access by index" : " for an access by offset"));
  }
  check_range(resource, structured, soffset, index, offsets, bytes, exec, out);
}

void clear(VectorRegister* rows, unsigned count, uint64_t lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    for (unsigned k = 0; k < count; ++k) rows[k][lane] = 0;
  });
}

// A dword may lie across two elements of the swizzle: its bytes are those of consecutive addresses. Compilers from
// LLVM 20 on store there (llvm/llvm-project#110219), since Linux sets SH_MEM_CONFIG.ALIGNMENT_MODE to unaligned, and
// AMD's rocjitsu splits such a dword (ROCm/rocm-systems#11240). No compiler emits an access of several dwords.
void require_one_dword(uint32_t bytes) {
  if (bytes > 4) raise_unsupported("access of several dwords through a swizzled buffer resource");
}

template <Load load>
void load_from_buffer(Wave& wave, const Instruction& i, VectorRegister* rows) {
  constexpr uint32_t kBytes = bytes_of(load);
  BufferAddresses addresses;
  compute_addresses(wave, i, 0, kBytes, addresses);
  if (addresses.is_private) {
    require_one_dword(kBytes);
    private_load<load>(wave, addresses.lanes, addresses.whole, rows);
    return;
  }
  MemoryPort& port = *wave.memory;
  ++port.counters.vmem_read;
  if (addresses.partial == 0) {
    LaneAddresses whole = addresses.lanes;
    port.check_global(whole, addresses.whole, kBytes, AccessKind::kLoad);
    load_lanes<load>(rows, whole, addresses.whole);
    clear(rows, dwords_of(load), wave.exec() & ~addresses.whole);
    return;
  }
  for (unsigned k = 0; k < dwords_of(load); ++k) {
    LaneAddresses dword;
    for (unsigned lane = 0; lane < kLanes; ++lane) dword.at[lane] = addresses.lanes.at[lane] + 4 * k;
    port.check_global(dword, addresses.in_range[k], 4, AccessKind::kLoad);
    load_lanes<Load::kB32>(rows + k, dword, addresses.in_range[k]);
    clear(rows + k, 1, wave.exec() & ~addresses.in_range[k]);
  }
}

template <Load load>
void buffer_load(Wave& wave, const Instruction& i) {
  load_from_buffer<load>(wave, i, register_rows(wave, i.dst[0]));
}

// A lane outside of the buffer fetches 0, as into a register.
template <Load load>
void buffer_load_to_lds(Wave& wave, const Instruction& i) {
  alignas(64) VectorRegister fetched;
  load_from_buffer<load>(wave, i, &fetched);
  store_to_lds(wave, i, &fetched);
}

template <Store store>
void buffer_store(Wave& wave, const Instruction& i) {
  constexpr uint32_t kBytes = bytes_of(store);
  BufferAddresses addresses;
  compute_addresses(wave, i, 1, kBytes, addresses);
  const VectorRegister* rows = register_rows(wave, i.src[0]);
  if (addresses.is_private) {
    require_one_dword(kBytes);
    private_store<store>(wave, addresses.lanes, addresses.whole, rows);
    return;
  }
  MemoryPort& port = *wave.memory;
  ++port.counters.vmem_write;
  if (addresses.partial == 0) {
    port.check_global(addresses.lanes, addresses.whole, kBytes, AccessKind::kStore);
    store_lanes<store>(rows, addresses.lanes, addresses.whole);
    return;
  }
  for (unsigned k = 0; k < dwords_of(store); ++k) {
    LaneAddresses dword;
    for (unsigned lane = 0; lane < kLanes; ++lane) dword.at[lane] = addresses.lanes.at[lane] + 4 * k;
    port.check_global(dword, addresses.in_range[k], 4, AccessKind::kStore);
    store_lanes<Store::kB32>(rows + k, dword, addresses.in_range[k]);
  }
}

template <Atomic atomic, typename T>
void buffer_atomic(Wave& wave, const Instruction& i) {
  BufferAddresses addresses;
  compute_addresses(wave, i, 1, sizeof(T), addresses);
  if (addresses.is_private || addresses.partial != 0)
    raise_unsupported("buffer atomic on private memory or across the end of a buffer");
  MemoryPort& port = *wave.memory;
  ++port.counters.atomics;
  note_atomic<atomic>(wave, i, addresses.lanes, addresses.whole, sizeof(T));
  port.check_global(addresses.lanes, addresses.whole, sizeof(T), AccessKind::kAtomic);
  const VectorRegister* data = register_rows(wave, i.src[0]);
  const VectorRegister* compared = data + (data_count(atomic) == 2 ? sizeof(T) / 4 : 0);
  VectorRegister* result = i.glc ? register_rows(wave, i.dst[0]) : nullptr;
  modify_lanes<atomic, T, true>(addresses.lanes, addresses.whole, compared, data, result, memory_atomic_mode(i.isa),
                                LaneOrder::of(wave));
  if (result) clear(result, sizeof(T) / 4, wave.exec() & ~addresses.whole);
}

}  // namespace

// The loads that have an LDS form.
ExecuteFn select_buffer_to_lds(const Instruction& instruction) {
  switch (instruction.op) {
    KERNLOOP_SELECT_DWORD_LOADS(buffer, buffer_load_to_lds)
    default:
      return nullptr;
  }
}

ExecuteFn select_buffer(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::buffer_wbinvl1:
    case Op::buffer_wbinvl1_vol:
    case Op::buffer_inv:
      return invalidate_caches;
    case Op::buffer_wbl2:
    case Op::buffer_invl2:
      return execute_nothing;
      KERNLOOP_SELECT_LOADS(buffer, buffer_load)
      KERNLOOP_SELECT_STORES(buffer, buffer_store)
      KERNLOOP_SELECT_ATOMICS(buffer, buffer_atomic)
      KERNLOOP_SELECT_RDNA2_ATOMICS(buffer, buffer_atomic)
    case Op::buffer_atomic_csub:
      return buffer_atomic<Atomic::kClampedSub, uint32_t>;
    case Op::buffer_atomic_add_f32:
      return buffer_atomic<Atomic::kFloatAdd, uint32_t>;
    case Op::buffer_atomic_pk_add_f16:
      return buffer_atomic<Atomic::kPackedHalfAdd, uint32_t>;
    default:
      return nullptr;  // typed formats, stores from LDS
  }
}

}  // namespace kernloop::softgpu
