// Moves lane data between registers and host memory that a MemoryPort has already checked. Independent of address
// spaces.
#pragma once

#include <cstring>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/lanes/lane_moves.h"
#include "softgpu/engine/lanes/whole_access.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

enum class Load : uint8_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kB32,
  kB64,
  kB96,
  kB128,
  kU8D16,
  kU8D16Hi,
  kI8D16,
  kI8D16Hi,
  kB16D16,
  kB16D16Hi,
};
enum class Store : uint8_t { kB8, kB8Hi, kB16, kB16Hi, kB32, kB64, kB96, kB128 };

constexpr unsigned bytes_of(Load load) {
  switch (load) {
    case Load::kU16:
    case Load::kI16:
    case Load::kB16D16:
    case Load::kB16D16Hi:
      return 2;
    case Load::kB32:
      return 4;
    case Load::kB64:
      return 8;
    case Load::kB96:
      return 12;
    case Load::kB128:
      return 16;
    default:
      return 1;
  }
}

constexpr unsigned bytes_of(Store store) {
  switch (store) {
    case Store::kB8:
    case Store::kB8Hi:
      return 1;
    case Store::kB16:
    case Store::kB16Hi:
      return 2;
    case Store::kB32:
      return 4;
    case Store::kB64:
      return 8;
    case Store::kB96:
      return 12;
    case Store::kB128:
      return 16;
  }
  return 0;
}

constexpr unsigned dwords_of(Load load) {
  return bytes_of(load) <= 4 ? 1 : bytes_of(load) / 4;
}
constexpr unsigned dwords_of(Store store) {
  return bytes_of(store) <= 4 ? 1 : bytes_of(store) / 4;
}

// The registers of a data operand; on gfx90a accumulation registers may be loaded and stored, too.
inline VectorRegister* register_rows(Wave& wave, const Operand& operand) {
  return (operand.kind == Operand::Kind::kAgpr ? wave.agpr : wave.vgpr) + operand.index;
}

template <typename T>
inline T load_as(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// One lane. gfx90a has SRAM ECC: a D16 load writes its whole register, the other half becomes 0 (LLVM:
// d16PreservesUnusedBits).
template <Load load>
inline void load_lane(VectorRegister* rows, unsigned lane, const uint8_t* at) {
  if constexpr (load == Load::kU8 || load == Load::kU8D16) rows[0][lane] = *at;
  if constexpr (load == Load::kI8)
    rows[0][lane] = static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(*at)));
  if constexpr (load == Load::kU16 || load == Load::kB16D16) rows[0][lane] = load_as<uint16_t>(at);
  if constexpr (load == Load::kI16) rows[0][lane] = static_cast<uint32_t>(static_cast<int32_t>(load_as<int16_t>(at)));
  if constexpr (load == Load::kU8D16Hi) rows[0][lane] = uint32_t{*at} << 16;
  if constexpr (load == Load::kI8D16)
    rows[0][lane] = static_cast<uint16_t>(static_cast<int16_t>(static_cast<int8_t>(*at)));
  if constexpr (load == Load::kI8D16Hi) {
    rows[0][lane] = uint32_t{static_cast<uint16_t>(static_cast<int16_t>(static_cast<int8_t>(*at)))} << 16;
  }
  if constexpr (load == Load::kB16D16Hi) rows[0][lane] = uint32_t{load_as<uint16_t>(at)} << 16;
  if constexpr (load == Load::kB32) rows[0][lane] = load_as<uint32_t>(at);
  if constexpr (load == Load::kB64) {
    const uint64_t value = load_as<uint64_t>(at);  // one access: a flag and its payload are seen together
    rows[0][lane] = static_cast<uint32_t>(value);
    rows[1][lane] = static_cast<uint32_t>(value >> 32);
  }
  if constexpr (load == Load::kB128) load_whole(rows, lane, at);
  if constexpr (load == Load::kB96) {
    uint32_t values[dwords_of(load)];
    std::memcpy(values, at, sizeof values);
    for (unsigned k = 0; k < dwords_of(load); ++k) rows[k][lane] = values[k];
  }
}

// Lanes 0 to 31 or 63, from one contiguous range in lane order.
template <Load load>
inline void load_array_of(VectorRegister* rows, const uint8_t* from, unsigned lanes) {
  if constexpr (bytes_of(load) >= 4) {
    load_array(rows, from, dwords_of(load), lanes);
  } else if constexpr (load == Load::kU8 || load == Load::kU8D16 || load == Load::kU16 || load == Load::kB16D16) {
    load_narrow(rows[0], from, bytes_of(load), lanes);
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane) load_lane<load>(rows, lane, from + lane * bytes_of(load));
  }
}

// The same by rows of lanes.
template <Load load>
inline void load_rows_of(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned lanes) {
  if constexpr (bytes_of(load) >= 4) {
    load_rows(rows, base, from, dwords_of(load), lanes);
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned step = from.side_by_side >> lane / 16 & 1 ? bytes_of(load) : 0;
      load_lane<load>(rows, lane, base + from.first[lane / 16] + lane % 16 * step);
    }
  }
}

// A lane reads its address before it writes its registers, so these may be the same.
template <Load load>
inline void load_lanes(VectorRegister* rows, const LaneAddresses& from, uint64_t lanes) {
  if (from.contiguous) return load_array_of<load>(rows, from.host(0), kLanes);
  if constexpr (load == Load::kB32) {
    load_dword(rows[0], from.at, lanes);
  } else if constexpr (load == Load::kB64) {
    load_pairs(rows, from.at, lanes);
  } else if constexpr (load == Load::kB96) {
    load_triples(rows, from.at, lanes);
  } else if constexpr (load == Load::kB128) {
    load_words(rows, from.at, lanes);
  } else {
    for_lanes(lanes, [&](unsigned lane) { load_lane<load>(rows, lane, from.host(lane)); });
  }
}

template <Load load>
inline void load_lanes(VectorRegister* rows, const LdsAccess& from, uint64_t lanes) {
  if constexpr (bytes_of(load) >= 4) {
    load_dwords(rows, from.base, from.offsets, lanes, dwords_of(load));
  } else {
    for_lanes(lanes, [&](unsigned lane) { load_lane<load>(rows, lane, from.host(lane)); });
  }
}

template <Store store>
inline void store_lane(const VectorRegister* rows, unsigned lane, uint8_t* at) {
  constexpr unsigned kBytes = bytes_of(store);
  if constexpr (store == Store::kB8Hi) {
    *at = static_cast<uint8_t>(rows[0][lane] >> 16);
  } else if constexpr (store == Store::kB16Hi) {
    const uint16_t value = static_cast<uint16_t>(rows[0][lane] >> 16);
    std::memcpy(at, &value, 2);
  } else if constexpr (kBytes <= 4) {
    std::memcpy(at, &rows[0][lane], kBytes);
  } else if constexpr (kBytes == 8) {
    const uint64_t value = rows[0][lane] | uint64_t{rows[1][lane]} << 32;
    std::memcpy(at, &value, 8);
  } else if constexpr (kBytes == 16) {
    store_whole(rows, lane, at);
  } else {
    uint32_t values[kBytes / 4];
    for (unsigned k = 0; k < kBytes / 4; ++k) values[k] = rows[k][lane];
    std::memcpy(at, values, kBytes);
  }
}

// Lanes 0 to 31 or 63, to one contiguous range in lane order.
template <Store store>
inline void store_array_of(const VectorRegister* rows, uint8_t* to, unsigned lanes) {
  if constexpr (bytes_of(store) >= 4) {
    store_array(rows, to, dwords_of(store), lanes);
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane) store_lane<store>(rows, lane, to + lane * bytes_of(store));
  }
}

template <Store store>
inline void store_rows_of(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned lanes) {
  if constexpr (bytes_of(store) >= 4) {
    store_rows(rows, base, to, dwords_of(store), lanes);
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane)
      store_lane<store>(rows, lane, base + to.first[lane / 16] + lane % 16 * bytes_of(store));
  }
}

// Lanes that store to one address: the highest lane wins.
template <Store store>
inline void store_lanes(const VectorRegister* rows, const LaneAddresses& to, uint64_t lanes) {
  if (to.contiguous) return store_array_of<store>(rows, to.host(0), kLanes);
  if constexpr (store == Store::kB32) {
    store_dword(rows[0], to.at, lanes);
  } else if constexpr (store == Store::kB128) {
    store_words(rows, to.at, lanes);
  } else {
    for_lanes(lanes, [&](unsigned lane) { store_lane<store>(rows, lane, to.host(lane)); });
  }
}

template <Store store>
inline void store_lanes(const VectorRegister* rows, const LdsAccess& to, uint64_t lanes) {
  if constexpr (store == Store::kB32) {
    store_dword(rows[0], to.base, to.offsets, lanes);
  } else {
    for_lanes(lanes, [&](unsigned lane) { store_lane<store>(rows, lane, to.host(lane)); });
  }
}

// Rows of a select function: loads or stores of `prefix`, executed by FUNCTION<Load::…> / FUNCTION<Store::…>. These
// give a whole dword of each lane, for any fetched width.
#define KERNLOOP_SELECT_DWORD_LOADS(prefix, FUNCTION) \
  case Op::prefix##_load_ubyte:                       \
    return FUNCTION<Load::kU8>;                       \
  case Op::prefix##_load_sbyte:                       \
    return FUNCTION<Load::kI8>;                       \
  case Op::prefix##_load_ushort:                      \
    return FUNCTION<Load::kU16>;                      \
  case Op::prefix##_load_sshort:                      \
    return FUNCTION<Load::kI16>;                      \
  case Op::prefix##_load_dword:                       \
    return FUNCTION<Load::kB32>;

// Every load.
#define KERNLOOP_SELECT_LOADS(prefix, FUNCTION) \
  KERNLOOP_SELECT_DWORD_LOADS(prefix, FUNCTION) \
  case Op::prefix##_load_dwordx2:               \
    return FUNCTION<Load::kB64>;                \
  case Op::prefix##_load_dwordx3:               \
    return FUNCTION<Load::kB96>;                \
  case Op::prefix##_load_dwordx4:               \
    return FUNCTION<Load::kB128>;               \
  case Op::prefix##_load_ubyte_d16:             \
    return FUNCTION<Load::kU8D16>;              \
  case Op::prefix##_load_ubyte_d16_hi:          \
    return FUNCTION<Load::kU8D16Hi>;            \
  case Op::prefix##_load_sbyte_d16:             \
    return FUNCTION<Load::kI8D16>;              \
  case Op::prefix##_load_sbyte_d16_hi:          \
    return FUNCTION<Load::kI8D16Hi>;            \
  case Op::prefix##_load_short_d16:             \
    return FUNCTION<Load::kB16D16>;             \
  case Op::prefix##_load_short_d16_hi:          \
    return FUNCTION<Load::kB16D16Hi>;

#define KERNLOOP_SELECT_STORES(prefix, FUNCTION) \
  case Op::prefix##_store_byte:                  \
    return FUNCTION<Store::kB8>;                 \
  case Op::prefix##_store_byte_d16_hi:           \
    return FUNCTION<Store::kB8Hi>;               \
  case Op::prefix##_store_short:                 \
    return FUNCTION<Store::kB16>;                \
  case Op::prefix##_store_short_d16_hi:          \
    return FUNCTION<Store::kB16Hi>;              \
  case Op::prefix##_store_dword:                 \
    return FUNCTION<Store::kB32>;                \
  case Op::prefix##_store_dwordx2:               \
    return FUNCTION<Store::kB64>;                \
  case Op::prefix##_store_dwordx3:               \
    return FUNCTION<Store::kB96>;                \
  case Op::prefix##_store_dwordx4:               \
    return FUNCTION<Store::kB128>;

}  // namespace kernloop::softgpu
