// GLOBAL: loads, stores and atomics on device memory.
#include "softgpu/engine/access/lds_load.h"
#include "softgpu/engine/access/select.h"
#include "softgpu/engine/access/whole_wave.h"

namespace kernloop::softgpu {

namespace {

LanePlaces places_of(Wave& wave, const Instruction& i, const Operand& saddr) {
  const VectorRegister* vaddr = register_rows(wave, i.src[0]);
  const uint64_t offset = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  if (saddr.kind != Operand::Kind::kSgpr) return {vaddr[0], vaddr[1], offset};
  return {vaddr[0], nullptr, wave.sgpr64(saddr.index) + offset};
}

// Host address of the lanes' data if a whole wave is active and its data are contiguous and in one mapping, as in most
// accesses; else nullptr.
uint8_t* check_contiguous(Wave& wave, const Instruction& i, const Operand& saddr, uint32_t bytes, AccessKind kind) {
  const unsigned lanes = whole_wave(wave.exec());
  if (lanes == 0) return nullptr;
  const VectorRegister* vaddr = register_rows(wave, i.src[0]);
  if (!may_be_contiguous(vaddr[0], bytes, lanes)) return nullptr;
  const bool uniform_base = saddr.kind == Operand::Kind::kSgpr;
  if (!are_contiguous(vaddr[0], uniform_base ? nullptr : vaddr[1], bytes, lanes)) return nullptr;
  const uint64_t base = uniform_base ? wave.sgpr64(saddr.index) : uint64_t{vaddr[1][0]} << 32;
  const uint64_t offset = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  return wave.memory->check_contiguous(base + vaddr[0][0] + offset, bytes, lanes, kind);
}

// Lanes that are not contiguous. Apart, so that the usual way needs no space for addresses.
template <Load load>
[[gnu::noinline]] void load_apart(Wave& wave, const Instruction& i, VectorRegister* rows) {
  MemoryPort& port = *wave.memory;
  const LanePlaces places = places_of(wave, i, i.src[1]);
  const uint64_t lanes = wave.exec();
  if (load_whole_wave<load>(port, places, lanes, rows)) return;
  LaneAddresses addresses;
  check_lanes(port, places, lanes, bytes_of(load), AccessKind::kLoad, addresses);
  load_lanes<load>(rows, addresses, lanes);
}

template <Load load>
void load_from_global(Wave& wave, const Instruction& i, VectorRegister* rows) {
  MemoryPort& port = *wave.memory;
  ++port.counters.vmem_read;
  if (const uint8_t* from = check_contiguous(wave, i, i.src[1], bytes_of(load), AccessKind::kLoad))
    return load_array_of<load>(rows, from, whole_wave(wave.exec()));
  load_apart<load>(wave, i, rows);
}

template <Load load>
void global_load(Wave& wave, const Instruction& i) {
  load_from_global<load>(wave, i, register_rows(wave, i.dst[0]));
}

template <Load load>
void global_load_to_lds(Wave& wave, const Instruction& i) {
  alignas(64) VectorRegister fetched;
  load_from_global<load>(wave, i, &fetched);
  store_to_lds(wave, i, &fetched);
}

template <Store store>
[[gnu::noinline]] void store_apart(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  const LanePlaces places = places_of(wave, i, i.src[2]);
  const VectorRegister* const rows = register_rows(wave, i.src[1]);
  const uint64_t lanes = wave.exec();
  if (store_whole_wave<store>(port, places, lanes, rows)) return;
  LaneAddresses addresses;
  check_lanes(port, places, lanes, bytes_of(store), AccessKind::kStore, addresses);
  store_lanes<store>(rows, addresses, lanes);
}

template <Store store>
void global_store(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.vmem_write;
  if (uint8_t* to = check_contiguous(wave, i, i.src[2], bytes_of(store), AccessKind::kStore))
    return store_array_of<store>(register_rows(wave, i.src[1]), to, whole_wave(wave.exec()));
  store_apart<store>(wave, i);
}

template <Atomic atomic, typename T>
void global_atomic(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.atomics;
  const LanePlaces places = places_of(wave, i, i.src[2]);
  const uint64_t lanes = wave.exec();
  LaneAddresses addresses;
  if (port.float_atomics) {
    places.of_lanes(addresses);
    note_atomic<atomic>(wave, i, addresses, lanes, sizeof(T));
  }
  check_lanes(port, places, lanes, sizeof(T), AccessKind::kAtomic, addresses);
  // Compare-and-swap: the new value comes first, the compared one after it.
  const VectorRegister* data = register_rows(wave, i.src[1]);
  const VectorRegister* compared = data + (data_count(atomic) == 2 ? sizeof(T) / 4 : 0);
  modify_lanes<atomic, T, true>(addresses, lanes, compared, data, i.glc ? register_rows(wave, i.dst[0]) : nullptr,
                                memory_atomic_mode(i.isa), LaneOrder::of(wave));
}

}  // namespace

// The loads that have an LDS form.
ExecuteFn select_global_to_lds(const Instruction& instruction) {
  switch (instruction.op) {
    KERNLOOP_SELECT_DWORD_LOADS(global, global_load_to_lds)
    default:
      return nullptr;
  }
}

ExecuteFn select_global(const Instruction& instruction) {
  switch (instruction.op) {
    KERNLOOP_SELECT_LOADS(global, global_load)
    KERNLOOP_SELECT_STORES(global, global_store)
    KERNLOOP_SELECT_ATOMICS(global, global_atomic)
    KERNLOOP_SELECT_RDNA2_ATOMICS(global, global_atomic)
    case Op::global_atomic_csub:
      return global_atomic<Atomic::kClampedSub, uint32_t>;
    case Op::global_atomic_add_f32:
      return global_atomic<Atomic::kFloatAdd, uint32_t>;
    case Op::global_atomic_pk_add_f16:
      return global_atomic<Atomic::kPackedHalfAdd, uint32_t>;
    case Op::global_atomic_pk_add_bf16:
      return global_atomic<Atomic::kPackedBfloatAdd, uint32_t>;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
