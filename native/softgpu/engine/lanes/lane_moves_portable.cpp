#include "softgpu/engine/lanes/lane_moves_portable.h"

#include <cstring>

#include "softgpu/engine/lanes/whole_access.h"

namespace kernloop::softgpu::portable {

namespace {

constexpr unsigned kGroup = 16;
constexpr uint32_t kAll = 0xffff;

enum class Pattern { kScattered, kUniform, kContiguous };

// Pattern of one group with all lanes active.
template <typename T>
Pattern pattern_of(const T* at) {
  T differs = 0, gap = 0;
  for (unsigned lane = 0; lane < kGroup; ++lane) {
    differs |= at[lane] ^ at[0];
    gap |= at[lane] ^ (at[0] + 4 * lane);
  }
  return differs == 0 ? Pattern::kUniform : gap == 0 ? Pattern::kContiguous : Pattern::kScattered;
}

uint32_t active(uint64_t lanes, unsigned group) {
  return static_cast<uint32_t>(lanes >> group) & kAll;
}

template <typename F>
void for_group(uint32_t mask, unsigned group, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(group + static_cast<unsigned>(__builtin_ctz(mask)));
}

// `host(lane)`: host address of the lane's element.
template <typename T, typename Host>
void load_groups(VectorRegister* rows, const T* at, uint64_t lanes, unsigned dwords, Host&& host) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const uint32_t mask = active(lanes, group);
    const Pattern pattern = mask == kAll ? pattern_of(at + group) : Pattern::kScattered;
    if (pattern == Pattern::kContiguous && dwords == 1) {
      std::memcpy(rows[0] + group, host(group), kGroup * 4);
    } else if (pattern == Pattern::kUniform) {
      uint32_t values[4];
      std::memcpy(values, host(group), dwords * 4);
      for (unsigned k = 0; k < dwords; ++k) {
        for (unsigned lane = 0; lane < kGroup; ++lane) rows[k][group + lane] = values[k];
      }
    } else {
      for_group(mask, group, [&](unsigned lane) {
        uint32_t values[4];
        std::memcpy(values, host(lane), dwords * 4);
        for (unsigned k = 0; k < dwords; ++k) rows[k][lane] = values[k];
      });
    }
  }
}

template <typename T, typename Host>
void store_groups(const VectorRegister& row, const T* at, uint64_t lanes, Host&& host) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const uint32_t mask = active(lanes, group);
    if (mask == kAll && pattern_of(at + group) == Pattern::kContiguous) {
      std::memcpy(host(group), row + group, kGroup * 4);
    } else {
      for_group(mask, group, [&](unsigned lane) { std::memcpy(host(lane), &row[lane], 4); });
    }
  }
}

uint8_t* host_of(uint64_t address) {
  return reinterpret_cast<uint8_t*>(address);
}

}  // namespace

void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords) {
  load_groups(rows, offsets, lanes, dwords, [&](unsigned lane) { return base + offsets[lane]; });
}

void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  load_groups(&row, addresses, lanes, 1, [&](unsigned lane) { return host_of(addresses[lane]); });
}

void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes) {
  store_groups(row, offsets, lanes, [&](unsigned lane) { return base + offsets[lane]; });
}

void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  store_groups(row, addresses, lanes, [&](unsigned lane) { return host_of(addresses[lane]); });
}

void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    uint64_t value;
    std::memcpy(&value, host_of(addresses[lane]), sizeof value);  // one access
    rows[0][lane] = static_cast<uint32_t>(value);
    rows[1][lane] = static_cast<uint32_t>(value >> 32);
  }
}

void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    load_whole(rows, lane, host_of(addresses[lane]));
  }
}

void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    uint32_t values[3];
    std::memcpy(values, host_of(addresses[lane]), sizeof values);
    for (unsigned k = 0; k < 3; ++k) rows[k][lane] = values[k];
  }
}

void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    store_whole(rows, lane, host_of(addresses[lane]));
  }
}

void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes) {
  if (bytes == 1) {
    for (unsigned lane = 0; lane < lanes; ++lane) row[lane] = from[lane];
    return;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint16_t value;
    std::memcpy(&value, from + lane * 2, 2);
    row[lane] = value;
  }
}

namespace {

// Elements of `step` bytes from lane to lane; one is moved in one access, if it is of 8 or 16 bytes.
void load_lanes(VectorRegister* rows, unsigned first, unsigned lanes, const uint8_t* from, unsigned step,
                unsigned dwords) {
  if (dwords == 1 && step == 4) {
    for (unsigned k = 0; k < lanes; k += kGroup) std::memcpy(rows[0] + first + k, from + 4 * k, kGroup * 4);
    return;
  }
  for (unsigned k = 0; k < lanes; ++k) {
    const uint8_t* const at = from + k * step;
    const unsigned lane = first + k;
    if (dwords == 4) {
      load_whole(rows, lane, at);
    } else if (dwords == 2) {
      uint64_t value;
      std::memcpy(&value, at, 8);
      rows[0][lane] = static_cast<uint32_t>(value);
      rows[1][lane] = static_cast<uint32_t>(value >> 32);
    } else {
      for (unsigned dword = 0; dword < dwords; ++dword) std::memcpy(&rows[dword][lane], at + 4 * dword, 4);
    }
  }
}

void store_lanes(const VectorRegister* rows, unsigned first, unsigned lanes, uint8_t* to, unsigned dwords) {
  if (dwords == 1) {
    for (unsigned k = 0; k < lanes; k += kGroup) std::memcpy(to + 4 * k, rows[0] + first + k, kGroup * 4);
    return;
  }
  for (unsigned k = 0; k < lanes; ++k) {
    uint8_t* const at = to + k * dwords * 4;
    const unsigned lane = first + k;
    if (dwords == 4) {
      store_whole(rows, lane, at);
    } else if (dwords == 2) {
      const uint64_t value = rows[0][lane] | uint64_t{rows[1][lane]} << 32;
      std::memcpy(at, &value, 8);
    } else {
      for (unsigned dword = 0; dword < dwords; ++dword) std::memcpy(at + 4 * dword, &rows[dword][lane], 4);
    }
  }
}

}  // namespace

void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes) {
  load_lanes(rows, 0, lanes, from, dwords * 4, dwords);
}

void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes) {
  store_lanes(rows, 0, lanes, to, dwords);
}

void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes) {
  for (unsigned group = 0; group * kGroup < lanes; ++group) {
    const unsigned step = from.side_by_side >> group & 1 ? dwords * 4 : 0;
    load_lanes(rows, group * kGroup, kGroup, base + from.first[group], step, dwords);
  }
}

void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes) {
  for (unsigned group = 0; group * kGroup < lanes; ++group)
    store_lanes(rows, group * kGroup, kGroup, base + to.first[group], dwords);
}

void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes) {
  VectorRegister active, pulled;
  for (unsigned lane = 0; lane < kLanes; ++lane) active[lane] = (lanes >> lane & 1) != 0 ? data[lane] : 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) pulled[lane] = active[from[lane] % kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = (lanes >> lane & 1) != 0 ? pulled[lane] : out[lane];
}

}  // namespace kernloop::softgpu::portable
