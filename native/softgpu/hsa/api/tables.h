// The HSA API tables of this process. Tools overwrite slots in place (HSA_TOOLS_LIB, OnLoad); every export goes through
// them.
#pragma once

#include "abi/hsa/rocr_tables.h"

namespace kernloop::softgpu {

// Under C names, for the jumps through them (exports.cpp). The AMD table is not the container's: it is longer.
extern HsaApiTableContainer g_api_tables asm("kernloop_hsa_api_tables");
extern rocr::Rocm7AmdExtTable g_amd_table asm("kernloop_hsa_amd_table");

// Tables handed to tools, of table version 1 (ROCm 5.2) or 2 (since ROCm 6). Once the tools are loaded,
// adopt_tool_tables() takes over their changes to those of version 1.
HsaApiTable& tool_tables(int version);
void adopt_tool_tables(int version);

// Puts our own functions back into every slot, as before any tool.
void reset_api_tables();

}  // namespace kernloop::softgpu
