// Bytes of a workgroup's LDS that its waves have written, for the checker (checker.h).
#pragma once

#include <cstdint>
#include <vector>

namespace kernloop::softgpu {

struct LdsShadow {
  explicit LdsShadow(uint32_t size) : written(size) {}

  std::vector<uint8_t> written;
};

}  // namespace kernloop::softgpu
