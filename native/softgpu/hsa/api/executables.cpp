// Code object readers, executables and their symbols.
#include <cstring>
#include <string>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/code/code_object_source.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

constexpr uint32_t kKernargAlignment = 16;  // AMDGPUUsage, "Kernel Descriptor": at least 16

std::shared_ptr<Executable> find(hsa_executable_t executable) {
  return runtime().executables.find(executable.handle);
}

hsa_executable_symbol_t handle_of(const std::shared_ptr<const ExecutableSymbol>& symbol) {
  return {runtime().symbols.add(symbol)};
}

hsa_status_t define(hsa_executable_t handle, const char* name, void* address) {
  if (name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return executable->define_variable(name, reinterpret_cast<uint64_t>(address));
}

hsa_status_t load(hsa_executable_t handle, const CodeObjectSource& source, hsa_loaded_code_object_t* loaded) {
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  std::shared_ptr<LoadedCodeObject> object;
  const hsa_status_t status = executable->load(runtime().code_objects, source, &object);
  if (status == HSA_STATUS_SUCCESS && loaded != nullptr) loaded->handle = reinterpret_cast<uint64_t>(object.get());
  return status;
}

hsa_status_t find_symbol(hsa_executable_t handle, const char* name, hsa_executable_symbol_t* symbol) {
  if (name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  auto found = executable->find(name);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  *symbol = handle_of(found);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t* reader) {
  if (reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto source = read_code_object(file, 0, std::nullopt);
  if (source == nullptr) return HSA_STATUS_ERROR_INVALID_FILE;
  reader->handle = runtime().readers.add(std::move(source));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                       hsa_code_object_reader_t* reader) {
  if (code_object == nullptr || size == 0 || reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  reader->handle = runtime().readers.add(code_object_in_memory(code_object, size));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  return runtime().readers.remove(reader.handle) != nullptr ? HSA_STATUS_SUCCESS
                                                            : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t state, const char* options,
                                   hsa_executable_t* executable) {
  hsa_status_t status =
      api::hsa_executable_create_alt(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, options, executable);
  if (status == HSA_STATUS_SUCCESS && state == HSA_EXECUTABLE_STATE_FROZEN)
    status = api::hsa_executable_freeze(*executable, options);
  return status;
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding_mode,
                                       const char*, hsa_executable_t* executable) {
  if (executable == nullptr || profile < HSA_PROFILE_BASE || profile > HSA_PROFILE_FULL ||
      rounding_mode > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  executable->handle = runtime().executables.add(std::make_shared<Executable>(profile, rounding_mode));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_destroy(hsa_executable_t handle) {
  auto executable = runtime().executables.remove(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (const auto& symbol : executable->symbols()) runtime().symbols.remove(reinterpret_cast<uint64_t>(symbol.get()));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader, const char*,
                                                   hsa_loaded_code_object_t* loaded_code_object) {
  if (!is_gpu(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  auto source = runtime().readers.find(reader.handle);
  if (source == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  return load(executable, *source, loaded_code_object);
}

hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable, hsa_code_object_reader_t, const char*,
                                                     hsa_loaded_code_object_t*) {
  if (find(executable) == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  report_unsupported("hsa_executable_load_program_code_object", "AMD code objects always belong to an agent");
  return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

// A legacy code object is a reader that owns its bytes.
hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                             hsa_code_object_t code_object, const char* options) {
  hsa_status_t status =
      api::hsa_executable_load_agent_code_object(executable, agent, {code_object.handle}, options, nullptr);
  return status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT : status;
}

hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char*) {
  auto executable = find(handle);
  return executable == nullptr ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : executable->freeze();
}

hsa_status_t hsa_executable_get_info(hsa_executable_t handle, hsa_executable_info_t attribute, void* value) {
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_EXECUTABLE_INFO_PROFILE:
      return give(value, executable->profile);
    case HSA_EXECUTABLE_INFO_STATE:
      return give(value, executable->frozen() ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
    case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      return give(value, executable->rounding);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char* variable_name,
                                                   void* address) {
  return define(executable, variable_name, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                         const char* variable_name, void* address) {
  return is_gpu(agent) ? define(executable, variable_name, address) : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address) {
  return is_gpu(agent) ? define(executable, variable_name, address) : HSA_STATUS_ERROR_INVALID_AGENT;
}

// Errors were found when the code objects were loaded.
hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return api::hsa_executable_validate_alt(executable, nullptr, result);
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char*, uint32_t* result) {
  if (find(executable) == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *result = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name, const char* symbol_name,
                                       hsa_agent_t agent, int32_t, hsa_executable_symbol_t* symbol) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (module_name != nullptr && *module_name != '\0') return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  return find_symbol(executable, symbol_name, symbol);
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                               const hsa_agent_t* agent, hsa_executable_symbol_t* symbol) {
  if (agent != nullptr && !is_agent(*agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return find_symbol(executable, symbol_name, symbol);
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle, hsa_executable_symbol_info_t attribute,
                                            void* value) {
  auto symbol = runtime().symbols.find(handle.handle);
  if (symbol == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {  // common to every symbol
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return give(value, symbol->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return give<uint32_t>(value, static_cast<uint32_t>(symbol->name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:  // no NUL: the caller has room for NAME_LENGTH characters
      std::memcpy(value, symbol->name.data(), symbol->name.size());
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
      return give<uint32_t>(value, 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
      return give(value, kGpuAgent);
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
      return give(value, symbol->global ? HSA_SYMBOL_LINKAGE_PROGRAM : HSA_SYMBOL_LINKAGE_MODULE);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
      return give<bool>(value, true);
    default:
      break;
  }
  if (symbol->kernel) {
    const KernelDescriptor& kernel = *symbol->kernel;
    switch (attribute) {
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
        return give<uint64_t>(value, symbol->address);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
        return give<uint32_t>(value, kernel.kernarg_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
        return give<uint32_t>(value, kKernargAlignment);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        return give<uint32_t>(value, kernel.group_segment_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        return give<uint32_t>(value, kernel.private_segment_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
        return give<bool>(value, kernel.dynamic_stack);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
        return give<uint32_t>(value, 0);
      default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  }
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
      return give<uint64_t>(value, symbol->address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return give<uint32_t>(value, static_cast<uint32_t>(symbol->size));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
      return give<uint32_t>(value, 16);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return give(value, HSA_VARIABLE_ALLOCATION_AGENT);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
      return give(value, symbol->read_only ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
      return give<bool>(value, symbol->read_only);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t handle,
                                            hsa_status_t (*callback)(hsa_executable_t exec,
                                                                     hsa_executable_symbol_t symbol, void* data),
                                            void* data) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (const auto& symbol : executable->symbols()) {
    if (hsa_status_t status = callback(handle, handle_of(symbol), data); status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t handle, hsa_agent_t agent,
                                                  hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent,
                                                                           hsa_executable_symbol_t symbol, void* data),
                                                  void* data) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto executable = find(handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!is_gpu(agent)) return HSA_STATUS_SUCCESS;
  for (const auto& symbol : executable->symbols()) {
    hsa_status_t status = callback(handle, agent, handle_of(symbol), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

// AMD code objects define no program-scope symbols.
hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data), void*) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return find(handle) == nullptr ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : HSA_STATUS_SUCCESS;
}

// The HSA 1.0 way to a code object, as far as programs still use it.
hsa_status_t hsa_code_object_deserialize(void* serialized, size_t size, const char*, hsa_code_object_t* code_object) {
  if (serialized == nullptr || size == 0 || code_object == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto source = code_object_in_memory(serialized, size);
  source->file_bytes.assign(source->bytes.begin(), source->bytes.end());  // the program may free its copy
  source->bytes = source->file_bytes;
  if (auto parsed = CodeObject::parse(source->bytes); !parsed) {
    report_error("%s", parsed.error().message.c_str());
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
  code_object->handle = runtime().readers.add(std::move(source));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_serialize(hsa_code_object_t code_object,
                                       hsa_status_t (*alloc_callback)(size_t size, hsa_callback_data_t data,
                                                                      void** address),
                                       hsa_callback_data_t callback_data, const char*, void** serialized,
                                       size_t* serialized_size) {
  if (alloc_callback == nullptr || serialized == nullptr || serialized_size == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto source = runtime().readers.find(code_object.handle);
  if (source == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  hsa_status_t status = alloc_callback(source->bytes.size(), callback_data, serialized);
  if (status != HSA_STATUS_SUCCESS || *serialized == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::memcpy(*serialized, source->bytes.data(), source->bytes.size());
  *serialized_size = source->bytes.size();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object) {
  return runtime().readers.remove(code_object.handle) != nullptr ? HSA_STATUS_SUCCESS
                                                                 : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

}  // namespace kernloop::softgpu::api
