#include "fakes/cuda/memory/memory.h"

#include <algorithm>
#include <mutex>

#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {
namespace {

constexpr uint64_t kSmallLimit = 1ull << 20;
constexpr uint64_t kSmallAlignment = 512;

bool on_every_device(MemoryKind kind) {
  return kind == MemoryKind::Managed || kind == MemoryKind::Pinned;
}

template <typename Map>
auto containing(Map& map, uint64_t address) {
  auto after = map.upper_bound(address);
  return after == map.begin() ? map.end() : std::prev(after);
}

}  // namespace

// Never destroyed: worker threads use it until the process is gone.
Memory& memory() {
  static Memory* const kMemory = new Memory;
  return *kMemory;
}

// --- Allocations ---

CUresult Memory::allocate(Allocation wanted, CUdeviceptr* base) {
  if (wanted.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::unique_lock lock(mutex_);
  if (!wanted.on_host() && used_bytes_locked(wanted.device) + wanted.bytes > settings().memory_bytes) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = wanted.bytes <= kSmallLimit ? allocate_small(wanted) : allocate_large(wanted);
  if (result != CUDA_SUCCESS) return result;
  wanted.id = next_id_++;
  allocations_[wanted.base] = wanted;
  *base = wanted.base;
  return CUDA_SUCCESS;
}

CUresult Memory::allocate_small(Allocation& wanted) {
  const uint64_t needed = round_up(wanted.bytes, kSmallAlignment);
  for (Block& block : blocks_) {
    if (block.kind != wanted.kind || block.device != wanted.device) continue;
    for (auto [offset, bytes] : block.free) {
      if (bytes < needed) continue;
      block.free.erase(offset);
      if (bytes > needed) block.free[offset + needed] = bytes - needed;
      wanted.base = block.base + offset;
      wanted.backing = block.backing;
      wanted.offset = offset;
      return CUDA_SUCCESS;
    }
  }
  Allocation granule = wanted;
  granule.bytes = kGranule;
  if (const CUresult result = allocate_large(granule); result != CUDA_SUCCESS) return result;
  blocks_.push_back({granule.base, wanted.kind, wanted.device, granule.backing, {{0, kGranule}}});
  return allocate_small(wanted);
}

CUresult Memory::allocate_large(Allocation& wanted) {
  const uint64_t bytes = round_up(wanted.bytes, kGranule);
  wanted.backing = Backing::create(bytes);
  wanted.offset = 0;
  wanted.base = reserve_pages(0, bytes, kGranule);
  if (wanted.backing == nullptr || wanted.base == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!map_pages(wanted.base, bytes, *wanted.backing, 0, true)) return CUDA_ERROR_OUT_OF_MEMORY;
  ranges_[wanted.base] = {bytes, on_every_device(wanted.kind) ? -1 : wanted.device, {}, false};
  return CUDA_SUCCESS;
}

Memory::Block* Memory::block_of(CUdeviceptr base) {
  for (Block& block : blocks_) {
    if (base >= block.base && base < block.base + kGranule) return &block;
  }
  return nullptr;
}

void Memory::free_small(Block& block, const Allocation& allocation) {
  uint64_t offset = allocation.base - block.base;
  uint64_t bytes = round_up(allocation.bytes, kSmallAlignment);
  auto after = block.free.lower_bound(offset);
  if (after != block.free.end() && after->first == offset + bytes) {
    bytes += after->second;
    after = block.free.erase(after);
  }
  if (after != block.free.begin() && std::prev(after)->first + std::prev(after)->second == offset) {
    std::prev(after)->second += bytes;
  } else {
    block.free[offset] = bytes;
  }
}

CUresult Memory::free(CUdeviceptr base, std::initializer_list<MemoryKind> kinds) {
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(base);
  if (found == allocations_.end()) return CUDA_ERROR_INVALID_VALUE;
  const Allocation allocation = found->second;
  if (std::find(kinds.begin(), kinds.end(), allocation.kind) == kinds.end()) return CUDA_ERROR_INVALID_VALUE;
  allocations_.erase(found);
  if (Block* block = block_of(base); block != nullptr) {
    free_small(*block, allocation);
    return CUDA_SUCCESS;
  }
  const auto range = ranges_.find(base);
  if (allocation.kind != MemoryKind::Registered) release_pages(base, range->second.bytes);
  ranges_.erase(range);
  return CUDA_SUCCESS;
}

CUresult Memory::adopt(Allocation wanted) {
  const std::unique_lock lock(mutex_);
  const auto before = containing(allocations_, wanted.base + wanted.bytes - 1);
  if (before != allocations_.end() && before->first + before->second.bytes > wanted.base) {
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  wanted.id = next_id_++;
  allocations_[wanted.base] = wanted;
  ranges_[wanted.base] = {wanted.bytes, -1, {}, false};
  return CUDA_SUCCESS;
}

CUresult Memory::import(Allocation wanted, CUdeviceptr* base) {
  const std::unique_lock lock(mutex_);
  const uint64_t bytes = wanted.backing->bytes();
  const uint64_t window = reserve_pages(0, bytes, kGranule);
  if (window == 0 || !map_pages(window, bytes, *wanted.backing, 0, true)) return CUDA_ERROR_MAP_FAILED;
  wanted.base = window;
  wanted.bytes = bytes;
  wanted.id = next_id_++;
  allocations_[window] = wanted;
  ranges_[window] = {bytes, wanted.device, {}, false};
  *base = window;
  return CUDA_SUCCESS;
}

void Memory::free_all_of(CUcontext context) {
  std::vector<Allocation> own;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [base, allocation] : allocations_) {
      if (allocation.context == context && allocation.kind != MemoryKind::Mapped) own.push_back(allocation);
    }
  }
  for (const Allocation& allocation : own) (void)free(allocation.base, {allocation.kind});
}

std::optional<Allocation> Memory::find(CUdeviceptr address) const {
  const std::shared_lock lock(mutex_);
  const auto found = containing(allocations_, address);
  if (found == allocations_.end() || address >= found->first + found->second.bytes) return std::nullopt;
  return found->second;
}

uint64_t Memory::used_bytes(int device) const {
  const std::shared_lock lock(mutex_);
  return used_bytes_locked(device);
}

uint64_t Memory::used_bytes_locked(int device) const {
  uint64_t bytes = 0;
  for (const auto& [base, range] : ranges_) {
    if (range.device == device && !range.mapped) bytes += range.bytes;
  }
  for (const auto& [handle, physical] : physical_) {
    if (physical.properties.location.id == device) bytes += physical.backing->bytes();
  }
  return bytes;
}

bool Memory::reachable(CUdeviceptr address, uint64_t bytes, int device, bool write) const {
  const std::shared_lock lock(mutex_);
  while (bytes > 0) {
    const auto found = containing(ranges_, address);
    if (found == ranges_.end() || address >= found->first + found->second.bytes) return false;
    const Range& range = found->second;
    if (range.mapped) {
      const auto access = range.access.find(device);
      if (access == range.access.end() || access->second == CU_MEM_ACCESS_FLAGS_PROT_NONE) return false;
      if (write && access->second != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return false;
    } else if (range.device != -1 && range.device != device) {
      return false;
    }
    const uint64_t here = std::min<uint64_t>(bytes, found->first + range.bytes - address);
    address += here;
    bytes -= here;
  }
  return true;
}

// --- Virtual memory management ---

CUresult Memory::reserve(CUdeviceptr* base, uint64_t bytes, uint64_t alignment, CUdeviceptr hint) {
  if (bytes == 0 || bytes % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  if (alignment != 0 && (alignment & (alignment - 1)) != 0) return CUDA_ERROR_INVALID_VALUE;
  const uint64_t refused = settings().refused_address;
  const bool asked_for_refused = refused != 0 && refused >= hint && refused - hint < bytes;
  const bool honoured = hint != 0 && hint % kWindow == 0 && bytes % kWindow == 0 && !asked_for_refused;
  uint64_t got = honoured ? reserve_pages(hint, bytes, kGranule) : 0;
  if (got == 0) got = reserve_pages(0, bytes, std::max(alignment, kGranule));
  if (got == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::unique_lock lock(mutex_);
  reservations_[got] = bytes;
  *base = got;
  return CUDA_SUCCESS;
}

CUresult Memory::unreserve(CUdeviceptr base, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  const auto found = reservations_.find(base);
  if (found == reservations_.end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!reserved_and_empty(base, bytes)) return CUDA_ERROR_INVALID_VALUE;
  reservations_.erase(found);
  release_pages(base, bytes);
  return CUDA_SUCCESS;
}

bool Memory::reserved_and_empty(uint64_t base, uint64_t bytes) const {
  const auto window = containing(reservations_, base);
  if (window == reservations_.end() || base + bytes > window->first + window->second) return false;
  const auto before = containing(ranges_, base + bytes - 1);
  return before == ranges_.end() || before->first + before->second.bytes <= base;
}

CUresult Memory::create(const CUmemAllocationProp& properties, uint64_t bytes, CUmemGenericAllocationHandle* handle) {
  if (bytes == 0 || bytes % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  const std::unique_lock lock(mutex_);
  if (used_bytes_locked(properties.location.id) + bytes > settings().memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  auto backing = Backing::create(bytes);
  if (backing == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  return import_locked(std::move(backing), properties, handle);
}

CUresult Memory::import(std::shared_ptr<Backing> backing, const CUmemAllocationProp& properties,
                        CUmemGenericAllocationHandle* handle) {
  const std::unique_lock lock(mutex_);
  return import_locked(std::move(backing), properties, handle);
}

CUresult Memory::import_locked(std::shared_ptr<Backing> backing, const CUmemAllocationProp& properties,
                               CUmemGenericAllocationHandle* handle) {
  *handle = next_handle_++;
  physical_[*handle] = {std::move(backing), properties, 1};
  return CUDA_SUCCESS;
}

void Memory::release_locked(CUmemGenericAllocationHandle handle) {
  const auto found = physical_.find(handle);
  if (--found->second.references == 0) physical_.erase(found);
}

CUresult Memory::release(CUmemGenericAllocationHandle handle) {
  const std::unique_lock lock(mutex_);
  if (physical_.count(handle) == 0) return CUDA_ERROR_INVALID_VALUE;
  release_locked(handle);
  return CUDA_SUCCESS;
}

CUresult Memory::map(CUdeviceptr base, uint64_t bytes, uint64_t offset, CUmemGenericAllocationHandle handle) {
  const std::unique_lock lock(mutex_);
  const auto found = physical_.find(handle);
  if (found == physical_.end() || offset != 0 || bytes == 0 || base % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes != found->second.backing->bytes() || !reserved_and_empty(base, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (!map_pages(base, bytes, *found->second.backing, 0, false)) return CUDA_ERROR_MAP_FAILED;
  ++found->second.references;
  mapped_handles_[base] = handle;
  ranges_[base] = {bytes, found->second.properties.location.id, {}, true};
  Allocation allocation;
  allocation.base = base;
  allocation.bytes = bytes;
  allocation.kind = MemoryKind::Mapped;
  allocation.device = found->second.properties.location.id;
  allocation.id = next_id_++;
  allocation.backing = found->second.backing;
  allocations_[base] = allocation;
  return CUDA_SUCCESS;
}

CUresult Memory::unmap(CUdeviceptr base, uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  std::vector<uint64_t> whole;
  for (uint64_t at = base; at < base + bytes;) {
    const auto found = ranges_.find(at);
    if (found == ranges_.end() || !found->second.mapped) return CUDA_ERROR_INVALID_VALUE;
    whole.push_back(at);
    at += found->second.bytes;
    if (at > base + bytes) return CUDA_ERROR_INVALID_VALUE;  // mappings come and go as a whole
  }
  for (uint64_t at : whole) {
    unmap_pages(at, ranges_[at].bytes);
    release_locked(mapped_handles_[at]);
    mapped_handles_.erase(at);
    ranges_.erase(at);
    allocations_.erase(at);
  }
  return CUDA_SUCCESS;
}

CUresult Memory::set_access(CUdeviceptr base, uint64_t bytes, const CUmemAccessDesc& access) {
  const std::unique_lock lock(mutex_);
  if (access.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  for (uint64_t at = base; at < base + bytes;) {
    const auto found = ranges_.find(at);
    if (found == ranges_.end() || !found->second.mapped) return CUDA_ERROR_INVALID_VALUE;
    found->second.access[access.location.id] = access.flags;
    protect_pages(at, found->second.bytes, true);
    at += found->second.bytes;
  }
  return CUDA_SUCCESS;
}

CUmemAccess_flags Memory::access(CUdeviceptr address, int device) const {
  const std::shared_lock lock(mutex_);
  const auto found = containing(ranges_, address);
  if (found == ranges_.end() || address >= found->first + found->second.bytes) return CU_MEM_ACCESS_FLAGS_PROT_NONE;
  const auto access = found->second.access.find(device);
  return access == found->second.access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : access->second;
}

CUresult Memory::retain(CUdeviceptr address, CUmemGenericAllocationHandle* handle) {
  const std::unique_lock lock(mutex_);
  const auto found = containing(mapped_handles_, address);
  if (found == mapped_handles_.end() || address >= found->first + ranges_[found->first].bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++physical_[found->second].references;
  *handle = found->second;
  return CUDA_SUCCESS;
}

std::optional<Physical> Memory::physical(CUmemGenericAllocationHandle handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = physical_.find(handle);
  return found == physical_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kernloop::cuda::fake
