// Whether a kernel reads or writes textures and surfaces, which this GPU lacks: a program then passes no valid
// descriptor, and the first error would be a memory access.
#pragma once

#include <cstdint>
#include <optional>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

// Offset of the first image instruction from the kernel's entry; its code is read in order to the end of the program
// behind `beyond`.
std::optional<uint64_t> first_image_instruction(Target target, MemoryPort& memory, uint64_t entry, uint64_t beyond);

}  // namespace kernloop::softgpu
