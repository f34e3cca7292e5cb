// Memory that holds the result of a launch: of a memory, or of a test.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "verdict/values/address_range.h"

namespace kernloop::replay {

// Bytes of global memory that a dispatch touched.
struct Access {
  bool is_write = false;
  uint64_t base = 0;
  uint64_t size = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;

  virtual bool fresh_memory_is_zero() const = 0;

  virtual Status write(uint64_t address, Bytes bytes) = 0;
  virtual Status read(uint64_t address, std::span<uint8_t> into) = 0;
  // Mapped memory that this process can read and write in place at full speed; null if only read() and write() can.
  virtual uint8_t* in_place(uint64_t address) = 0;

  virtual Status fill(uint64_t address, uint64_t size, uint8_t byte);
  // `size` bytes at `address`, in place or copied into `scratch` or a buffer of the device: valid until the next call
  // of anything here.
  virtual Result<Bytes> view(uint64_t address, uint64_t size, Buffer& scratch);
  // A digest of all bytes of `ranges`: another digest means other bytes. It compares with digests of this object alone.
  virtual Result<Digest> digest(const std::vector<AddressRange>& ranges);
};

}  // namespace kernloop::replay
