// A wave with a buffer of known bytes, for the tests of memory instructions.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "softgpu/engine/tests/lone_wave.h"

namespace kernloop::softgpu::testing {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;

inline constexpr u32 kUntouched = 0xfeedface;

inline u32 bits(float f) {
  u32 b;
  std::memcpy(&b, &f, 4);
  return b;
}
inline u64 bits(double f) {
  u64 b;
  std::memcpy(&b, &f, 8);
  return b;
}

template <typename T>
T take(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

class Memory : public LoneWave, public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 8192;
  Array<uint8_t> data{space, kBytes, "data"};

  Memory() {
    for (size_t k = 0; k < kBytes; ++k) data[k] = static_cast<uint8_t>(k * 37 + (k >> 8) * 11 + 129);
    for (unsigned row = 8; row < 12; ++row) std::fill_n(wave.vgpr[row], kLanes, kUntouched);
  }

  // Every lane's address: scattered, unaligned, descending.
  u64 place(unsigned lane) { return data.address() + (63 - lane) * 97 + 5; }
  void set_addresses() {
    for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, place(lane));
  }
  const uint8_t* host(unsigned lane) { return reinterpret_cast<const uint8_t*>(place(lane)); }
};

inline constexpr u64 kSomeLanes = 0xf0f0'1234'8765'0f01;

// Expected memory after an atomic.
using Oracle32 = std::function<u32(u32 memory, u32 data)>;
inline const u32 kValues[] = {0, 1, 5, 6, 7, 0x7fffffff, 0x80000000, 0xfffffffa, 0xffffffff};

}  // namespace kernloop::softgpu::testing
