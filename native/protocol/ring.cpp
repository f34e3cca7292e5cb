#include "protocol/ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

namespace kernloop::protocol {

RingMapping::RingMapping(RingMapping&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

RingMapping& RingMapping::operator=(RingMapping&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

RingMapping::~RingMapping() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

int RingMapping::create_memfd(uint64_t capacity) {
  const int fd = memfd_create("kernloop-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (ftruncate(fd, static_cast<off_t>(ring_map_bytes(capacity))) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  RingMapping ring = map(fd, true);
  if (!ring) {
    close(fd);
    return -1;
  }
  auto* header = new (ring.base()) RingHeader{};
  header->magic = kRingMagic;
  header->capacity = capacity;
  return fd;
}

RingMapping RingMapping::map(int fd, bool expect_sealed) {
  RingMapping ring;
  if (expect_sealed) {
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return ring;
  }
  struct stat status;
  if (fstat(fd, &status) != 0 || status.st_size < static_cast<off_t>(ring_map_bytes(kMinRingBytes)) ||
      status.st_size > static_cast<off_t>(ring_map_bytes(kMaxRingBytes)) || status.st_size % 8 != 0) {
    return ring;
  }
  void* base = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return ring;
  ring.base_ = static_cast<uint8_t*>(base);
  ring.bytes_ = static_cast<uint64_t>(status.st_size);
  return ring;
}

void RingProducer::copy_in(uint64_t position, const void* from, uint64_t size) {
  if (size == 0) return;
  const uint64_t capacity = ring_.capacity();
  const uint64_t at = position % capacity;
  const uint64_t first = size < capacity - at ? size : capacity - at;
  std::memcpy(ring_.data() + at, from, first);
  if (first < size) std::memcpy(ring_.data(), static_cast<const uint8_t*>(from) + first, size - first);
}

bool RingProducer::has_room(uint64_t payload) const {
  const RingHeader& header = ring_.header();
  const uint64_t used = header.head.load(std::memory_order_relaxed) - header.tail.load(std::memory_order_acquire);
  return used <= ring_.capacity() && ring_.capacity() - used >= padded_frame_bytes(payload);
}

bool RingProducer::try_write(uint32_t type, std::span<const uint8_t> head, std::span<const uint8_t> body) {
  const uint64_t payload = head.size() + body.size();
  if (payload > kMaxFrameBytes || !has_room(payload)) return false;
  RingHeader& header = ring_.header();
  const uint64_t position = header.head.load(std::memory_order_relaxed);
  const FrameHeader frame{type, static_cast<uint32_t>(payload)};
  copy_in(position, &frame, sizeof frame);
  copy_in(position + sizeof frame, head.data(), head.size());
  copy_in(position + sizeof frame + head.size(), body.data(), body.size());
  // Sequentially consistent, as is the flag read after it: one of the two sides sees the other (no lost wake-up).
  header.head.store(position + padded_frame_bytes(payload), std::memory_order_seq_cst);
  return true;
}

bool RingConsumer::empty() const {
  return ring_.header().head.load(std::memory_order_seq_cst) == tail_;
}

void RingConsumer::copy_out(uint64_t position, void* to, uint64_t size) const {
  if (size == 0) return;
  const uint64_t capacity = ring_.capacity();
  const uint64_t at = position % capacity;
  const uint64_t first = size < capacity - at ? size : capacity - at;
  std::memcpy(to, ring_.data() + at, first);
  if (first < size) std::memcpy(static_cast<uint8_t*>(to) + first, ring_.data(), size - first);
}

RingConsumer::Outcome RingConsumer::peek(uint32_t* type, uint32_t* size) {
  const uint64_t available = ring_.header().head.load(std::memory_order_acquire) - tail_;
  if (available == 0) return Outcome::kEmpty;
  if (available > ring_.capacity() || available < sizeof(FrameHeader)) return Outcome::kCorrupt;
  FrameHeader frame;
  copy_out(tail_, &frame, sizeof frame);
  if (frame.size > kMaxFrameBytes || padded_frame_bytes(frame.size) > available) return Outcome::kCorrupt;
  *type = frame.type;
  *size = frame_bytes_ = frame.size;
  return Outcome::kFrame;
}

void RingConsumer::copy(uint64_t offset, std::span<uint8_t> into) const {
  if (offset > frame_bytes_ || into.size() > frame_bytes_ - offset) return;
  copy_out(tail_ + sizeof(FrameHeader) + offset, into.data(), into.size());
}

void RingConsumer::skip() {
  tail_ += padded_frame_bytes(frame_bytes_);
  frame_bytes_ = 0;
  ring_.header().tail.store(tail_, std::memory_order_seq_cst);
}

RingConsumer::Outcome RingConsumer::read(uint32_t* type, std::vector<uint8_t>* payload) {
  uint32_t size = 0;
  const Outcome outcome = peek(type, &size);
  if (outcome != Outcome::kFrame) return outcome;
  payload->resize(size);
  copy(0, *payload);
  skip();
  return Outcome::kFrame;
}

}  // namespace kernloop::protocol
