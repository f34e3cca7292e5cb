// CUDA's code objects (ELF for EM_CUDA). NVIDIA does not document their layout: this reader was checked against the
// output of nvcc, ptxas and nvlink 13.0 (test/data/cubin), and for older ones against LLVM's llvm/BinaryFormat/ELF.h.
//
// A cubin has no load base: the driver places each section by itself and finds kernels and variables by name.
// Kernel::descriptor_address and CodeObjectInfo::memory_bytes are 0, and Variable::address is only a key that is unique
// in its file: the section's index << 40, plus the offset in that section. `section` is one of
//   .nv.global, .nv.global.init  __device__ and __managed__ variables: writable
//   .nv.constant3                __constant__ variables: not writable by kernels, but by the host
// `exported` says that the program can name it, thus set it from the host. nvcc makes all variables of a program built
// without -rdc=true local, static or not, so binding does not tell; what the compiler invents for itself (string
// literals, tables of the math functions) is neither exported nor writable.
#pragma once

#include <string>

#include "base/result.h"
#include "codeobject/code_object.h"
#include "elf/image.h"

namespace kernloop::codeobject {

// `bytes` is the whole file that `image` views.
Result<CodeObjectInfo> parse_cubin(const elf::Image& image, Bytes bytes, const std::string& what);

// Before relocation: a variable that is initialised with an address holds zeros.
Result<std::vector<uint8_t>> initial_content_in_cubin(const elf::Image& image, const Variable& variable);

}  // namespace kernloop::codeobject
