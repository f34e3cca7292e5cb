// Pages of the process as the fake uses them: reservations without access, and memory that is mapped over them. Device
// memory is host memory at the same address: unlike with a real driver, a host thread may dereference a device address.
#pragma once

#include <cstdint>
#include <memory>

#include "abi/cuda/driver.h"

namespace kernloop::cuda::fake {

inline constexpr uint64_t kGranule = 2ull << 20;  // the device's mapping granularity
inline constexpr uint64_t kWindow = 32ull << 20;  // the reservations that a real driver places at the requested address

constexpr uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Physical memory: a file in memory, so that other processes can open it (IPC, shareable handles).
class Backing {
 public:
  static std::shared_ptr<Backing> create(uint64_t bytes);  // null: none is left
  static std::shared_ptr<Backing> open(const char* path);
  static std::shared_ptr<Backing> adopt(int fd);  // takes the descriptor
  ~Backing();
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;
  int fd() const { return fd_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Backing(int fd, uint64_t bytes) : fd_(fd), bytes_(bytes) {}
  int fd_;
  uint64_t bytes_;
};

// Pages mapped in the process now are never reserved, not even after they are unmapped: driver 580 does so with pages
// that it finds at its start.
void leave_out_what_is_mapped();

// Address space without access. At `hint` exactly, or (0) at one that differs from process to process. 0: taken.
uint64_t reserve_pages(uint64_t hint, uint64_t bytes, uint64_t alignment);
void release_pages(uint64_t base, uint64_t bytes);

// Both replace earlier mappings; the range must be within a reservation.
bool map_pages(uint64_t base, uint64_t bytes, const Backing& backing, uint64_t offset, bool accessible);
void unmap_pages(uint64_t base, uint64_t bytes);
bool protect_pages(uint64_t base, uint64_t bytes, bool accessible);

}  // namespace kernloop::cuda::fake
