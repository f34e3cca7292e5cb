// The HSA API tables of this process. Tools overwrite slots in place (HSA_TOOLS_LIB, OnLoad); every export goes through
// them.
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD  // hsa_api_trace.h then finds its neighbours without an "inc/" prefix
#endif
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>

namespace kernloop::softgpu {

extern HsaApiTableContainer g_api_tables;
inline HsaApiTableContainer& api_tables() {
  return g_api_tables;
}

// Puts our own functions back into every slot, as before any tool.
void reset_api_tables();

}  // namespace kernloop::softgpu
