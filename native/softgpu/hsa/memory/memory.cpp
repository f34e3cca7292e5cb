#include "softgpu/hsa/memory/memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "softgpu/engine/memory/byte_shadow.h"
#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {
namespace {

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

std::string label(const Pool& pool, uint64_t ordinal, uint64_t size) {
  return std::string(pool.name) + " allocation #" + std::to_string(ordinal) + " (" + std::to_string(size) + " bytes)";
}

}  // namespace

Memory::Memory(AddressSpace& space) : space_(space) {}

bool Memory::charge(const Pool& pool, uint64_t size) {
  std::lock_guard lock(mutex_);
  uint64_t& used = is_gpu(pool.owner) ? used_device_ : used_host_;
  if (size > pool_bytes(pool) || used > pool_bytes(pool) - size) return false;
  used += size;
  return true;
}

void Memory::refund(const Pool& pool, uint64_t size) {
  std::lock_guard lock(mutex_);
  (is_gpu(pool.owner) ? used_device_ : used_host_) -= size;
}

uint64_t Memory::available(const Pool& pool) const {
  std::lock_guard lock(mutex_);
  return pool_bytes(pool) - (is_gpu(pool.owner) ? used_device_ : used_host_);
}

AddressAllocator& Memory::addresses_for(uint64_t address) {
  for (auto [aperture, allocator] :
       {std::pair{kDeviceAperture, &device_addresses_}, std::pair{kHostAperture, &host_addresses_},
        std::pair{kCodeAperture, &code_addresses_}}) {
    if (aperture.contains(address)) return *allocator;
  }
  return other_addresses_;
}

hsa_status_t Memory::allocate(const Pool& pool, uint64_t size, void** pointer) {
  if (size > pool_bytes(pool)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const uint64_t rounded = round_up(size, kGranule);
  if (!charge(pool, rounded)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto mapping = (is_gpu(pool.owner) ? device_addresses_ : host_addresses_).take(rounded);
  if (!mapping) {
    refund(pool, rounded);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const uint64_t base = mapping->base();
  std::lock_guard lock(mutex_);
  const uint64_t ordinal = next_ordinal_++;
  std::shared_ptr<ByteShadow> written;
  if (tracks_initialization_ && is_gpu(pool.owner)) {
    written = std::make_shared<ByteShadow>(base, rounded);
    std::memset(reinterpret_cast<void*>(base), ByteShadow::kFiller, rounded);
  }
  space_.map({base, rounded, AddressSpace::Access::kReadWrite, label(pool, ordinal, size), size, std::move(written)});
  allocations_.emplace(base, Allocation{std::move(*mapping), &pool, ordinal, nullptr, {}});
  log_line(LogLevel::kObjects, "%s at 0x%lx", label(pool, ordinal, size).c_str(), base);
  *pointer = reinterpret_cast<void*>(base);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::release(void* pointer) {
  Allocations::node_type node;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = allocations_.find(address_of(pointer));
        fails_first_release_ && found != allocations_.end()) {
      if (!std::exchange(found->second.release_failed, true)) return HSA_STATUS_ERROR;
    }
    node = allocations_.extract(address_of(pointer));
  }
  if (node.empty()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  Allocation& allocation = node.mapped();
  for (const ReleaseCallback& callback : allocation.callbacks) callback.function(pointer, callback.user_data);
  const Pool& pool = *allocation.pool;
  const uint64_t size = allocation.mapping.size();
  AddressAllocator& addresses = is_gpu(pool.owner) ? device_addresses_ : host_addresses_;
  space_.unmap(node.key(), size, [&addresses, mapping = std::make_shared<Mapping>(std::move(allocation.mapping))] {
    addresses.give_back(std::move(*mapping));
  });
  refund(pool, size);
  return HSA_STATUS_SUCCESS;
}

Memory::Allocations::const_iterator Memory::containing(uint64_t address) const {
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return allocations_.end();
  auto candidate = std::prev(above);
  return address - candidate->first < candidate->second.mapping.size() ? candidate : allocations_.end();
}

void Memory::map_locked(const Locked& locked) {
  space_.map(locked.page_base, locked.page_size, AddressSpace::Access::kReadWrite,
             "locked host memory (" + std::to_string(locked.size) + " bytes)");
}

hsa_status_t Memory::lock(void* pointer, uint64_t size) {
  const uint64_t address = address_of(pointer);
  if (size == 0 || address > UINT64_MAX - size - kGranule) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard guard(mutex_);
  const uint64_t page_base = address / kGranule * kGranule;
  Locked locked{size, page_base, round_up(address + size, kGranule) - page_base, nullptr};
  // Pool memory is accessible already and stays so after the unlock.
  if (containing(address) == allocations_.end()) map_locked(locked);
  locked_.emplace(address, locked);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::unlock(void* pointer) {
  const uint64_t address = address_of(pointer);
  std::lock_guard guard(mutex_);
  auto found = locked_.find(address);
  // ROCr answers success for memory that was not locked.
  if (found == locked_.end()) return HSA_STATUS_SUCCESS;
  const Locked gone = found->second;
  locked_.erase(found);
  if (containing(address) != allocations_.end()) return HSA_STATUS_SUCCESS;
  space_.unmap(gone.page_base, gone.page_size);
  for (const auto& [other, locked] : locked_) {  // overlapping ranges stay accessible
    if (locked.page_base < gone.page_base + gone.page_size && gone.page_base < locked.page_base + locked.page_size)
      map_locked(locked);
  }
  return HSA_STATUS_SUCCESS;
}

std::optional<RangeInfo> Memory::find(const void* pointer) const {
  const uint64_t address = address_of(pointer);
  std::lock_guard guard(mutex_);
  if (auto found = containing(address); found != allocations_.end()) {
    const auto& [base, allocation] = *found;
    return RangeInfo{HSA_EXT_POINTER_TYPE_HSA,      base,
                     allocation.mapping.size(),     allocation.pool->owner,
                     allocation.pool->global_flags, allocation.user_data};
  }
  for (auto it = locked_.upper_bound(address); it != locked_.begin();) {
    --it;
    if (address - it->first < it->second.size) {
      return RangeInfo{HSA_EXT_POINTER_TYPE_LOCKED,
                       it->first,
                       it->second.size,
                       kCpuAgent,
                       HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
                       it->second.user_data};
    }
  }
  return std::nullopt;
}

bool Memory::set_user_data(const void* pointer, void* user_data) {
  const uint64_t address = address_of(pointer);
  std::lock_guard guard(mutex_);
  if (auto found = containing(address); found != allocations_.end()) {
    allocations_.at(found->first).user_data = user_data;
    return true;
  }
  auto locked = locked_.find(address);
  if (locked == locked_.end()) return false;
  locked->second.user_data = user_data;
  return true;
}

hsa_status_t Memory::add_release_callback(void* pointer, hsa_amd_deallocation_callback_t callback, void* user_data) {
  std::lock_guard guard(mutex_);
  auto found = containing(address_of(pointer));
  if (found == allocations_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  allocations_.at(found->first).callbacks.push_back({callback, user_data});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::remove_release_callback(void* pointer, hsa_amd_deallocation_callback_t callback) {
  std::lock_guard guard(mutex_);
  auto found = containing(address_of(pointer));
  if (found == allocations_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  auto& callbacks = allocations_.at(found->first).callbacks;
  auto removed = std::remove_if(callbacks.begin(), callbacks.end(),
                                [&](const ReleaseCallback& entry) { return entry.function == callback; });
  if (removed == callbacks.end()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  callbacks.erase(removed, callbacks.end());
  return HSA_STATUS_SUCCESS;
}

std::optional<Mapping> Memory::take_code(uint64_t size, uint64_t address) {
  return address == 0 ? code_addresses_.take(size) : addresses_for(address).take_at(address, size);
}

void Memory::give_back_code(Mapping mapping) {
  addresses_for(mapping.base()).give_back(std::move(mapping));
}

}  // namespace kernloop::softgpu
