// Facts by which the machine code of two cubins is compared, and the PTX that a cubin was assembled from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "elf/image.h"

namespace kernloop::codeobject {

// A kernel or a device function: each has a section of its own.
struct CubinFunction {
  std::string name;
  Digest code;
};

// `bytes` is a cubin that parse_code_object takes.
Result<std::vector<CubinFunction>> cubin_functions(Bytes bytes, const std::string& what);

// Without comments and debug information; kept with -lineinfo, as by Triton. None if the cubin keeps none.
Result<std::optional<std::string>> cubin_ptx(Bytes bytes, const std::string& what);

}  // namespace kernloop::codeobject
