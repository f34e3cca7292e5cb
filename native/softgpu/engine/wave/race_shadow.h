// Last accesses to each dword of memory, for the race detector (race_detector.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/wave/stale_looks.h"

namespace kernloop::softgpu {

// Times of a dword's last accesses, in accesses of the dispatch so far; 0: never. Only the last access of each kind is
// remembered for all bytes of a dword.
struct RaceCell {
  uint32_t written = 0;
  // Two readers of different waves: a writer is at odds with at least one of them.
  uint32_t read = 0, read_by_other = 0;
  // Accessed bytes, one bit each.
  uint8_t written_bytes = 0, read_bytes = 0, other_bytes = 0;
  // Unordered waves have stored the same value here: each of them finds it.
  bool is_equal : 1 = false;
  // A wave has waited here for another one's store: all accesses here are intended.
  bool is_waited_for : 1 = false;
  // The last value written has been seen past the caches: no wait is needed for it.
  bool has_arrived : 1 = false;
};

// A wave's operations that one counter counts: they complete in order.
class CountedOperations {
 public:
  void issue(uint32_t time) { times_[issued_++ % kMost] = time; }
  // All but so many are done.
  void wait(uint64_t outstanding) {
    if (outstanding < std::min(issued_, kMost)) done_ = std::max(done_, times_[(issued_ - 1 - outstanding) % kMost]);
  }
  // The last one that is known to be done.
  uint32_t done() const { return done_; }

 private:
  static constexpr uint64_t kMost = 64;  // largest count of a hardware counter
  std::array<uint32_t, kMost> times_{};
  uint64_t issued_ = 0;
  uint32_t done_ = 0;
};

// Race state of a workgroup.
struct GroupRaces {
  uint32_t serial = 0;   // by which the detector knows it
  uint32_t begin = 0;    // older entries of the cells are another workgroup's
  uint32_t barrier = 0;  // when all waves met last
  // Time of a wave's last wait for stores. Any wave's wait counts for all of them: behind a barrier it is meant to.
  uint32_t released = 0;
  // The stores of a wave that the last barrier orders, by the counters that it has to wait for.
  struct Done {
    uint32_t lgkm = 0, stores = 0;
  };
  std::vector<Done> done;  // by wave
  std::vector<RaceCell> lds;
};

// Race state of a wave.
struct WaveRaces {
  uint32_t known = 0;                               // time up to which it knows the other waves of its workgroup
  uint64_t last_load_pc = 0, last_load_places = 0;  // its last vector load, with the addresses of all lanes in one
  CountedOperations lgkm, stores;                   // LDS operations; stores to global memory, on RDNA
  StaleLooks looks;                                 // its last vector loads from global memory
};

// Cells of global memory, a page at a time. Bounded: the oldest page is forgotten for the next one.
class RaceShadow {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // The cells of the page, which are stable until `kMostPages` others have been asked for.
  RaceCell* page(uint64_t number) {
    Entry& entry = recent_[number % recent_.size()];
    if (entry.number != number) entry = {number, find(number)};
    return entry.cells;
  }

 private:
  using Cells = std::array<RaceCell, kPageBytes / 4>;
  static constexpr size_t kMostPages = 16384;  // 256 MiB of cells, for 64 MiB of memory

  RaceCell* find(uint64_t number);

  struct Entry {
    uint64_t number = ~uint64_t{0};
    RaceCell* cells = nullptr;
  };
  std::array<Entry, 256> recent_;
  std::unordered_map<uint64_t, size_t> index_;
  std::vector<std::unique_ptr<Cells>> pages_;
  std::vector<uint64_t> numbers_;  // numbers of the pages
  size_t oldest_ = 0;
};

}  // namespace kernloop::softgpu
