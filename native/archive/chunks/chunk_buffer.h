// The raw bytes of one chunk on their way to the disk, aligned for writing without the page cache, and in huge pages if
// the system has them: 4 MiB in small ones cost a twelfth of the time of hashing and writing them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "archive/chunks/chunk.h"
#include "archive/files/file.h"

namespace kernloop::archive {

class ChunkBuffer {
 public:
  ChunkBuffer() = default;
  explicit ChunkBuffer(size_t capacity) : capacity_(round_up(capacity)) {
    const bool is_large = capacity_ % kHugePage == 0;
    bytes_.reset(static_cast<uint8_t*>(std::aligned_alloc(is_large ? kHugePage : kDirectAlignment, capacity_)));
    if (!bytes_) throw std::bad_alloc();
    if (is_large) ::madvise(bytes_.get(), capacity_, MADV_HUGEPAGE);  // small ones do as well
  }
  ChunkBuffer(ChunkBuffer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  ChunkBuffer& operator=(ChunkBuffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    capacity_ = std::exchange(other.capacity_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  // Takes as much as fits; returns how much.
  size_t append(Bytes bytes) {
    const std::span<uint8_t> added = extend(bytes.size());
    if (!added.empty()) std::memcpy(added.data(), bytes.data(), added.size());
    return added.size();
  }
  // Appends `count` bytes, or as many as fit, for the caller to fill.
  std::span<uint8_t> extend(size_t count) {
    const std::span<uint8_t> added(bytes_.get() + size_, std::min(count, capacity_ - size_));
    size_ += added.size();
    return added;
  }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  size_t capacity() const { return capacity_; }
  Bytes bytes() const { return {bytes_.get(), size_}; }
  explicit operator bool() const { return bytes_ != nullptr; }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  static constexpr size_t kHugePage = 2u << 20;
  static size_t round_up(size_t size) {
    return (std::max<size_t>(size, 1) + kDirectAlignment - 1) / kDirectAlignment * kDirectAlignment;
  }
  std::unique_ptr<uint8_t, Free> bytes_;
  size_t capacity_ = 0, size_ = 0;
};

}  // namespace kernloop::archive
