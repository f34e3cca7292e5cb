#include "softgpu/kfd/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "softgpu/hsa/host/log.h"
#include "softgpu/kfd/double_view.h"
#include "softgpu/kfd/gpu_model.h"

namespace kernloop::softgpu::kfd {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t rounded_up(uint64_t bytes, uint64_t to) {
  return (bytes + to - 1) / to * to;
}

const char* kind_of(uint32_t flags) {
  if (flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) return "VRAM";
  if (flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) return "registered memory";
  return "host memory";
}

bool is_unmapped(uint64_t address, uint64_t bytes) {
  return ::msync(reinterpret_cast<void*>(address), bytes, MS_ASYNC) != 0 && errno == ENOMEM;
}

// The parts of the range that are still mapped.
void mapped_parts(uint64_t address, uint64_t bytes, std::vector<std::pair<uint64_t, uint64_t>>& parts) {
  if (!is_unmapped(address, bytes)) {
    parts.emplace_back(address, bytes);
  } else if (bytes > kPage) {
    const uint64_t half = rounded_up(bytes / 2, kPage);
    mapped_parts(address, half, parts);
    mapped_parts(address + half, bytes - half, parts);
  }
}

}  // namespace

int Memory::allocate(kfd_ioctl_alloc_memory_of_gpu_args& args) {
  std::lock_guard lock(mutex_);
  Buffer buffer{args.va_addr, rounded_up(args.size, kPage), 0, args.flags, false};
  if (buffer.bytes == 0 || buffer.bytes < args.size) return EINVAL;
  if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    const uint64_t user = args.mmap_offset;
    if (user != buffer.address && !show_twice(user, buffer.address, buffer.bytes)) {
      const int reason = errno;
      report_error(
          "kfd: memory at 0x%lx (%lu bytes) cannot be registered: it is not mapped and readable throughout, or "
          "is the calling thread's stack",
          user, buffer.bytes);
      return reason;
    }
  } else if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
    buffer.offset = kDoorbellOffset;
  } else if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
    buffer.offset = kMmioOffset;
  } else if (args.flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)) {
    if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
      if (buffer.bytes > kVramBytes - vram_used_) return ENOMEM;
      vram_used_ += buffer.bytes;
    }
    constexpr uint64_t kHugePage = uint64_t{2} << 20;
    buffer.offset = next_offset_;
    next_offset_ += rounded_up(buffer.bytes, kHugePage);
  } else {
    report_error("kfd: an allocation of flags 0x%x is of no known kind", args.flags);
    return EINVAL;
  }
  args.handle = uint64_t{kGpuId} << 32 | next_handle_++;
  if (!(args.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)) args.mmap_offset = buffer.offset;
  buffers_.emplace(args.handle, buffer);
  log_line(LogLevel::kObjects, "kfd: buffer 0x%llx of %s: 0x%lx, %lu bytes", args.handle, kind_of(args.flags),
           buffer.address, buffer.bytes);
  return 0;
}

int Memory::free(uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(handle);
  if (found == buffers_.end() || found->second.is_freed) return EINVAL;
  if (found->second.is_mapped) return EBUSY;
  found->second.is_freed = true;
  release(found);
  return 0;
}

void Memory::release(std::map<uint64_t, Buffer>::iterator found) {
  const Buffer& buffer = found->second;
  if (!buffer.is_freed || buffer.imports > 0) return;
  if (buffer.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) vram_used_ -= buffer.bytes;
  if (buffer.flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)) {
    ::fallocate(files_.descriptor(DeviceFile::kRender), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(buffer.offset), static_cast<off_t>(buffer.bytes));
  }
  buffers_.erase(found);
}

int Memory::export_dmabuf(ExportDmabuf& args) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(args.handle);
  if (found == buffers_.end() || found->second.is_freed) return EINVAL;
  // It holds the handle. Nobody maps it: runtimes map the render node, at the place that it names.
  const int file = ::memfd_create("kernloop-dmabuf", MFD_CLOEXEC);
  if (file < 0) return errno;
  if (::pwrite(file, &args.handle, sizeof(args.handle), 0) != sizeof(args.handle)) {
    ::close(file);
    return ENOMEM;
  }
  args.descriptor = static_cast<uint32_t>(file);
  return 0;
}

int Memory::import_dmabuf(int descriptor, uint32_t& handle) {
  std::lock_guard lock(mutex_);
  uint64_t exported = 0;
  if (::pread(descriptor, &exported, sizeof(exported), 0) != sizeof(exported)) return EINVAL;
  const auto found = buffers_.find(exported);
  if (found == buffers_.end()) return EINVAL;
  found->second.imports++;
  handle = static_cast<uint32_t>(exported);
  return 0;
}

Memory::Buffer* Memory::imported(uint32_t handle) {
  const auto found = buffers_.find(uint64_t{kGpuId} << 32 | handle);
  return found == buffers_.end() || found->second.imports == 0 ? nullptr : &found->second;
}

int Memory::close_import(uint32_t handle) {
  std::lock_guard lock(mutex_);
  Buffer* const buffer = imported(handle);
  if (buffer == nullptr) return EINVAL;
  buffer->imports--;
  release(buffers_.find(uint64_t{kGpuId} << 32 | handle));
  return 0;
}

std::optional<std::pair<uint64_t, uint64_t>> Memory::place_of(uint32_t handle) {
  std::lock_guard lock(mutex_);
  const Buffer* const buffer = imported(handle);
  if (buffer == nullptr) return std::nullopt;
  return std::pair(buffer->bytes, buffer->offset);
}

// The engine reaches memory at the GPU's address, so the host may from now on, too.
int Memory::show(uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t address) {
  std::lock_guard lock(mutex_);
  const Buffer* const buffer = imported(handle);
  if (buffer == nullptr || bytes == 0 || bytes % kPage != 0 || address % kPage != 0 || offset % kPage != 0 ||
      offset > buffer->bytes || bytes > buffer->bytes - offset) {
    return EINVAL;
  }
  void* const place = reinterpret_cast<void*>(address);
  if (::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, files_.descriptor(DeviceFile::kRender),
             static_cast<off_t>(buffer->offset + offset)) != place) {
    return errno;
  }
  space_.map(address, bytes, AddressSpace::Access::kReadWrite, "virtual memory of " + std::to_string(bytes) + " bytes");
  return 0;
}

// The address stays reserved for the runtime, which reserved it.
int Memory::hide(uint64_t bytes, uint64_t address) {
  std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes % kPage != 0 || address % kPage != 0) return EINVAL;
  unmap_range(address, bytes);
  void* const place = reinterpret_cast<void*>(address);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return ::mmap(place, bytes, PROT_NONE, kFlags, -1, 0) == place ? 0 : errno;
}

int Memory::map(uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return EINVAL;
  Buffer& buffer = found->second;
  if (buffer.is_mapped) return 0;
  if (is_unmapped(buffer.address, buffer.bytes)) return EFAULT;
  space_.map(buffer.address, buffer.bytes, AddressSpace::Access::kReadWrite,
             std::string(kind_of(buffer.flags)) + " of " + std::to_string(buffer.bytes) + " bytes");
  buffer.is_mapped = true;
  return 0;
}

int Memory::unmap(uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return EINVAL;
  Buffer& buffer = found->second;
  if (buffer.is_mapped) unmap_range(buffer.address, buffer.bytes);
  buffer.is_mapped = false;
  return 0;
}

void Memory::unmap_range(uint64_t address, uint64_t bytes) {
  space_.unmap(address, bytes);
  engine_.forget_code(address, bytes);
}

Memory::Shared Memory::shared_at(uint64_t address) const {
  const Shared none;
  auto after = shared_.upper_bound(address);
  if (after == shared_.begin()) return none;
  const auto& [begin, range] = *--after;
  return address - begin < range.bytes ? range : none;
}

int Memory::set_or_get_attributes(kfd_ioctl_svm_args& args) {
  std::lock_guard lock(mutex_);
  Shared range = shared_at(args.start_addr);
  range.bytes = args.size;
  bool is_accessible = false;
  for (uint32_t each = 0; each < args.nattr; each++) {
    kfd_ioctl_svm_attribute& attribute = args.attrs[each];
    const bool sets = args.op == KFD_IOCTL_SVM_OP_SET_ATTR;
    switch (attribute.type) {
      case KFD_IOCTL_SVM_ATTR_ACCESS:
      case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
        if (!sets) {
          attribute.type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
        } else {
          if (is_unmapped(args.start_addr, args.size)) return EFAULT;
          space_.map(args.start_addr, args.size, AddressSpace::Access::kReadWrite, "shared virtual memory");
          shared_[args.start_addr] = range;
          is_accessible = true;
        }
        break;
      case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
        if (!sets) break;
        unmap_range(args.start_addr, args.size);
        shared_.erase(args.start_addr);
        break;
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
        (sets ? range.preferred_location : attribute.value) = sets ? attribute.value : range.preferred_location;
        break;
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        if (!sets) attribute.value = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
        break;
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        if (sets) {
          range.flags |= attribute.value;
        } else {
          attribute.value = range.flags;
        }
        break;
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        if (sets) {
          range.flags &= ~attribute.value;
        } else {
          attribute.value = ~range.flags;
        }
        break;
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        if (!sets) attribute.value = 9;  // the driver's default: 2 MiB
        break;
      default:
        report_error("kfd: SVM attribute %u is not emulated", attribute.type);
        return EINVAL;
    }
  }
  // Attributes come in any order.
  if (const auto known = shared_.find(args.start_addr);
      known != shared_.end() && args.op == KFD_IOCTL_SVM_OP_SET_ATTR) {
    known->second.flags = range.flags;
    known->second.preferred_location = range.preferred_location;
  }
  if (is_accessible) {
    log_line(LogLevel::kObjects, "kfd: shared memory 0x%llx, %llu bytes, %s, preferred location %u", args.start_addr,
             args.size, range.flags & KFD_IOCTL_SVM_FLAG_COHERENT ? "coherent" : "not coherent",
             range.preferred_location);
  }
  return 0;
}

uint64_t Memory::available() {
  std::lock_guard lock(mutex_);
  return kVramBytes - vram_used_;
}

std::optional<uint64_t> Memory::address_of(uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return std::nullopt;
  return found->second.address;
}

void Memory::forget_unmapped() {
  std::lock_guard lock(mutex_);
  std::map<uint64_t, Shared> left;
  for (auto range = shared_.begin(); range != shared_.end();) {
    const auto [address, shared] = *range;
    if (!is_unmapped(address, shared.bytes)) {
      ++range;
      continue;
    }
    unmap_range(address, shared.bytes);
    std::vector<std::pair<uint64_t, uint64_t>> parts;
    mapped_parts(address, shared.bytes, parts);
    for (const auto& [begin, bytes] : parts) left[begin] = {bytes, shared.flags, shared.preferred_location};
    range = shared_.erase(range);
  }
  for (const auto& [address, shared] : left) {
    space_.map(address, shared.bytes, AddressSpace::Access::kReadWrite, "shared virtual memory");
    shared_[address] = shared;
  }
}

}  // namespace kernloop::softgpu::kfd
