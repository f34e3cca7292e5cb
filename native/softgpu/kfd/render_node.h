// /dev/dri/renderD128, as libdrm_amdgpu asks it.
#pragma once

#include "softgpu/isa/target.h"

namespace kernloop::softgpu::kfd {

// 0 or an errno.
int render_call(Isa isa, unsigned long request, void* argument);

}  // namespace kernloop::softgpu::kfd
