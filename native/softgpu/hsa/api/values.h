// Writing attribute values, whose type each attribute fixes, through a void pointer.
#pragma once

#include <hsa/hsa.h>

#include <cstring>
#include <string_view>

namespace kernloop::softgpu::api {

template <typename T>
hsa_status_t give(void* value, T content) {
  std::memcpy(value, &content, sizeof(content));
  return HSA_STATUS_SUCCESS;
}

// With its terminating NUL, into a field of `capacity` bytes.
inline hsa_status_t give_text(void* value, std::string_view text, size_t capacity) {
  std::memset(value, 0, capacity);
  std::memcpy(value, text.data(), text.size() < capacity ? text.size() : capacity - 1);
  return HSA_STATUS_SUCCESS;
}

}  // namespace kernloop::softgpu::api
