// One allocation of device-visible memory, as the app asked for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "capture/core/protocol.h"

namespace kernloop::capture {

struct Allocation {
  uint64_t base = 0;  // the device's address
  uint64_t size = 0;
  MemoryClass memory_class = MemoryClass::kDevice;
  std::string_view api;  // a string literal: the call that made it
  uint64_t ordinal = 0;  // the n-th allocation of the process, from 1
  // Memory of the host process that it may unmap without telling us: read it in a way that survives that.
  bool host_owned = false;
  uint64_t host_address = 0;  // host_owned: the host's address
  // Another process or another API may write to it at any time: it is compared, but never captured.
  bool of_others = false;
  std::optional<bool> address_told = {};  // for a module variable: DeviceCapture::was_address_told()
  // For a region of a capture: whether it is fine-grained memory, where some atomics of the device do nothing; none if
  // the runtime does not report it.
  std::optional<bool> fine_grained = {};

  uint64_t end() const { return base + size; }
};

}  // namespace kernloop::capture
