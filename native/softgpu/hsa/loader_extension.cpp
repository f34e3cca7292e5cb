#include "softgpu/hsa/loader_extension.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <exception>
#include <string>

#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/code/code_object_source.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu {
namespace {

using api::give;

// Same guard as api/tables.cpp for the tables: a runtime must exist, and exceptions stay inside.
template <auto function, typename Signature = decltype(function)>
struct LoaderGuard;
template <auto function, typename... Arguments>
struct LoaderGuard<function, hsa_status_t (*)(Arguments...)> {
  static hsa_status_t call(Arguments... arguments) noexcept {
    if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    try {
      return function(arguments...);
    } catch (const std::exception&) {
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
  }
};

struct Loaded {
  std::shared_ptr<Executable> executable;
  std::shared_ptr<LoadedCodeObject> object;
};

template <typename Match>
std::optional<Loaded> find_loaded(Match match) {
  for (const auto& executable : runtime().executables.all()) {
    for (const auto& object : executable->code_objects()) {
      if (match(*object)) return Loaded{executable, object};
    }
  }
  return std::nullopt;
}

std::optional<Loaded> containing(const void* address) {
  const uint64_t wanted = reinterpret_cast<uint64_t>(address);
  return find_loaded([&](const LoadedCodeObject& object) { return wanted - object.base() < object.size(); });
}

hsa_executable_t handle_of(const Executable& executable) {
  return {reinterpret_cast<uint64_t>(&executable)};
}

hsa_status_t query_host_address(const void* device_address, const void** host_address) {
  if (device_address == nullptr || host_address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!containing(device_address)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *host_address = device_address;  // the host runs the GPU: it sees the same bytes at the same address
  return HSA_STATUS_SUCCESS;
}

hsa_status_t query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t* descriptors, size_t* count) {
  if (count == nullptr || (descriptors == nullptr) != (*count == 0)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
  for (const auto& executable : runtime().executables.all()) {
    for (const auto& object : executable->code_objects()) {
      for (const LoadSegment& segment : object->object().segments()) {
        hsa_ven_amd_loader_segment_descriptor_t descriptor{};
        descriptor.agent = kGpuAgent;
        descriptor.executable = handle_of(*executable);
        descriptor.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
        descriptor.code_object_storage_base = object->source().bytes.data();
        descriptor.code_object_storage_size = object->source().bytes.size();
        descriptor.code_object_storage_offset = segment.file_offset;
        descriptor.segment_base = reinterpret_cast<const void*>(object->base() + segment.address);
        descriptor.segment_size = segment.memory_bytes;
        all.push_back(descriptor);
      }
    }
  }
  if (descriptors == nullptr) {
    *count = all.size();
    return HSA_STATUS_SUCCESS;
  }
  if (*count != all.size()) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  std::memcpy(descriptors, all.data(), all.size() * sizeof(all[0]));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t query_executable(const void* device_address, hsa_executable_t* executable) {
  if (device_address == nullptr || executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found = containing(device_address);
  if (!found) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *executable = handle_of(*found->executable);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t iterate_loaded_code_objects(hsa_executable_t handle,
                                         hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void*),
                                         void* data) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto executable = runtime().executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (const auto& object : executable->code_objects()) {
    const hsa_status_t status = callback(handle, {reinterpret_cast<uint64_t>(object.get())}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t loaded_code_object_get_info(hsa_loaded_code_object_t handle,
                                         hsa_ven_amd_loader_loaded_code_object_info_t attribute, void* value) {
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found =
      find_loaded([&](const LoadedCodeObject& object) { return reinterpret_cast<uint64_t>(&object) == handle.handle; });
  if (!found) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  const LoadedCodeObject& object = *found->object;
  const CodeObjectSource& source = object.source();
  switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
      return give(value, handle_of(*found->executable));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
      return give<uint32_t>(value, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
      return give(value, kGpuAgent);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
      return give<uint32_t>(value, source.file >= 0 ? HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE
                                                    : HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
      return give<uint64_t>(value, reinterpret_cast<uint64_t>(source.bytes.data()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
      return give<uint64_t>(value, source.bytes.size());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE:
      if (source.file < 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      return give<int>(value, source.file);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:  // images start at address 0: the delta is the base
      return give<uint64_t>(value, object.base());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
      return give<uint64_t>(value, object.size());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
      return give<uint32_t>(value, static_cast<uint32_t>(source.uri.size()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
      std::memcpy(value, source.uri.data(), source.uri.size());
      return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t reader_from_file_range(hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* reader) {
  if (reader == nullptr || size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto source = read_code_object(file, offset, size);
  if (source == nullptr) return HSA_STATUS_ERROR_INVALID_FILE;
  reader->handle = runtime().readers.add(std::move(source));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t iterate_executables(hsa_status_t (*callback)(hsa_executable_t, void*), void* data) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const auto& executable : runtime().executables.all()) {
    const hsa_status_t status = callback(handle_of(*executable), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

const hsa_ven_amd_loader_1_03_pfn_t& loader_extension_table() {
  static constexpr hsa_ven_amd_loader_1_03_pfn_t kTable{
      &LoaderGuard<&query_host_address>::call,
      &LoaderGuard<&query_segment_descriptors>::call,
      &LoaderGuard<&query_executable>::call,
      &LoaderGuard<&iterate_loaded_code_objects>::call,
      &LoaderGuard<&loaded_code_object_get_info>::call,
      &LoaderGuard<&reader_from_file_range>::call,
      &LoaderGuard<&iterate_executables>::call,
  };
  return kTable;
}

size_t loader_extension_table_bytes(unsigned minor_version) {
  switch (minor_version) {
    case 0:
      return sizeof(hsa_ven_amd_loader_1_00_pfn_t);
    case 1:
      return sizeof(hsa_ven_amd_loader_1_01_pfn_t);
    case 2:
      return sizeof(hsa_ven_amd_loader_1_02_pfn_t);
    default:
      return sizeof(hsa_ven_amd_loader_1_03_pfn_t);
  }
}

}  // namespace kernloop::softgpu
