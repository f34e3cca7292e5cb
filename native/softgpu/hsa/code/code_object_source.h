// Sources of code objects: memory of the program, or a file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "softgpu/hsa/code/executable.h"

namespace kernloop::softgpu {

// The program keeps the bytes alive until the reader is destroyed (HSA 1.2, 2.7.7).
std::shared_ptr<CodeObjectSource> code_object_in_memory(const void* bytes, size_t size);

// Reads [offset, offset+size) at once, or all of the file from `offset` without a size; nullptr when it is not there.
std::shared_ptr<CodeObjectSource> read_code_object(int file, size_t offset, std::optional<size_t> size);

}  // namespace kernloop::softgpu
