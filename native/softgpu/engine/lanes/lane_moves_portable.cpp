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

void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes) {
  if (dwords == 2) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint64_t value;  // one access: a flag and its payload are seen together
      std::memcpy(&value, from + lane * 8, 8);
      rows[0][lane] = static_cast<uint32_t>(value);
      rows[1][lane] = static_cast<uint32_t>(value >> 32);
    }
    return;
  }
  if (dwords == 4) {
    for (unsigned lane = 0; lane < lanes; ++lane) load_whole(rows, lane, from + lane * 16);
    return;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned k = 0; k < dwords; ++k) std::memcpy(&rows[k][lane], from + (lane * dwords + k) * 4, 4);
  }
}

void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes) {
  if (dwords == 2) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const uint64_t value = rows[0][lane] | uint64_t{rows[1][lane]} << 32;
      std::memcpy(to + lane * 8, &value, 8);
    }
    return;
  }
  if (dwords == 4) {
    for (unsigned lane = 0; lane < lanes; ++lane) store_whole(rows, lane, to + lane * 16);
    return;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned k = 0; k < dwords; ++k) std::memcpy(to + (lane * dwords + k) * 4, &rows[k][lane], 4);
  }
}

}  // namespace kernloop::softgpu::portable
