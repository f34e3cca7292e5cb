// Owned ranges of this process's address space.
#pragma once

#include <cstdint>
#include <optional>

namespace kernloop::softgpu {

// munmap on destruction. Never replaces a foreign mapping.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  // Zeroed, readable and writable, committed on first touch.
  static std::optional<Mapping> memory_at(uint64_t base, uint64_t size);
  // Inaccessible: only the addresses are taken.
  static std::optional<Mapping> reservation_at(uint64_t base, uint64_t size);

  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }
  explicit operator bool() const { return size_ != 0; }

 private:
  Mapping(uint64_t base, uint64_t size) : base_(base), size_(size) {}
  static std::optional<Mapping> map(uint64_t base, uint64_t size, int protection);

  uint64_t base_ = 0;
  uint64_t size_ = 0;
};

}  // namespace kernloop::softgpu
