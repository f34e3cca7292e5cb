// DS: reads and writes of LDS. GFX9 needs no limit in M0; lds_end.h says what happens past the end.
#include "softgpu/engine/access/lds_address.h"
#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

namespace {

template <Load load>
void read(Wave& wave, const Instruction& i) {
  const LdsAccess from = check_lds_access(wave, i, static_cast<uint32_t>(i.offset), bytes_of(load), AccessKind::kLoad);
  load_lanes<load>(register_rows(wave, i.dst[0]), from, wave.exec());
}

template <Store store>
void write(Wave& wave, const Instruction& i) {
  const LdsAccess to = check_lds_access(wave, i, static_cast<uint32_t>(i.offset), bytes_of(store), AccessKind::kStore);
  store_lanes<store>(register_rows(wave, i.src[1]), to, wave.exec());
}

// Two addresses: the offsets count elements, or 64 elements (st64).
template <Load load, unsigned scale>
void read2(Wave& wave, const Instruction& i) {
  const LdsPair from(wave, i, bytes_of(load) * scale, bytes_of(load), AccessKind::kLoad);
  VectorRegister* rows = register_rows(wave, i.dst[0]);
  load_lanes<load>(rows, from.first, wave.exec());
  load_lanes<load>(rows + dwords_of(load), from.second, wave.exec());
}

template <Store store, unsigned scale>
void write2(Wave& wave, const Instruction& i) {
  const LdsPair to(wave, i, bytes_of(store) * scale, bytes_of(store), AccessKind::kStore);
  store_lanes<store>(register_rows(wave, i.src[1]), to.first, wave.exec());
  store_lanes<store>(register_rows(wave, i.src[2]), to.second, wave.exec());
}

}  // namespace

ExecuteFn select_lds_transfer(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::ds_nop:
      return [](Wave& wave, const Instruction&) { ++wave.memory->counters.lds; };
    case Op::ds_read_u8:
      return read<Load::kU8>;
    case Op::ds_read_i8:
      return read<Load::kI8>;
    case Op::ds_read_u16:
      return read<Load::kU16>;
    case Op::ds_read_i16:
      return read<Load::kI16>;
    case Op::ds_read_u8_d16:
      return read<Load::kU8D16>;
    case Op::ds_read_u8_d16_hi:
      return read<Load::kU8D16Hi>;
    case Op::ds_read_i8_d16:
      return read<Load::kI8D16>;
    case Op::ds_read_i8_d16_hi:
      return read<Load::kI8D16Hi>;
    case Op::ds_read_u16_d16:
      return read<Load::kB16D16>;
    case Op::ds_read_u16_d16_hi:
      return read<Load::kB16D16Hi>;
    case Op::ds_read_b32:
      return read<Load::kB32>;
    case Op::ds_read_b64:
      return read<Load::kB64>;
    case Op::ds_read_b96:
      return read<Load::kB96>;
    case Op::ds_read_b128:
      return read<Load::kB128>;
    case Op::ds_read2_b32:
      return read2<Load::kB32, 1>;
    case Op::ds_read2_b64:
      return read2<Load::kB64, 1>;
    case Op::ds_read2st64_b32:
      return read2<Load::kB32, 64>;
    case Op::ds_read2st64_b64:
      return read2<Load::kB64, 64>;
    case Op::ds_write_b8:
      return write<Store::kB8>;
    case Op::ds_write_b8_d16_hi:
      return write<Store::kB8Hi>;
    case Op::ds_write_b16:
      return write<Store::kB16>;
    case Op::ds_write_b16_d16_hi:
      return write<Store::kB16Hi>;
    case Op::ds_write_b32:
      return write<Store::kB32>;
    case Op::ds_write_b64:
      return write<Store::kB64>;
    case Op::ds_write_b96:
      return write<Store::kB96>;
    case Op::ds_write_b128:
      return write<Store::kB128>;
    case Op::ds_write2_b32:
      return write2<Store::kB32, 1>;
    case Op::ds_write2_b64:
      return write2<Store::kB64, 1>;
    case Op::ds_write2st64_b32:
      return write2<Store::kB32, 64>;
    case Op::ds_write2st64_b64:
      return write2<Store::kB64, 64>;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
