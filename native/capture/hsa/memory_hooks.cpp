// Allocation and release of device-visible memory. Releases wait while a capture reads memory.
#include <atomic>

#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

void track(Agent& agent, const void* base, size_t size, MemoryClass memory_class, std::string_view api) {
  Allocation allocation;
  allocation.base = reinterpret_cast<uint64_t>(base);
  allocation.size = size;
  allocation.memory_class = memory_class;
  allocation.api = api;
  agent.allocations.add_in_place(allocation);
}

// Other processes, or other APIs than HSA, may write it at any time.
void track_of_others(Agent& agent, const void* base, size_t size, std::string_view api) {
  Allocation allocation;
  allocation.base = reinterpret_cast<uint64_t>(base);
  allocation.size = size;
  allocation.memory_class = MemoryClass::kHost;
  allocation.api = api;
  allocation.of_others = true;
  agent.allocations.add_in_place(allocation);
}

void note_export(const char* call) {
  static std::atomic<bool> told{false};
  Agent* agent = active_agent();
  if (agent == nullptr || told.exchange(true)) return;
  agent->guarded([&] {
    agent->note("IPC_EXPORTED", std::string("the program lets other processes or devices use its memory (") + call +
                                    "): they are not held during a capture");
  });
}

// Memory of the host process that was made visible to the device.
Allocation of_host(const void* device_address, const void* host_address, size_t size, std::string_view api) {
  Allocation allocation;
  allocation.base = reinterpret_cast<uint64_t>(device_address);
  allocation.size = size;
  allocation.memory_class = MemoryClass::kHost;
  allocation.api = api;
  allocation.host_owned = true;
  allocation.host_address = reinterpret_cast<uint64_t>(host_address);
  return allocation;
}

// A call that frees memory: held while a capture looks at it. Memory that the runtime does not free stays known. It is
// removed before the call: once that ends, another thread may get the same address.
template <typename Take, typename Call>
hsa_status_t releasing_what(Take&& take, Call&& call) {
  Agent* agent = active_agent();
  if (agent == nullptr) return call();
  HoldScope scope(agent->hold);
  std::vector<Allocation> taken;
  agent->guarded([&] { taken = take(agent->allocations); });
  const hsa_status_t status = call();
  if (status == HSA_STATUS_SUCCESS) return status;
  agent->guarded([&] {
    for (const Allocation& allocation : taken) agent->allocations.put_back(allocation);
  });
  return status;
}

template <typename Call>
hsa_status_t releasing(const void* base, Call&& call) {
  const auto take = [base](AllocationMap& allocations) {
    const auto taken = allocations.take(reinterpret_cast<uint64_t>(base));
    return taken ? std::vector<Allocation>{*taken} : std::vector<Allocation>();
  };
  return releasing_what(take, std::forward<Call>(call));
}

// Locked ranges are known by their host address at unlock, by their device address in the map.
class LockedRanges {
 public:
  void add(const void* host, const void* device) {
    std::lock_guard lock(mutex_);
    ranges_.emplace(host, device);
  }
  const void* remove(const void* host) {
    std::lock_guard lock(mutex_);
    const auto entry = ranges_.find(host);
    if (entry == ranges_.end()) return host;
    const void* device = entry->second;
    ranges_.erase(entry);
    return device;
  }

 private:
  std::mutex mutex_;
  std::multimap<const void*, const void*> ranges_;
};

LockedRanges& locked_ranges() {
  static auto* ranges = new LockedRanges;  // never destroyed: the app may unlock while it exits
  return *ranges;
}

hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void** result) {
  const hsa_status_t status = originals().amd.hsa_amd_memory_pool_allocate_fn(pool, size, flags, result);
  if (Agent* agent = agent_for_use(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { track(*agent, *result, size, agent->pools.of_pool(pool), "hsa_amd_memory_pool_allocate"); });
  }
  return status;
}

hsa_status_t pool_free(void* base) {
  return releasing(base, [&] { return originals().amd.hsa_amd_memory_pool_free_fn(base); });
}

hsa_status_t memory_allocate(hsa_region_t region, size_t size, void** result) {
  const hsa_status_t status = originals().core.hsa_memory_allocate_fn(region, size, result);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { track(*agent, *result, size, agent->pools.of_region(region), "hsa_memory_allocate"); });
  }
  return status;
}

hsa_status_t memory_free(void* base) {
  return releasing(base, [&] { return originals().core.hsa_memory_free_fn(base); });
}

void locked(hsa_status_t status, void* host, size_t size, void** device, std::string_view api) {
  Agent* agent = active_agent();
  if (agent == nullptr || status != HSA_STATUS_SUCCESS) return;
  agent->guarded([&] {
    locked_ranges().add(host, *device);
    agent->allocations.add(of_host(*device, host, size, api));
  });
}

hsa_status_t memory_lock(void* host, size_t size, hsa_agent_t* agents, int count, void** device) {
  const hsa_status_t status = originals().amd.hsa_amd_memory_lock_fn(host, size, agents, count, device);
  locked(status, host, size, device, "hsa_amd_memory_lock");
  return status;
}

hsa_status_t memory_lock_to_pool(void* host, size_t size, hsa_agent_t* agents, int count, hsa_amd_memory_pool_t pool,
                                 uint32_t flags, void** device) {
  const hsa_status_t status =
      originals().amd.hsa_amd_memory_lock_to_pool_fn(host, size, agents, count, pool, flags, device);
  locked(status, host, size, device, "hsa_amd_memory_lock_to_pool");
  return status;
}

hsa_status_t memory_unlock(void* host) {
  Agent* agent = active_agent();
  if (agent == nullptr) return originals().amd.hsa_amd_memory_unlock_fn(host);
  const void* device = locked_ranges().remove(host);
  const hsa_status_t status = releasing(device, [&] { return originals().amd.hsa_amd_memory_unlock_fn(host); });
  if (status != HSA_STATUS_SUCCESS && device != host) agent->guarded([&] { locked_ranges().add(host, device); });
  return status;
}

hsa_status_t ipc_create(void* base, size_t size, hsa_amd_ipc_memory_t* handle) {
  const hsa_status_t status = originals().amd.hsa_amd_ipc_memory_create_fn(base, size, handle);
  if (status == HSA_STATUS_SUCCESS) note_export("hsa_amd_ipc_memory_create");
  return status;
}

hsa_status_t ipc_attach(const hsa_amd_ipc_memory_t* handle, size_t size, uint32_t count, const hsa_agent_t* agents,
                        void** mapped) {
  const hsa_status_t status = originals().amd.hsa_amd_ipc_memory_attach_fn(handle, size, count, agents, mapped);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { track_of_others(*agent, *mapped, size, "hsa_amd_ipc_memory_attach"); });
  }
  return status;
}

hsa_status_t ipc_detach(void* mapped) {
  return releasing(mapped, [&] { return originals().amd.hsa_amd_ipc_memory_detach_fn(mapped); });
}

hsa_status_t interop_map(uint32_t count, hsa_agent_t* agents, int handle, uint32_t flags, size_t* size, void** mapped,
                         size_t* metadata_size, const void** metadata) {
  const hsa_status_t status = originals().amd.hsa_amd_interop_map_buffer_fn(count, agents, handle, flags, size, mapped,
                                                                            metadata_size, metadata);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { track_of_others(*agent, *mapped, *size, "hsa_amd_interop_map_buffer"); });
  }
  return status;
}

hsa_status_t interop_unmap(void* mapped) {
  return releasing(mapped, [&] { return originals().amd.hsa_amd_interop_unmap_buffer_fn(mapped); });
}

hsa_status_t vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type, uint64_t flags,
                                hsa_amd_vmem_alloc_handle_t* handle) {
  const hsa_status_t status = originals().amd.hsa_amd_vmem_handle_create_fn(pool, size, type, flags, handle);
  if (Agent* agent = agent_for_use(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->pools.add_handle(*handle, pool); });
  }
  return status;
}

hsa_status_t vmem_export(int* descriptor, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags) {
  const hsa_status_t status = originals().amd.hsa_amd_vmem_export_shareable_handle_fn(descriptor, handle, flags);
  if (status == HSA_STATUS_SUCCESS) note_export("hsa_amd_vmem_export_shareable_handle");
  return status;
}

// For network adapters, for instance, which write there by themselves.
hsa_status_t export_dmabuf(const void* base, size_t size, int* descriptor, uint64_t* offset) {
  const hsa_status_t status = originals().amd.hsa_amd_portable_export_dmabuf_fn(base, size, descriptor, offset);
  if (status == HSA_STATUS_SUCCESS) note_export("hsa_amd_portable_export_dmabuf");
  return status;
}

hsa_status_t export_dmabuf_v2(const void* base, size_t size, int* descriptor, uint64_t* offset, uint64_t flags) {
  const hsa_status_t status =
      originals().amd.hsa_amd_portable_export_dmabuf_v2_fn(base, size, descriptor, offset, flags);
  if (status == HSA_STATUS_SUCCESS) note_export("hsa_amd_portable_export_dmabuf_v2");
  return status;
}

hsa_status_t vmem_import(int descriptor, hsa_amd_vmem_alloc_handle_t* handle) {
  const hsa_status_t status = originals().amd.hsa_amd_vmem_import_shareable_handle_fn(descriptor, handle);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->pools.add_imported(*handle); });
  }
  return status;
}

hsa_status_t vmem_map(void* base, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags) {
  const hsa_status_t status = originals().amd.hsa_amd_vmem_map_fn(base, size, offset, handle, flags);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] {
      if (agent->pools.is_imported(handle)) return track_of_others(*agent, base, size, kImportedApi);
      track(*agent, base, size, agent->pools.of_handle(handle), kVmemApi);
    });
  }
  return status;
}

// One call may take several mappings away.
hsa_status_t vmem_unmap(void* base, size_t size) {
  const auto take = [&](AllocationMap& allocations) {
    return allocations.take_within(reinterpret_cast<uint64_t>(base), size);
  };
  return releasing_what(take, [&] { return originals().amd.hsa_amd_vmem_unmap_fn(base, size); });
}

// A capture asks which memory it may read, and then reads it.
hsa_status_t vmem_set_access(void* base, size_t size, const hsa_amd_memory_access_desc_t* access, size_t count) {
  const auto call = [&] { return originals().amd.hsa_amd_vmem_set_access_fn(base, size, access, count); };
  Agent* agent = active_agent();
  if (agent == nullptr) return call();
  const HoldScope scope(agent->hold);
  return call();
}

// Shared virtual memory is ordinary memory of the process, named by its attributes only, for parts of it, too. It is
// unmapped without a call (HsaDevice::drop_unmapped).
hsa_status_t svm_attributes_set(void* base, size_t size, hsa_amd_svm_attribute_pair_t* attributes, size_t count) {
  const hsa_status_t status = originals().amd.hsa_amd_svm_attributes_set_fn(base, size, attributes, count);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->allocations.add_joined(of_host(base, base, size, kSvmApi)); });
  }
  return status;
}

}  // namespace

void install_memory_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_memory_allocate_fn, &memory_allocate);
  hook(core.version, core.hsa_memory_free_fn, &memory_free);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_pool_allocate, &pool_allocate);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_pool_free, &pool_free);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_lock, &memory_lock);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_lock_to_pool, &memory_lock_to_pool);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_unlock, &memory_unlock);
  KERNLOOP_HOOK_AMD(table, hsa_amd_ipc_memory_create, &ipc_create);
  KERNLOOP_HOOK_AMD(table, hsa_amd_ipc_memory_attach, &ipc_attach);
  KERNLOOP_HOOK_AMD(table, hsa_amd_ipc_memory_detach, &ipc_detach);
  KERNLOOP_HOOK_AMD(table, hsa_amd_interop_map_buffer, &interop_map);
  KERNLOOP_HOOK_AMD(table, hsa_amd_interop_unmap_buffer, &interop_unmap);
  KERNLOOP_HOOK_AMD(table, hsa_amd_svm_attributes_set, &svm_attributes_set);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_handle_create, &vmem_handle_create);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_portable_export_dmabuf, &export_dmabuf);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_portable_export_dmabuf_v2, &export_dmabuf_v2);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_export_shareable_handle, &vmem_export);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_import_shareable_handle, &vmem_import);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_map, &vmem_map);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_unmap, &vmem_unmap);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_vmem_set_access, &vmem_set_access);
}

bool hooks_installed(HsaApiTable& table) {
  switch (amd_table_of(table)) {
    case AmdTable::kRocm52:
      return rocm52_amd_table(table).hsa_amd_memory_pool_allocate_fn == &pool_allocate;
    case AmdTable::kSinceRocm6:
      return rocm7_amd_table(table).hsa_amd_memory_pool_allocate_fn == &pool_allocate;
    case AmdTable::kUnknown:
      break;
  }
  return false;
}

}  // namespace kernloop::capture
