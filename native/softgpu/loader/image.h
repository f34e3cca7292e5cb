// Places a code object in memory: segments, zeroed data, relocations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "softgpu/loader/code_object.h"

namespace kernloop::softgpu {

// The address of a variable that the code object leaves undefined.
using SymbolResolver = std::function<std::optional<uint64_t>(std::string_view name)>;

// `image` is object.memory_bytes() of zeroed memory that kernels will see at `load_base`. Fails with
// CODE_OBJECT_UNDEFINED for an undefined variable and CODE_OBJECT_RELOCATION for a type that is not supported.
Status place(const CodeObject& object, std::span<std::byte> image, uint64_t load_base, const SymbolResolver& resolve);

}  // namespace kernloop::softgpu
