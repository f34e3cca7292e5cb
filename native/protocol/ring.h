// The byte ring between one agent (producer) and the recorder (consumer): framed records in a sealed memfd that both
// map.
//
//   page 0            RingHeader
//   kCountersOffset   dispatch counters, one a kernel id: the recorder still reads them when the app has been killed
//   kDataOffset       the ring's bytes; a frame may wrap around the end
//
// The consumer trusts nothing in here: the producer is somebody else's process, and a crash may leave any bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace kernloop::protocol {

inline constexpr uint64_t kRingMagic = 0x31474e4952504c4bull;  // "KLPRING1"
inline constexpr uint32_t kMaxKernels = 65536;
inline constexpr uint64_t kCountersOffset = 4096;
inline constexpr uint64_t kDataOffset = kCountersOffset + kMaxKernels * sizeof(uint64_t);
inline constexpr uint64_t kDefaultRingBytes = 64ull << 20;
inline constexpr uint64_t kMinRingBytes = 64ull << 10;
inline constexpr uint64_t kMaxRingBytes = 1ull << 30;
// Bulk data is cut into frames of at most this payload.
inline constexpr uint32_t kMaxFrameBytes = (1u << 20) + 4096;
inline constexpr uint32_t kMaxBulkBytes = 1u << 20;

inline constexpr uint32_t kRingSelections = 64;  // = kMaxSelections

struct RingHeader {
  uint64_t magic;
  uint64_t capacity;
  alignas(64) std::atomic<uint64_t> head;  // bytes ever produced
  std::atomic<uint32_t> producer_waiting;
  alignas(64) std::atomic<uint64_t> tail;  // bytes ever consumed
  std::atomic<uint32_t> consumer_waiting;
  alignas(64) std::atomic<uint64_t> dispatches;
  alignas(64) std::atomic<uint64_t> matches[kRingSelections];  // by selection, in its own way of counting
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(sizeof(RingHeader) <= kCountersOffset);

struct FrameHeader {
  uint32_t type;
  uint32_t size;  // size of the payload; frames start on multiples of 8
};

inline constexpr uint64_t ring_map_bytes(uint64_t capacity) {
  return kDataOffset + capacity;
}
inline constexpr uint64_t padded_frame_bytes(uint64_t payload) {
  return (sizeof(FrameHeader) + payload + 7) & ~7ull;
}

// A shared mapping of one ring.
class RingMapping {
 public:
  RingMapping() = default;
  RingMapping(RingMapping&& other) noexcept;
  RingMapping& operator=(RingMapping&& other) noexcept;
  ~RingMapping();

  // A new ring in a memfd sealed against resizing, so that the other side cannot be made to fault. -1 and errno on
  // failure.
  static int create_memfd(uint64_t capacity);
  // Maps what create_memfd made; `expect_sealed` is the recorder's side. Empty on failure.
  static RingMapping map(int fd, bool expect_sealed);

  explicit operator bool() const { return base_ != nullptr; }
  RingHeader& header() const { return *reinterpret_cast<RingHeader*>(base_); }
  std::atomic<uint64_t>* counters() const { return reinterpret_cast<std::atomic<uint64_t>*>(base_ + kCountersOffset); }
  uint8_t* data() const { return base_ + kDataOffset; }
  // From the size of the memfd, never from the header, which the other side may overwrite.
  uint64_t capacity() const { return bytes_ - kDataOffset; }
  uint8_t* base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint8_t* base_ = nullptr;
  uint64_t bytes_ = 0;
};

// One thread at a time.
class RingProducer {
 public:
  explicit RingProducer(RingMapping& ring) : ring_(ring) {}
  // False if there is no room now. `head` and `body` make one payload.
  bool try_write(uint32_t type, std::span<const uint8_t> head, std::span<const uint8_t> body);
  bool has_room(uint64_t payload) const;

 private:
  void copy_in(uint64_t position, const void* from, uint64_t size);
  RingMapping& ring_;
};

class RingConsumer {
 public:
  enum class Outcome { kFrame, kEmpty, kCorrupt };

  explicit RingConsumer(RingMapping& ring) : ring_(ring) {}
  // The next frame, which stays in the ring until skip().
  Outcome peek(uint32_t* type, uint32_t* size);
  // Bytes of the payload of the frame seen last. Read only the copy, and copy each part once: the producer may change
  // what is in the ring at any time.
  void copy(uint64_t offset, std::span<uint8_t> into) const;
  void skip();
  // All of it: the next frame, copied and gone.
  Outcome read(uint32_t* type, std::vector<uint8_t>* payload);
  bool empty() const;

 private:
  void copy_out(uint64_t position, void* to, uint64_t size) const;
  RingMapping& ring_;
  uint64_t tail_ = 0;         // our own: the shared one is only a copy for the other side
  uint32_t frame_bytes_ = 0;  // payload of the frame seen last
};

}  // namespace kernloop::protocol
