// Facts by which two of AMD's code objects, or their kernels, are compared, and by which an address of the code is
// told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "elf/image.h"

namespace kernloop::codeobject {

struct CodeRange {
  uint64_t begin = 0, end = 0;  // relative to the load base
};

struct KernelCode {
  CodeRange range;
  // Digest of the descriptor without the offset of the code, the instructions, and the metadata (metadata_text.h):
  // results keep it, so its bytes never change. None if the code reads its own address, because it may then call
  // functions or read data elsewhere, and if the file lacks a part.
  std::optional<Digest> sha256;
};

struct AmdComparison {
  uint32_t version = 0;                       // of the code object: 3 to 6
  std::map<std::string, KernelCode> kernels;  // exported ones, by name
  Digest text;                                // of the instructions, whatever their data
  // Digest of all that is loaded or describes a launch: file names and line tables may differ. None without
  // instructions.
  std::optional<Digest> loaded;
  // The same without the name of clang's variable for the unit (`__hip_cuid_…`).
  std::optional<Digest> without_unit_name;
  // Functions of new, malloc, delete and free of ROCm's device library.
  std::vector<CodeRange> device_heap;
};

// `bytes` is a code object that parse_code_object takes.
Result<AmdComparison> compare_amd(Bytes bytes, const std::string& what);

}  // namespace kernloop::codeobject
