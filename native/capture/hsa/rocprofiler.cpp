// Entry point that rocprofiler-sdk calls in a tool named by ROCP_TOOL_LIBRARIES. It is used since ROCm 7, whose runtime
// ignores HSA_TOOLS_LIB.
#include <dlfcn.h>

#include <exception>

#include "capture/core/connection.h"
#include "capture/hsa/attach.h"
#include "capture/hsa/rocprofiler_abi.h"

namespace kernloop::capture {
namespace {

void on_tables(int table, uint64_t, uint64_t, void** tables, uint64_t count, void*) {
  if (table != rocprofiler::kHsaTable || tables == nullptr || count == 0 || tables[0] == nullptr) return;
  try {
    attach(*static_cast<HsaApiTable*>(tables[0]));
  } catch (const std::exception&) {
    // No memory: the app runs uncaptured.
  }
}

// The library that calls us is in the process, but not always among the global symbols.
rocprofiler::RegisterTables find_registration() {
  void* found = dlsym(RTLD_DEFAULT, rocprofiler::kRegisterTablesName);
  for (const char* library : {"librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0", "librocprofiler-sdk.so"}) {
    if (found != nullptr) break;
    if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      found = dlsym(handle, rocprofiler::kRegisterTablesName);
  }
  return reinterpret_cast<rocprofiler::RegisterTables>(found);
}

void say_not_captured(const std::string& why) {
  const Connection connection = connect_to_recorder({});
  if (connection.recorder != nullptr) give_up(connection, "RUNTIME_UNSUPPORTED", why);
}

bool registered() {
  const auto register_tables = find_registration();
  if (register_tables == nullptr) {
    say_not_captured("rocprofiler-sdk has no rocprofiler_at_intercept_table_registration");
    return false;
  }
  if (const int status = register_tables(on_tables, rocprofiler::kHsaTable, nullptr); status != 0) {
    say_not_captured("rocprofiler-sdk does not hand out the HSA tables (status " + std::to_string(status) + ")");
    return false;
  }
  return true;
}

}  // namespace
}  // namespace kernloop::capture

extern "C" __attribute__((visibility("default"))) kernloop::rocprofiler::ConfigureResult* rocprofiler_configure(
    uint32_t, const char*, uint32_t, kernloop::rocprofiler::ClientId* id) {
  using namespace kernloop;
  static rocprofiler::ConfigureResult result{sizeof result, nullptr, [](void*) { capture::detach(); }, nullptr};
  try {
    if (id != nullptr && id->size == sizeof *id) id->name = "kernloop";
    return capture::registered() ? &result : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}
