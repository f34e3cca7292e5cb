// Code objects as the app loads them.
#include <cstring>

#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

hsa_status_t reader_from_memory(const void* bytes, size_t size, hsa_code_object_reader_t* reader) {
  const hsa_status_t status = originals().core.hsa_code_object_reader_create_from_memory_fn(bytes, size, reader);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->code_objects.reader_from_memory(*reader, bytes, size); });
  }
  return status;
}

hsa_status_t reader_from_file(hsa_file_t file, hsa_code_object_reader_t* reader) {
  const hsa_status_t status = originals().core.hsa_code_object_reader_create_from_file_fn(file, reader);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->code_objects.reader_from_file(*reader, file); });
  }
  return status;
}

hsa_status_t reader_destroy(hsa_code_object_reader_t reader) {
  if (Agent* agent = active_agent()) agent->guarded([&] { agent->code_objects.reader_destroyed(reader); });
  return originals().core.hsa_code_object_reader_destroy_fn(reader);
}

hsa_status_t load_agent_code_object(hsa_executable_t executable, hsa_agent_t device, hsa_code_object_reader_t reader,
                                    const char* options, hsa_loaded_code_object_t* loaded) {
  hsa_loaded_code_object_t own{};
  hsa_loaded_code_object_t* result = loaded != nullptr ? loaded : &own;
  const hsa_status_t status =
      originals().core.hsa_executable_load_agent_code_object_fn(executable, device, reader, options, result);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->code_objects.loaded(executable, device, reader, result); });
  }
  return status;
}

// The deprecated way to load (HSA 1.0), without a reader: a wanted kernel of it is refused by name.
hsa_status_t load_code_object(hsa_executable_t executable, hsa_agent_t device, hsa_code_object_t object,
                              const char* options) {
  const hsa_status_t status = originals().core.hsa_executable_load_code_object_fn(executable, device, object, options);
  if (Agent* agent = active_agent(); agent != nullptr && status == HSA_STATUS_SUCCESS) {
    agent->guarded([&] { agent->code_objects.loaded_unseen(executable, device); });
  }
  return status;
}

hsa_status_t executable_destroy(hsa_executable_t executable) {
  Agent* agent = active_agent();
  if (agent == nullptr) return originals().core.hsa_executable_destroy_fn(executable);
  HoldScope scope(agent->hold);
  agent->guarded([&] {
    for (uint64_t kernel_object : agent->code_objects.executable_destroyed(executable))
      agent->kernels.remove(kernel_object);
  });
  return originals().core.hsa_executable_destroy_fn(executable);
}

// HIP asks for a variable's address when the program first names it (hipMemcpyToSymbol, hipGetSymbolAddress,
// hipModuleGetGlobal), not when it loads the code. Addresses of unloaded code stay: variables loaded in its place
// count as requested, too.
hsa_status_t symbol_get_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute, void* value) {
  const hsa_status_t status = originals().core.hsa_executable_symbol_get_info_fn(symbol, attribute, value);
  if (attribute != HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS || status != HSA_STATUS_SUCCESS) return status;
  if (Agent* agent = active_agent()) {
    uint64_t address = 0;
    std::memcpy(&address, value, sizeof address);
    agent->guarded([&] { agent->told_addresses.told(address); });
  }
  return status;
}

}  // namespace

void install_code_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_code_object_reader_create_from_memory_fn, &reader_from_memory);
  hook(core.version, core.hsa_code_object_reader_create_from_file_fn, &reader_from_file);
  hook(core.version, core.hsa_code_object_reader_destroy_fn, &reader_destroy);
  hook(core.version, core.hsa_executable_load_agent_code_object_fn, &load_agent_code_object);
  hook(core.version, core.hsa_executable_load_code_object_fn, &load_code_object);
  hook(core.version, core.hsa_executable_destroy_fn, &executable_destroy);
  hook(core.version, core.hsa_executable_symbol_get_info_fn, &symbol_get_info);
}

}  // namespace kernloop::capture
