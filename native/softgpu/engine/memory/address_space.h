// The memory that the GPU may touch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernloop::softgpu {

class ByteShadow;

struct AddressRange {
  uint64_t base;
  uint64_t size;
};

// Sorted, merged byte ranges of global memory a dispatch read and wrote.
struct AccessSets {
  std::vector<AddressRange> reads, writes;
  // Identifies by page which lanes access which bytes: a sum over all accesses, the same in any order.
  struct Page {
    uint64_t base, size;
    uint64_t by_lane;
  };
  std::vector<Page> pages;
};

// Memory that the GPU may touch. Thread-safe; waves read a snapshot, so map/unmap never blocks a running dispatch. An
// address not in here faults the dispatch, even if the host process has mapped it.
class AddressSpace {
 public:
  // A dispatch: while it lives, it may still reach memory that was mapped when it began.
  class Reader {
   public:
    explicit Reader(AddressSpace& space);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

   private:
    AddressSpace& space_;
    const uint64_t number_;
  };

  enum class Access : uint8_t { kRead = 1, kReadWrite = 3 };
  struct Mapping {
    uint64_t base;
    uint64_t size;
    Access access;
    std::string label;
    uint64_t used = 0;                              // bytes that were asked for; 0: all of them
    std::shared_ptr<ByteShadow> written = nullptr;  // for memory that begins uninitialised, if that is checked
  };
  // A recently unmapped range.
  struct Freed {
    uint64_t base;
    uint64_t size;
    std::string label;
  };

  AddressSpace();
  ~AddressSpace();
  void map(uint64_t base, uint64_t size, Access access, std::string label);  // replaces what overlaps
  void map(Mapping mapping);
  // `release` frees the memory itself: called once no reader can reach it any more, on this thread or on that of the
  // last such reader.
  void unmap(uint64_t base, uint64_t size, std::function<void()> release = nullptr);
  std::shared_ptr<const std::vector<Mapping>> snapshot() const;  // sorted by base
  // The last thing that was unmapped from the address, if that is remembered.
  std::optional<Freed> freed_at(uint64_t address) const;
  // The host wrote there: these bytes are no longer uninitialised.
  void mark_written(uint64_t address, uint64_t bytes) const;

 private:
  struct State;
  uint64_t begin_reading();
  void end_reading(uint64_t reader);
  std::unique_ptr<State> state_;
};

}  // namespace kernloop::softgpu
