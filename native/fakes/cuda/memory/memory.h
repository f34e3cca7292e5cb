// All memory that the device can reach: allocated, registered, imported or mapped, with its device.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "abi/cuda/driver.h"
#include "fakes/cuda/memory/address_map.h"

namespace kernloop::cuda::fake {

enum class MemoryKind { Device, Pool, Managed, Pinned, Registered, Imported, Mapped };

struct Allocation {
  CUdeviceptr base = 0;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  int device = 0;
  CUcontext context = nullptr;
  unsigned int flags = 0;  // flags of the call that made it
  CUmemoryPool pool = nullptr;
  uint64_t id = 0;  // never used twice
  std::shared_ptr<Backing> backing;
  uint64_t offset = 0;  // in the backing

  bool on_host() const { return kind == MemoryKind::Pinned || kind == MemoryKind::Registered; }
};

// Physical memory of cuMemCreate.
struct Physical {
  std::shared_ptr<Backing> backing;
  CUmemAllocationProp properties = {};
  int references = 1;  // handles given out, and mappings
};

class Memory {
 public:
  // cuMemAlloc and its kin: `wanted` says kind, device, context, flags and bytes.
  CUresult allocate(Allocation wanted, CUdeviceptr* base);
  CUresult free(CUdeviceptr base, std::initializer_list<MemoryKind> kinds);
  // Memory that exists already: of the host (Registered), or another process's (Imported, with its backing).
  CUresult adopt(Allocation wanted);
  CUresult import(Allocation wanted, CUdeviceptr* base);
  void free_all_of(CUcontext context);

  std::optional<Allocation> find(CUdeviceptr address) const;
  uint64_t used_bytes(int device) const;

  // Whether the device can reach all of the range. As on hardware, whole granules are reachable: also bytes beside a
  // small allocation.
  bool reachable(CUdeviceptr address, uint64_t bytes, int device, bool write) const;

  CUresult reserve(CUdeviceptr* base, uint64_t bytes, uint64_t alignment, CUdeviceptr hint);
  CUresult unreserve(CUdeviceptr base, uint64_t bytes);
  CUresult create(const CUmemAllocationProp& properties, uint64_t bytes, CUmemGenericAllocationHandle* handle);
  CUresult import(std::shared_ptr<Backing> backing, const CUmemAllocationProp& properties,
                  CUmemGenericAllocationHandle* handle);
  CUresult release(CUmemGenericAllocationHandle handle);
  CUresult map(CUdeviceptr base, uint64_t bytes, uint64_t offset, CUmemGenericAllocationHandle handle);
  CUresult unmap(CUdeviceptr base, uint64_t bytes);
  CUresult set_access(CUdeviceptr base, uint64_t bytes, const CUmemAccessDesc& access);
  CUmemAccess_flags access(CUdeviceptr address, int device) const;
  CUresult retain(CUdeviceptr address, CUmemGenericAllocationHandle* handle);
  std::optional<Physical> physical(CUmemGenericAllocationHandle handle) const;

 private:
  struct Range {
    uint64_t bytes = 0;
    int device = -1;                          // -1: every device
    std::map<int, CUmemAccess_flags> access;  // for mapped memory, by device
    bool mapped = false;
  };
  // A granule that small allocations share, 512 bytes apart.
  struct Block {
    uint64_t base = 0;
    MemoryKind kind = MemoryKind::Device;
    int device = 0;
    std::shared_ptr<Backing> backing;
    std::map<uint64_t, uint64_t> free;  // offset -> bytes
  };

  CUresult allocate_small(Allocation& wanted);
  CUresult allocate_large(Allocation& wanted);
  void free_small(Block& block, const Allocation& allocation);
  Block* block_of(CUdeviceptr base);
  uint64_t used_bytes_locked(int device) const;
  CUresult import_locked(std::shared_ptr<Backing> backing, const CUmemAllocationProp& properties,
                         CUmemGenericAllocationHandle* handle);
  void release_locked(CUmemGenericAllocationHandle handle);
  bool reserved_and_empty(uint64_t base, uint64_t bytes) const;

  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_;
  std::map<uint64_t, Range> ranges_;
  std::list<Block> blocks_;
  std::map<uint64_t, uint64_t> reservations_;
  std::map<CUmemGenericAllocationHandle, Physical> physical_;
  std::map<uint64_t, CUmemGenericAllocationHandle> mapped_handles_;
  uint64_t next_id_ = 1;
  CUmemGenericAllocationHandle next_handle_ = 0x4B4C0001;
};

Memory& memory();

}  // namespace kernloop::cuda::fake
