// The copy engine: the packets of SDMA 4 and 5 that ROCr sends (its sdma_registers.h has their layouts).
#include <algorithm>
#include <cstring>

#include "softgpu/hsa/host/log.h"
#include "softgpu/kfd/queue.h"

namespace kernloop::softgpu::kfd {
namespace {

enum Operation : uint32_t {
  kNop = 0,
  kCopy = 1,
  kFence = 5,
  kTrap = 6,
  kPoll = 8,
  kAtomic = 10,
  kConstantFill = 11,
  kTimestamp = 13,
  kCacheControl = 17,
};

class SdmaQueue final : public Queue {
 public:
  using Queue::Queue;
  ~SdmaQueue() override { stop(); }

 private:
  void run() override {
    uint64_t at = word_at<uint64_t>(ring_.read_index).load();
    while (wait_until([&] { return at < end(); })) {
      const uint64_t used = execute(reinterpret_cast<const uint32_t*>(ring_.base + at % ring_.bytes));
      if (used == 0) return;  // the queue is stopped
      at += used;
      word_at<uint64_t>(ring_.read_index).store(at, std::memory_order_release);
    }
  }

  // Commands up to here are complete: the index is written before they are, the doorbell after.
  uint64_t end() const {
    return std::min(word_at<uint64_t>(ring_.write_index).load(std::memory_order_acquire),
                    std::atomic_ref<uint64_t>(*ring_.doorbell).load(std::memory_order_acquire));
  }

  static uint64_t address(const uint32_t* low) { return uint64_t{low[1]} << 32 | low[0]; }

  // The bytes of the packet, which never wraps; 0: it is not executed.
  uint64_t execute(const uint32_t* packet) {
    const uint32_t operation = packet[0] & 0xff, kind = packet[0] >> 8 & 0xff;
    switch (operation) {
      case kNop:
        return sizeof(uint32_t) * (1 + (packet[0] >> 16 & 0x3fff));
      case kCopy: {
        constexpr uint32_t kLinear = 0, kRectangle = 4;
        if (kind == kLinear) return copy(packet);
        if (kind == kRectangle) return copy_rectangle(packet);
        break;
      }
      case kFence:
        word_at<uint32_t>(address(packet + 1)).store(packet[3], std::memory_order_release);
        return 16;
      case kTrap:
        gpu_.events.scan_page();  // the mailbox was written by a fence before
        return 8;
      case kPoll:
        return poll(packet);
      case kAtomic: {
        constexpr uint32_t kAdd64 = 47;
        if (packet[0] >> 25 != kAdd64) break;
        word_at<int64_t>(address(packet + 1)).fetch_add(static_cast<int64_t>(address(packet + 3)));
        return 32;
      }
      case kConstantFill:
        return fill(packet);
      case kTimestamp:
        word_at<uint64_t>(address(packet + 1)).store(gpu_ticks(), std::memory_order_release);
        return 12;
      case kCacheControl:
        return 20;
      default:
        break;
    }
    report_error("kfd: queue %u: SDMA packet 0x%08x is not emulated", ring_.id, packet[0]);
    return 0;
  }

  uint64_t copy(const uint32_t* packet) {
    constexpr uint32_t kCount = (1u << 30) - 1;  // ROCr uses 22 bits of it before gfx90a
    const uint64_t bytes = uint64_t{packet[1] & kCount} + 1;
    std::memmove(reinterpret_cast<void*>(address(packet + 5)), reinterpret_cast<const void*>(address(packet + 3)),
                 bytes);
    return 28;
  }

  struct Side {
    uint64_t base, x, y, z, pitch, slice;
    explicit Side(const uint32_t* words)
        : base(address(words)),
          x(words[2] & 0x3fff),
          y(words[2] >> 16 & 0x3fff),
          z(words[3] & 0x7ff),
          pitch((words[3] >> 13) + 1),
          slice((words[4] & 0xfffffff) + 1) {}
    uint64_t row(uint64_t element, uint64_t of_y, uint64_t of_z) const {
      return base + element * (x + (y + of_y) * pitch + (z + of_z) * slice);
    }
  };
  uint64_t copy_rectangle(const uint32_t* packet) {
    const Side from(packet + 1), to(packet + 6);
    const uint64_t element = uint64_t{1} << (packet[0] >> 29);
    const uint64_t width = (packet[11] & 0x3fff) + 1, height = (packet[11] >> 16 & 0x3fff) + 1,
                   depth = (packet[12] & 0x7ff) + 1;
    for (uint64_t z = 0; z < depth; z++) {
      for (uint64_t y = 0; y < height; y++) {
        std::memmove(reinterpret_cast<void*>(to.row(element, y, z)),
                     reinterpret_cast<const void*>(from.row(element, y, z)), width * element);
      }
    }
    return 52;
  }

  uint64_t fill(const uint32_t* packet) {
    constexpr uint32_t kWords = 2;
    if (packet[0] >> 30 != kWords) {
      report_error("kfd: queue %u: an SDMA fill of other units than 32 bits is not emulated", ring_.id);
      return 0;
    }
    const uint64_t bytes = (packet[4] & 0x3fffff) + 1;
    for (uint64_t at = 0; at < bytes; at += sizeof(uint32_t)) {
      std::memcpy(reinterpret_cast<void*>(address(packet + 1) + at), packet + 3,
                  std::min<uint64_t>(sizeof(uint32_t), bytes - at));
    }
    return 20;
  }

  uint64_t poll(const uint32_t* packet) {
    constexpr uint32_t kOfMemory = 1u << 31;
    if (!(packet[0] & kOfMemory)) return 24;  // ROCr's initial flush of HDP, a register
    const uint32_t function = packet[0] >> 28 & 7, value = packet[3], mask = packet[4];
    const bool is_met = wait_until([&] {
      const uint32_t seen = word_at<uint32_t>(address(packet + 1)).load(std::memory_order_acquire) & mask;
      switch (function) {
        case 0:
          return true;
        case 1:
          return seen < value;
        case 2:
          return seen <= value;
        case 3:
          return seen == value;
        case 4:
          return seen != value;
        case 5:
          return seen >= value;
        default:
          return seen > value;
      }
    });
    return is_met ? 24 : 0;
  }
};

}  // namespace

std::unique_ptr<Queue> make_sdma_queue(const Gpu& gpu, const Ring& ring) {
  return std::make_unique<SdmaQueue>(gpu, ring);
}

}  // namespace kernloop::softgpu::kfd
