// The HSA API tables of this process. Tools overwrite slots in place (HSA_TOOLS_LIB, OnLoad); every export goes through
// them: those that ROCm 5.2 knew through api_tables(), later ones through later_amd_table().
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD  // hsa_api_trace.h then finds its neighbours without an "inc/" prefix
#endif
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>

#include "abi/hsa/later_amd_ext_table.h"

namespace kernloop::softgpu {

// Under names of C, for what jumps through them (exports.cpp).
extern HsaApiTableContainer g_api_tables asm("kernloop_hsa_api_tables");
inline HsaApiTableContainer& api_tables() {
  return g_api_tables;
}

extern rocr::LaterAmdExtTable g_later_amd_table asm("kernloop_hsa_later_amd_table");
inline rocr::LaterAmdExtTable& later_amd_table() {
  return g_later_amd_table;
}

// What tools are handed, of table version 1 (ROCm 5.2) or 2 (since ROCm 6). Once they are loaded, adopt_tool_tables()
// takes over what they put into those of version 2.
HsaApiTable& tool_tables(int version);
void adopt_tool_tables(int version);

// Puts our own functions back into every slot, as before any tool.
void reset_api_tables();

}  // namespace kernloop::softgpu
