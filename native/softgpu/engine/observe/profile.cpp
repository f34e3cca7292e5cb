#include "softgpu/engine/observe/profile.h"

namespace kernloop::softgpu {

const PcCounts Profiler::kNothing;

}  // namespace kernloop::softgpu
