// Addresses in messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace kernloop::capture {

inline std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace kernloop::capture
