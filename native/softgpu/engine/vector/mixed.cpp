#include "softgpu/engine/vector/rows.h"
namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {
ExecuteFn select_mixed(const Instruction&) { return nullptr; }
}
