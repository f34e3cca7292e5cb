// What an AMDGPU code object (HSACO) says about itself: kernels with their arguments, and module variables.
// Read from the ELF and from its NT_AMDGPU_METADATA note (LLVM AMDGPUUsage, "Code Object Metadata").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/digest.h"
#include "codeobject/elf.h"
#include "support/result.h"

namespace kernloop::codeobject {

struct KernelArgument {
  uint32_t offset = 0;
  uint32_t size = 0;
  std::string value_kind;  // global_buffer, by_value, dynamic_shared_pointer, hidden_…
  std::string name;        // empty for hidden arguments
  std::string type_name;   // where the compiler tells ("float*")
  std::string address_space;
  std::string access;         // declared
  std::string actual_access;  // as the compiler found out
};

struct Kernel {
  std::string name;                 // mangled
  std::string demangled;            // the name itself where it is not mangled
  std::string symbol;               // of the descriptor: "<name>.kd"
  uint64_t descriptor_address = 0;  // of that symbol, relative to the load base
  uint32_t kernarg_bytes = 0;
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
  uint32_t wavefront_size = 0;
  uint32_t sgpr_count = 0, vgpr_count = 0, agpr_count = 0;
  uint32_t sgpr_spill_count = 0, vgpr_spill_count = 0;
  uint32_t max_flat_workgroup_size = 0;
  bool uses_dynamic_stack = false;
  std::vector<KernelArgument> args;  // in metadata order
};

struct Variable {
  std::string name;
  uint64_t address = 0;  // relative to the load base
  uint64_t size = 0;
  std::string section;    // ".bss", ".data", ".rodata", …
  bool writable = false;  // by the section's flags
  bool exported = false;  // in .dynsym: the runtime finds it by name
};

struct CodeObjectInfo {
  archive::Digest sha256;
  std::string target;               // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
  uint64_t memory_bytes = 0;        // extent of the loaded image from the load base
  std::vector<Kernel> kernels;      // sorted by name
  std::vector<Variable> variables;  // sorted by name, each name once (an exported one wins)

  const Kernel* find_kernel(std::string_view mangled) const;
  const Variable* find_variable(std::string_view name) const;
};

// `bytes` is one code object, not a bundle (bundle.h). `what` names it in errors.
Result<CodeObjectInfo> parse_code_object(Bytes bytes, const std::string& what);

// What the variable holds right after loading (before relocations): zeros where the file has no bytes for it.
Result<std::vector<uint8_t>> initial_content(Bytes code_object, const Variable& variable);

// Itanium demangling; a name that is not mangled comes back as it is.
std::string demangle(const std::string& name);

// The candidates most like `name`, best first: for "did you mean".
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       size_t count = 3);

}  // namespace kernloop::codeobject
