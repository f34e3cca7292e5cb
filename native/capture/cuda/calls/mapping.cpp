// Calls of the virtual-memory API.
#include <algorithm>

#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

template <typename Change>
void change(const ApiCall& call, Change&& work) {
  if (call.succeeded()) call.agent.memory.change_mappings(work);
}

void after_reserve(const ApiCall& call) {
  const auto& p = call.params<cuMemAddressReserve_params>();
  change(call, [&](AddressSpace& space) {
    space.reserve(*p.ptr, p.size);
    return MappingChange{};
  });
}

void after_import(const ApiCall& call) {
  const auto& p = call.params<cuMemImportFromShareableHandle_params>();
  change(call, [&](AddressSpace& space) {
    space.handle_imported(*p.handle);
    return MappingChange{};
  });
}

void after_release(const ApiCall& call) {
  const auto& p = call.params<cuMemRelease_params>();
  change(call, [&](AddressSpace& space) {
    space.handle_released(p.handle);
    return MappingChange{};
  });
}

void after_map(const ApiCall& call) {
  const auto& p = call.params<cuMemMap_params>();
  change(call, [&](AddressSpace& space) { return space.map(p.ptr, p.size, p.handle); });
}

void after_set_access(const ApiCall& call) {
  const auto& p = call.params<cuMemSetAccess_params>();
  const bool accessible = std::any_of(p.desc, p.desc + p.count, [](const CUmemAccessDesc& access) {
    return access.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  });
  change(call, [&](AddressSpace& space) { return space.set_access(p.ptr, p.size, accessible); });
}

// Before the calls: no other thread can map there again in between. They fail only if nothing is mapped.
void before_unmap(const ApiCall& call) {
  const auto& p = call.params<cuMemUnmap_params>();
  call.agent.memory.change_mappings([&](AddressSpace& space) { return space.unmap(p.ptr, p.size); });
}
void before_address_free(const ApiCall& call) {
  const auto& p = call.params<cuMemAddressFree_params>();
  call.agent.memory.change_mappings([&](AddressSpace& space) { return space.release(p.ptr); });
}

}  // namespace

#define ON(function, before, after) table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kAlways, before, after)

void add_mapping_calls(ApiTable& table) {
  ON(cuMemAddressReserve, nullptr, after_reserve);
  ON(cuMemAddressFree, before_address_free, nullptr);
  ON(cuMemImportFromShareableHandle, nullptr, after_import);
  ON(cuMemRelease, nullptr, after_release);
  ON(cuMemMap, nullptr, after_map);
  ON(cuMemSetAccess, nullptr, after_set_access);
  ON(cuMemUnmap, before_unmap, nullptr);
}

#undef ON

}  // namespace kernloop::capture
