#include "softgpu/hsa/memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace kernloop::softgpu {
namespace {

bool granular(uint64_t value) {
  return value % kGranule == 0;
}

void* pointer(uint64_t address) {
  return reinterpret_cast<void*>(address);
}

constexpr char kFileName[] = "kernloop-softgpu";

bool same_file(int first, int second) {
  struct stat a, b;
  return ::fstat(first, &a) == 0 && ::fstat(second, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// The size of memory that this runtime exported, in this process or in another; none for other files.
std::optional<uint64_t> exported_bytes(int file) {
  std::array<char, 64> name{};
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), name.data(), name.size());
  const std::string wanted = std::string("/memfd:") + kFileName + " (deleted)";
  struct stat facts;
  if (length < 0 || std::string_view(name.data(), static_cast<size_t>(length)) != wanted) return std::nullopt;
  if (::fstat(file, &facts) != 0 || facts.st_size <= 0) return std::nullopt;
  return static_cast<uint64_t>(facts.st_size);
}

int host_protection(int permission) {
  switch (permission) {
    case HSA_ACCESS_PERMISSION_RO:
      return PROT_READ;
    case HSA_ACCESS_PERMISSION_WO:
    case HSA_ACCESS_PERMISSION_RW:
      return PROT_READ | PROT_WRITE;
    default:
      return PROT_NONE;
  }
}

}  // namespace

VirtualMemory::Physical::~Physical() {
  ::close(file);
  if (!is_foreign) memory.refund(pool, size);
}

VirtualMemory::VirtualMemory(AddressSpace& space, Memory& memory) : space_(space), memory_(memory) {}

hsa_status_t VirtualMemory::reserve(uint64_t size, uint64_t address, uint64_t alignment, uint64_t* base) {
  alignment = std::max(alignment, kGranule);
  if (size == 0 || !granular(size) || !granular(address) || !std::has_single_bit(alignment))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::optional<Mapping> mapping;
  if (address != 0 && address % alignment == 0) mapping = memory_.addresses_for(address).reserve_at(address, size);
  if (!mapping) mapping = memory_.device_addresses().reserve(size, alignment);
  if (!mapping) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *base = mapping->base();
  std::lock_guard lock(mutex_);
  reservations_.emplace(mapping->base(), std::move(*mapping));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::free(uint64_t base, uint64_t size) {
  std::shared_ptr<Mapping> gone;
  {
    std::lock_guard lock(mutex_);
    auto found = reservations_.find(base);
    if (found == reservations_.end() || found->second.size() != size) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    auto mapped = mappings_.lower_bound(base);
    if (mapped != mappings_.end() && mapped->first < base + size) return HSA_STATUS_ERROR_RESOURCE_FREE;
    gone = std::make_shared<Mapping>(std::move(found->second));
    reservations_.erase(found);
  }
  space_.unmap(base, size, [this, gone] { memory_.addresses_for(gone->base()).give_back(std::move(*gone)); });
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::create_handle(const Pool& pool, uint64_t size, hsa_amd_memory_type_t type,
                                          uint64_t* handle) {
  if (size == 0 || !granular(size)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!memory_.charge(pool, size)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const int file = ::memfd_create(kFileName, MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(size)) != 0) {
    if (file >= 0) ::close(file);
    memory_.refund(pool, size);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  std::lock_guard lock(mutex_);
  *handle = next_handle_++;
  reference(std::shared_ptr<Physical>(new Physical{memory_, pool, size, file, type, *handle}));
  return HSA_STATUS_SUCCESS;
}

void VirtualMemory::reference(const std::shared_ptr<Physical>& physical) {
  ++handles_.try_emplace(physical->handle, Handle{physical, 0}).first->second.references;
}

hsa_status_t VirtualMemory::release_handle(uint64_t handle) {
  std::lock_guard lock(mutex_);
  auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (--found->second.references == 0) handles_.erase(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::retain_handle(uint64_t address, uint64_t* handle) {
  std::lock_guard lock(mutex_);
  auto mapped = mappings_.find(address);  // ROCr wants the address at which the memory was mapped
  if (mapped == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  reference(mapped->second.physical);
  *handle = mapped->second.physical->handle;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::export_handle(uint64_t handle, int* file) const {
  *file = -1;
  std::lock_guard lock(mutex_);
  auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *file = ::fcntl(found->second.physical->file, F_DUPFD_CLOEXEC, 0);
  return *file < 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}

std::shared_ptr<VirtualMemory::Physical> VirtualMemory::find_file(int file) const {
  const auto is_it = [&](const Physical& physical) { return same_file(physical.file, file); };
  for (const auto& [number, handle] : handles_) {
    if (is_it(*handle.physical)) return handle.physical;
  }
  for (const auto& [address, mapped] : mappings_) {  // released, but in use
    if (is_it(*mapped.physical)) return mapped.physical;
  }
  return nullptr;
}

hsa_status_t VirtualMemory::import_handle(int file, uint64_t* handle) {
  const std::optional<uint64_t> size = exported_bytes(file);
  if (!size) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  std::lock_guard lock(mutex_);
  std::shared_ptr<Physical> physical = find_file(file);
  if (physical == nullptr) {
    const int own = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    // The file does not record its pool: device memory, as in ROCr.
    physical.reset(new Physical{memory_, device_pool(), *size, own, MEMORY_TYPE_NONE, next_handle_++, true});
  }
  reference(physical);
  *handle = physical->handle;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::handle_properties(uint64_t handle, const Pool** pool, hsa_amd_memory_type_t* type) const {
  std::lock_guard lock(mutex_);
  auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *pool = &found->second.physical->pool;
  *type = found->second.physical->type;
  return HSA_STATUS_SUCCESS;
}

bool VirtualMemory::reserved(uint64_t address, uint64_t size) const {
  auto above = reservations_.upper_bound(address);
  if (above == reservations_.begin()) return false;
  const Mapping& reservation = std::prev(above)->second;
  return address - reservation.base() <= reservation.size() &&
         size <= reservation.size() - (address - reservation.base());
}

hsa_status_t VirtualMemory::map(uint64_t address, uint64_t size, uint64_t offset, uint64_t handle) {
  if (size == 0 || !granular(address) || !granular(size) || !granular(offset)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard lock(mutex_);
  auto found = handles_.find(handle);
  if (found == handles_.end() || !reserved(address, size)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const Physical& physical = *found->second.physical;
  if (offset > physical.size || size > physical.size - offset) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto next = mappings_.lower_bound(address);
  if (next != mappings_.end() && next->first < address + size) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (next != mappings_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second.size > address) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  void* got =
      ::mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical.file, static_cast<off_t>(offset));
  if (got == MAP_FAILED) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  mappings_.emplace(address, Mapped{size, found->second.physical});
  return HSA_STATUS_SUCCESS;
}

bool VirtualMemory::exact(uint64_t address, uint64_t size, Mappings::iterator& first, Mappings::iterator& last) {
  first = mappings_.find(address);
  uint64_t end = address;
  for (last = first; last != mappings_.end() && last->first == end && end - address < size; ++last)
    end += last->second.size;
  return first != mappings_.end() && end - address == size;
}

hsa_status_t VirtualMemory::unmap(uint64_t address, uint64_t size) {
  {
    std::lock_guard lock(mutex_);
    Mappings::iterator first, last;
    if (!exact(address, size, first, last)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    mappings_.erase(first, last);
  }
  // The addresses stay reserved; a dispatch that began before may still reach their content.
  space_.unmap(address, size, [this, address, size] {
    std::lock_guard lock(mutex_);
    auto next = mappings_.lower_bound(address);
    if (next != mappings_.end() && next->first < address + size) return;  // mapped anew meanwhile
    if (reserved(address, size))
      ::mmap(pointer(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  });
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::set_access(uint64_t address, uint64_t size,
                                       std::span<const hsa_amd_memory_access_desc_t> access) {
  std::lock_guard lock(mutex_);
  Mappings::iterator first, last;
  if (!exact(address, size, first, last)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  for (const auto& entry : access) {
    if (!is_agent(entry.agent_handle)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (static_cast<int>(entry.permissions) < 0 || entry.permissions > HSA_ACCESS_PERMISSION_RW)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  for (auto mapping = first; mapping != last; ++mapping) {
    Mapped& mapped = mapping->second;
    for (const auto& entry : access)
      (is_gpu(entry.agent_handle) ? mapped.gpu_permission : mapped.cpu_permission) = entry.permissions;
    // Kernels run in this process: the host's page tables must allow the GPU's accesses.
    const int protection = host_protection(mapped.gpu_permission) | host_protection(mapped.cpu_permission);
    if (::mprotect(pointer(mapping->first), mapped.size, protection) != 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (mapped.gpu_permission == 0) {
      space_.unmap(mapping->first, mapped.size);
    } else {
      space_.map(mapping->first, mapped.size,
                 mapped.gpu_permission == HSA_ACCESS_PERMISSION_RO ? AddressSpace::Access::kRead
                                                                   : AddressSpace::Access::kReadWrite,
                 "virtual memory (" + std::to_string(mapped.size) + " bytes)");
    }
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::get_access(uint64_t address, hsa_agent_t agent, hsa_access_permission_t* permission) const {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  std::lock_guard lock(mutex_);
  auto above = mappings_.upper_bound(address);
  if (above == mappings_.begin()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const auto& [base, mapped] = *std::prev(above);
  if (address - base >= mapped.size) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  *permission = static_cast<hsa_access_permission_t>(is_gpu(agent) ? mapped.gpu_permission : mapped.cpu_permission);
  return HSA_STATUS_SUCCESS;
}

std::optional<RangeInfo> VirtualMemory::find(const void* wanted) const {
  const uint64_t address = reinterpret_cast<uint64_t>(wanted);
  std::lock_guard lock(mutex_);
  auto above = mappings_.upper_bound(address);
  if (above == mappings_.begin()) return std::nullopt;
  const auto& [base, mapped] = *std::prev(above);
  if (address - base >= mapped.size) return std::nullopt;
  return RangeInfo{HSA_EXT_POINTER_TYPE_HSA,           base,   mapped.size, mapped.physical->pool.owner,
                   mapped.physical->pool.global_flags, nullptr};
}

}  // namespace kernloop::softgpu
