// Our own declarations of the interface between rocprofiler-sdk and its tools (rocprofiler-sdk/registration.h and
// intercept_table.h of ROCm/rocm-systems; unchanged since ROCm 6.2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernloop::rocprofiler {

// `size` came later: a client id without it begins with the name, which is null.
struct ClientId {
  size_t size;
  const char* name;
  const uint32_t handle;
};

using Finalize = void (*)(void* tool_data);
struct ConfigureResult {
  size_t size;
  int (*initialize)(void (*finalize)(ClientId), void* tool_data);
  Finalize finalize;
  void* tool_data;
};

// rocprofiler_configure, which a tool exports. Null: nothing to start or to end.
using Configure = ConfigureResult* (*)(uint32_t version, const char* runtime_version, uint32_t priority, ClientId* id);

inline constexpr int kHsaTable = 1 << 0;

// Called once a runtime has registered: `tables[0]` is an HsaApiTable of kHsaTable.
using OnTables = void (*)(int table, uint64_t library_version, uint64_t library_instance, void** tables, uint64_t count,
                          void* data);
// rocprofiler_at_intercept_table_registration of rocprofiler-sdk; 0 is success.
using RegisterTables = int (*)(OnTables callback, int tables, void* data);
inline constexpr const char* kRegisterTablesName = "rocprofiler_at_intercept_table_registration";

}  // namespace kernloop::rocprofiler
