// hsa_ven_amd_loader: queries of debuggers and profilers about loaded code.
#pragma once

#include <hsa/hsa_ven_amd_loader.h>

#include <cstddef>

namespace kernloop::softgpu {

const hsa_ven_amd_loader_1_03_pfn_t& loader_extension_table();
size_t loader_extension_table_bytes(unsigned minor_version);

}  // namespace kernloop::softgpu
