#pragma once

#include "abi/hsa/softgpu_extension.h"

namespace kernloop::softgpu {

const kernloop_softgpu_extension_1_t& softgpu_extension_table();

}  // namespace kernloop::softgpu
