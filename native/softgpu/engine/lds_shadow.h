// Who touched each byte of a workgroup's LDS last, for the checker (checker.h).
#pragma once

#include <cstdint>
#include <vector>

namespace kernloop::softgpu {

struct LdsShadow {
  // An access happens before every one of a later epoch: there is a barrier of the workgroup in between.
  struct Access {
    uint32_t epoch = 0;  // 0: never
    uint16_t wave = 0;
    bool is_atomic = false;
    uint64_t pc = 0;
  };
  struct Byte {
    Access written;
    // Two readers of different waves: a writer is at odds with at least one of them.
    Access read, read_by_other;
  };

  explicit LdsShadow(uint32_t size) : bytes(size) {}

  uint32_t epoch = 1;
  std::vector<Byte> bytes;
};

}  // namespace kernloop::softgpu
