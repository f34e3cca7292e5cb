// Finds code objects inside of compilers' containers: Clang offload bundles, and host programs' .hip_fatbin sections.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"

namespace kernloop::codeobject {

struct BundledCodeObject {
  std::string target;  // "amdgcn-amd-amdhsa--gfx90a"; empty for a plain code object
  Bytes bytes;         // a view into the file's, or into what was decompressed
  std::shared_ptr<const std::vector<uint8_t>> decompressed;
};

// `file` is a code object, an offload bundle, or a host ELF with .hip_fatbin; bundles may be compressed. Empty host
// entries are left out. For CUDA it is a cubin; fat binaries, PTX and host programs are refused with the way to get
// one.
Result<std::vector<BundledCodeObject>> list_code_objects(Bytes file, const std::string& what);

// The one code object of `file` that `isa` ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "sm_90") can load and that
// defines the kernel (any, if `kernel` is empty). Errors list the existing targets and kernels.
Result<BundledCodeObject> select_code_object(Bytes file, std::string_view isa, std::string_view kernel,
                                             const std::string& what);

// Whether a code object of `target` runs on `isa`: same processor or a generic one that includes it, and no feature
// that contradicts (AMDGPUUsage, "Target ID"). For CUDA: the same major version and no newer minor one; for "sm_90a"
// and Tegra only the same target.
bool target_fits(std::string_view target, std::string_view isa);

}  // namespace kernloop::codeobject
