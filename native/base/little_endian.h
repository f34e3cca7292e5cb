// Little-endian integers in byte buffers, independent of alignment.
#pragma once

#include <concepts>
#include <cstring>

#include "base/bytes.h"

namespace kernloop {

template <std::unsigned_integral T>
void append_little_endian(Buffer& buffer, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) buffer.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

template <std::unsigned_integral T>
T load_little_endian(const uint8_t* bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  return value;
}

}  // namespace kernloop
