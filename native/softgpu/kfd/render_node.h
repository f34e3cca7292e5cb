// /dev/dri/renderD128, as libdrm_amdgpu asks it.
#pragma once

#include "softgpu/kfd/driver.h"

namespace kernloop::softgpu::kfd {

// 0 or an errno.
int render_call(Driver& driver, unsigned long request, void* argument);

}  // namespace kernloop::softgpu::kfd
