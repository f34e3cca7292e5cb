// Contents of a code object: kernels with their arguments, and module variables. An AMDGPU one (HSACO) is read from its
// ELF and its NT_AMDGPU_METADATA note (LLVM AMDGPUUsage, "Code Object Metadata"); a CUDA one: cubin.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "elf/image.h"

namespace kernloop::codeobject {

struct KernelArgument {
  uint32_t offset = 0;
  uint32_t size = 0;
  std::string value_kind;     // global_buffer, by_value, dynamic_shared_pointer, hidden_…
  std::string name;           // empty for hidden arguments
  std::string type_name;      // if the compiler records it ("float*")
  std::string address_space;  // address space of its target, if known
  std::string access;         // declared
  std::string actual_access;  // determined by the compiler
};

// Further facts of a kernel in a cubin. A dimension of 0 was not given.
struct CubinKernelFacts {
  uint32_t registers = 0;              // per thread
  uint32_t register_limit = 0;         // limit by launch bounds and compiler options
  uint32_t barriers = 0;               // per block
  uint32_t parameter_base = 0;         // offset of the arguments in constant bank 0: their alignment is relative to it
  uint32_t frame_bytes = 0;            // the kernel's own stack frame; private_segment_bytes adds its callees'
  uint32_t reserved_shared_bytes = 0;  // the system's part of the block's shared memory, at its start
  std::array<uint32_t, 3> max_threads{};       // per block (__launch_bounds__, .maxntid)
  std::array<uint32_t, 3> required_threads{};  // per block (__block_size__, .reqntid)
  std::array<uint32_t, 3> cluster_blocks{};    // __cluster_dims__, .reqnctapercluster
  uint32_t max_cluster_blocks = 0;             // .maxclusterrank
  bool needs_cluster_dimensions = false;       // .explicitcluster: a launch without any is refused
  bool grid_counts_clusters = false;           // .blocksareclusters: the grid of a launch is in clusters
  // From here on: for the kernel and anything that it may call. Not visible in a cubin: grid-wide synchronisation, and
  // clusters whose size only the launch gives.
  std::optional<bool> uses_textures;  // reads texture objects; nullopt if this architecture's code is not known
  std::optional<bool> uses_surfaces;  // reads or writes surface objects
  bool uses_device_heap = false;      // malloc, free
  bool uses_printf = false;
  bool uses_assert = false;
  bool launches_kernels = false;     // needs CUDA's device runtime
  bool calls_indirectly = false;     // function pointers: then every function whose address is taken counts
  std::vector<std::string> externs;  // symbols that the driver resolves: "vprintf", "malloc", … sorted
};

struct Kernel {
  std::string name;                 // mangled
  std::string demangled;            // the name itself if it is not mangled
  std::string symbol;               // the descriptor's: "<name>.kd"; in a cubin: the name
  uint64_t descriptor_address = 0;  // relative to the load base; in a cubin: 0, it is found by name
  uint32_t kernarg_bytes = 0;
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
  uint32_t wavefront_size = 0;
  uint32_t sgpr_count = 0, vgpr_count = 0, agpr_count = 0;
  uint32_t sgpr_spill_count = 0, vgpr_spill_count = 0;
  uint32_t max_flat_workgroup_size = 0;  // for a cubin without launch bounds: 0
  std::array<uint32_t, 3>
      required_workgroup{};             // reqd_work_group_size; zeros: none; for a cubin: required_threads below
  bool needs_whole_workgroups = false;  // compiled so that no launch may have a partial one
  bool is_on_two_units = false;         // RDNA: a workgroup has both compute units of its processor (WGP_MODE)
  bool uses_dynamic_stack = false;      // private_segment_bytes is only a part of its stack (not always known)
  std::vector<KernelArgument> args;     // in metadata order; in a cubin: by offset, "by_value", nameless
  std::optional<CubinKernelFacts> cubin;
};

struct Variable {
  std::string name;
  uint64_t address = 0;  // relative to the load base; in a cubin: see cubin.h
  uint64_t size = 0;
  std::string section;          // ".bss", ".data", ".rodata", …
  bool writable = false;        // by the section's flags
  bool exported = false;        // in .dynsym: the runtime finds it by name; in a cubin: the host may set it
  bool managed = false;         // CUDA's unified memory: the host may hold the newest content
  bool is_device_heap = false;  // heap of new and malloc of ROCm's device library (code objects before v5)
};

// Writable bytes of the loaded image.
struct WritableBytes {
  uint64_t address = 0;  // relative to the load base
  uint64_t size = 0;
  bool is_relocated = false;  // only by the loader, which has tables there (PT_GNU_RELRO)
  // Includes parts of its pages that no other segment has: a kernel can write there, too.
  uint64_t pages_address = 0, pages_size = 0;
};

// Bytes of the loaded image that are instructions.
struct ExecutableBytes {
  uint64_t address = 0;  // relative to the load base
  uint64_t size = 0;
};

struct CodeObjectInfo {
  Digest sha256;
  std::string target;                       // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "sm_90a"
  uint64_t memory_bytes = 0;                // extent of the loaded image from the load base; of a cubin: 0
  std::vector<Kernel> kernels;              // sorted by name
  std::vector<Variable> variables;          // sorted by name, each name once (an exported one wins)
  std::vector<WritableBytes> writable;      // with or without symbols; none for a cubin, which has no image
  std::vector<ExecutableBytes> executable;  // likewise

  const Kernel* find_kernel(std::string_view mangled) const;
  const Variable* find_variable(std::string_view name) const;
};

// `bytes` is one code object, not a bundle (bundle.h). `what` names it in errors.
Result<CodeObjectInfo> parse_code_object(Bytes bytes, const std::string& what);

// Content of the variable right after loading (before relocations): zeros if the file has no bytes for it.
Result<std::vector<uint8_t>> initial_content(Bytes code_object, const Variable& variable);

// Initial content of a variable whose bytes in the file are addresses (of functions, of other variables), once these
// are filled in for code at `load_base`. None if the file has none there, or one that depends on more than the code
// object.
Result<std::optional<std::vector<uint8_t>>> content_with_addresses(Bytes code_object, const Variable& variable,
                                                                   uint64_t load_base);

// Demangled name of the function or variable at the address, relative to the load base; empty if no symbol names one.
std::string symbol_at(Bytes code_object, uint64_t address);

// Itanium demangling; returns a name that is not mangled as it is.
std::string demangle(const std::string& name);
// Plain part of a demangled name: `ns::scale` of `void ns::scale<float, 4>(float*, int)`.
std::string plain_name(const std::string& demangled);

// The candidates most like `name`, best first: for "did you mean".
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       size_t count = 3);

}  // namespace kernloop::codeobject
