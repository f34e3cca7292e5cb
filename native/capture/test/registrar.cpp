// Plays rocprofiler-register and rocprofiler-sdk on a runtime without them: the runtime loads it as a tool
// (HSA_TOOLS_LIB), and it hands the tables on to the tools that ROCP_TOOL_LIBRARIES names, as rocprofiler-sdk does.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "capture/hsa/queues/hsa_api.h"
#include "capture/hsa/rocprofiler_abi.h"

namespace {

using namespace kernloop::rocprofiler;

struct Registration {
  OnTables callback;
  int tables;
  void* data;
};
std::vector<Registration> registrations;
std::vector<ConfigureResult*> tools;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "registrar: %s\n", why.c_str());
  std::_Exit(9);
}

// rocprofiler-sdk ends the process when a library of the list cannot be opened.
void configure(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (handle == nullptr) fail(dlerror());
  auto entry = reinterpret_cast<Configure>(dlsym(handle, "rocprofiler_configure"));
  if (entry == nullptr) fail(library + " has no rocprofiler_configure");
  ClientId id{sizeof(ClientId), nullptr, 7};
  ConfigureResult* result = entry(10000, "1.0.0", 0, &id);
  if (result == nullptr) return;
  if (result->size < sizeof(ConfigureResult) || id.name == nullptr || std::strcmp(id.name, "kernloop") != 0)
    fail("the tool does not introduce itself");
  if (result->initialize != nullptr) result->initialize([](ClientId) {}, result->tool_data);
  tools.push_back(result);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int rocprofiler_at_intercept_table_registration(OnTables callback, int tables, void* data) {
  if (std::getenv("REGISTRAR_LOCKED") != nullptr) return 11;
  registrations.push_back({callback, tables, data});
  return 0;
}

EXPORT bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  if (std::getenv("REGISTRAR_GLOBAL") != nullptr) {
    Dl_info self{};
    dladdr(reinterpret_cast<const void*>(&OnLoad), &self);
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  }
  std::istringstream libraries(std::getenv("ROCP_TOOL_LIBRARIES"));
  for (std::string library; std::getline(libraries, library, ':');) configure(library);
  void* tables[1] = {table};
  for (const Registration& registration : registrations) {
    if ((registration.tables & kHsaTable) != 0)
      registration.callback(kHsaTable, 11000, 0, tables, 1, registration.data);
  }
  return true;
}

EXPORT void OnUnload() {
  for (ConfigureResult* tool : tools) {
    if (tool->finalize != nullptr) tool->finalize(tool->tool_data);
  }
}
