#include "replay/hsa/placed_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/bytes.h"

namespace kernloop::replay {

namespace {

void* at(uint64_t address) {
  return reinterpret_cast<void*>(address);
}

std::string in_words(const AddressRange& range) {
  return to_hex_number(range.base) + " (" + std::to_string(range.size) + " bytes)";
}

Error not_reserved(const AddressRange& range, const std::string& why) {
  return {"ADDRESS_TAKEN", why, in_words(range) + " is in use"};
}

class VirtualMemory final : public PlacedMemory {
 public:
  VirtualMemory(HsaLibrary& hsa, const Agents& agents, hsa_amd_memory_pool_t pool)
      : hsa_(hsa), agents_(agents), pool_(pool) {}

  Status reserve(const AddressRange& range) override {
    void* got = nullptr;
    const hsa_status_t status = hsa_.hsa_amd_vmem_address_reserve(&got, range.size, range.base, 0);
    if (status != HSA_STATUS_SUCCESS) {
      return not_reserved(range, hsa_.describe("hsa_amd_vmem_address_reserve", status));
    }
    if (got == at(range.base)) return Unit{};
    hsa_.hsa_amd_vmem_address_free(got, range.size);
    return not_reserved(range, "the runtime gave " + to_hex_number(reinterpret_cast<uint64_t>(got)) + " instead");
  }

  void give_back(const AddressRange& range) override { hsa_.hsa_amd_vmem_address_free(at(range.base), range.size); }

  Status back(const Mapping& memory, const AddressRange& window) override {
    const AddressRange& range = memory.range;
    Mapped mapping{range, window, {}};
    hsa_status_t status = hsa_.hsa_amd_vmem_handle_create(pool_, range.size, MEMORY_TYPE_NONE, 0, &mapping.handle);
    if (status != HSA_STATUS_SUCCESS) {
      give_back(window);
      return hsa_.error("hsa_amd_vmem_handle_create", status, "allocating " + in_words(range));
    }
    status = hsa_.hsa_amd_vmem_map(at(range.base), range.size, 0, mapping.handle, 0);
    if (status != HSA_STATUS_SUCCESS) {
      hsa_.hsa_amd_vmem_handle_release(mapping.handle);
      give_back(window);
      return hsa_.error("hsa_amd_vmem_map", status, "mapping " + in_words(range));
    }
    mappings_.push_back(mapping);
    const hsa_amd_memory_access_desc_t access[] = {{HSA_ACCESS_PERMISSION_RW, agents_.gpu},
                                                   {HSA_ACCESS_PERMISSION_RW, agents_.cpu}};
    status = hsa_.hsa_amd_vmem_set_access(at(range.base), range.size, access, agents_.host_reads_in_place ? 2 : 1);
    if (status != HSA_STATUS_SUCCESS) {
      return hsa_.error("hsa_amd_vmem_set_access", status, "giving access to " + in_words(range));
    }
    return Unit{};
  }

  void unback() override {
    for (const Mapped& mapping : mappings_) {
      hsa_.hsa_amd_vmem_unmap(at(mapping.range.base), mapping.range.size);
      hsa_.hsa_amd_vmem_handle_release(mapping.handle);
      give_back(mapping.window);
    }
    mappings_.clear();
  }

 private:
  HsaLibrary& hsa_;
  const Agents agents_;
  const hsa_amd_memory_pool_t pool_;
};

// hsa_amd_svm_attributes_set, with Linux's heterogeneous memory management below it.
class SharedMemory final : public PlacedMemory {
 public:
  SharedMemory(HsaLibrary& hsa, const Agents& agents, bool stays_with_host)
      : hsa_(hsa), agents_(agents), stays_with_host_(stays_with_host) {}
  ~SharedMemory() override {
    if (arrived_.handle != 0) hsa_.hsa_signal_destroy(arrived_);
  }

  Status reserve(const AddressRange& range) override {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void* const got = ::mmap(at(range.base), range.size, PROT_NONE, kFlags, -1, 0);
    if (got == at(range.base)) return Unit{};
    const std::string why = got == MAP_FAILED ? std::strerror(errno) : "the kernel gave another address";
    if (got != MAP_FAILED) ::munmap(got, range.size);  // Linux before 4.17
    return not_reserved(range, "mmap: " + why);
  }

  void give_back(const AddressRange& range) override { ::munmap(at(range.base), range.size); }

  Status back(const Mapping& memory, const AddressRange& window) override {
    const AddressRange& range = memory.range;
    if (::mprotect(at(range.base), range.size, PROT_READ | PROT_WRITE) != 0) {
      const std::string why = std::strerror(errno);
      give_back(window);
      return Error{"OUT_OF_MEMORY", "allocating " + in_words(range) + " failed: " + why, "free memory of the host"};
    }
    mappings_.push_back({range, window, {}});
    // Coarse-grained as device memory is, or fine-grained as hipHostMalloc's, if the capture does not say otherwise.
    const bool is_fine = memory.fine_grained.value_or(stays_with_host_);
    const uint64_t grain = is_fine ? HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED : HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED;
    const uint64_t access =
        stays_with_host_ ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE : HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE;
    hsa_amd_svm_attribute_pair_t attributes[] = {
        {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, grain},
        {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, (stays_with_host_ ? agents_.cpu : agents_.gpu).handle},
        {access, agents_.gpu.handle}};
    const hsa_status_t status =
        hsa_.hsa_amd_svm_attributes_set(at(range.base), range.size, attributes, std::size(attributes));
    if (status == HSA_STATUS_SUCCESS) return Unit{};
    return hsa_.error("hsa_amd_svm_attributes_set", status, "giving access to " + in_words(range));
  }

  void unback() override {
    for (const Mapped& mapping : mappings_) {
      hsa_amd_svm_attribute_pair_t none{HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, agents_.gpu.handle};
      hsa_.hsa_amd_svm_attributes_set(at(mapping.range.base), mapping.range.size, &none, 1);
      give_back(mapping.window);
    }
    mappings_.clear();
  }

  Status bring() override {
    if (arrived_.handle == 0) {
      const hsa_status_t status = hsa_.hsa_signal_create(0, 0, nullptr, &arrived_);
      if (status != HSA_STATUS_SUCCESS) return hsa_.error("hsa_signal_create", status, "bringing memory to the GPU");
    }
    for (const Mapped& mapping : mappings_) {
      hsa_.hsa_signal_store_relaxed(arrived_, 1);
      const hsa_status_t status = hsa_.hsa_amd_svm_prefetch_async(at(mapping.range.base), mapping.range.size,
                                                                  agents_.gpu, 0, nullptr, arrived_);
      if (status != HSA_STATUS_SUCCESS) {
        return hsa_.error("hsa_amd_svm_prefetch_async", status, "bringing " + in_words(mapping.range) + " to the GPU");
      }
      hsa_.hsa_signal_wait_scacquire(arrived_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    }
    return Unit{};
  }

 private:
  HsaLibrary& hsa_;
  const Agents agents_;
  const bool stays_with_host_;
  hsa_signal_t arrived_{0};
};

// The runtime's answer to a question of yes or no; none if it does not know the question.
std::optional<bool> answer(HsaLibrary& hsa, unsigned question) {
  bool is_so = false;
  if (hsa.hsa_system_get_info(static_cast<hsa_system_info_t>(question), &is_so) != HSA_STATUS_SUCCESS)
    return std::nullopt;
  return is_so;
}

bool shares_memory(HsaLibrary& hsa) {
  return hsa.hsa_amd_svm_attributes_set != nullptr && hsa.hsa_amd_svm_prefetch_async != nullptr &&
         answer(hsa, HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED).value_or(false);
}

// Missing parts of virtual memory management, in the runtime or in the kernel driver below it; empty if none is. ROCr
// since 6.0 has the functions also over a driver before interface 1.15, where they fail.
std::string missing_of_virtual_memory(HsaLibrary& hsa) {
  const std::string missing = hsa.missing_of_virtual_memory();
  if (missing.empty() && !answer(hsa, HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED).value_or(true))
    return "virtual memory management on this kernel driver";
  return missing;
}

}  // namespace

std::vector<AddressRange> PlacedMemory::ranges() const {
  std::vector<AddressRange> all;
  for (const Mapped& mapping : mappings_) all.push_back(mapping.range);
  return all;
}

bool PlacedMemory::holds(uint64_t address) const {
  return std::any_of(mappings_.begin(), mappings_.end(), [&](const Mapped& mapping) {
    return address >= mapping.range.base && address < mapping.range.end();
  });
}

Result<std::unique_ptr<PlacedMemory>> PlacedMemory::of(HsaLibrary& hsa, const Agents& agents,
                                                       hsa_amd_memory_pool_t pool) {
  const std::string missing = missing_of_virtual_memory(hsa);
  if (missing.empty()) return std::unique_ptr<PlacedMemory>(new VirtualMemory(hsa, agents, pool));
  if (shares_memory(hsa)) return std::unique_ptr<PlacedMemory>(new SharedMemory(hsa, agents, false));
  return Error{
      "RUNTIME_INCOMPLETE", hsa.path().string() + " lacks " + missing + ", and has no shared virtual memory",
      "use ROCm 6 or later over a kernel driver with virtual memory management (interface 1.15 of amdkfd or later), or "
      "the built-in software GPU"};
}

std::unique_ptr<PlacedMemory> PlacedMemory::of_host(HsaLibrary& hsa, const Agents& agents) {
  return shares_memory(hsa) ? std::unique_ptr<PlacedMemory>(new SharedMemory(hsa, agents, true)) : nullptr;
}

}  // namespace kernloop::replay
