// Executables: code objects loaded for the GPU, their symbols and the variables defined for them.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "softgpu/engine/code/kernel_descriptor.h"
#include "softgpu/engine/engine.h"
#include "softgpu/hsa/memory/memory.h"
#include "softgpu/hsa/queues/dispatcher.h"
#include "softgpu/loader/code_object.h"

namespace kernloop::softgpu {

// hsa_code_object_reader_t. Memory given by the program stays the program's, as in HSA; files are read at once.
struct CodeObjectSource {
  std::span<const std::byte> bytes;
  std::vector<std::byte> file_bytes;  // when read from a file
  int file = -1;
  std::string uri;
};

class LoadedCodeObject;

struct ExecutableSymbol {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool global = true;  // linkage
  bool defined_by_program = false;
  bool read_only = false;
  std::optional<KernelDescriptor> kernel;
};

class LoadedCodeObject {
 public:
  ~LoadedCodeObject();
  uint64_t base() const { return mapping_.base(); }
  uint64_t size() const { return mapping_.size(); }
  const CodeObject& object() const { return object_; }
  const CodeObjectSource& source() const { return source_; }

 private:
  friend class CodeObjects;
  LoadedCodeObject(class CodeObjects& owner, CodeObject object, Mapping mapping)
      : owner_(owner), object_(std::move(object)), mapping_(std::move(mapping)) {}
  CodeObjects& owner_;
  CodeObject object_;
  Mapping mapping_;
  CodeObjectSource source_;  // origin of the bytes; `bytes` is our own copy
};

class Executable {
 public:
  Executable(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding)
      : profile(profile), rounding(rounding) {}
  const hsa_profile_t profile;
  const hsa_default_float_rounding_mode_t rounding;

  hsa_status_t load(CodeObjects& loader, const CodeObjectSource& source, std::shared_ptr<LoadedCodeObject>* loaded);
  hsa_status_t define_variable(const std::string& name, uint64_t address);
  hsa_status_t freeze();
  bool frozen() const;
  std::shared_ptr<const ExecutableSymbol> find(const std::string& name) const;
  std::vector<std::shared_ptr<const ExecutableSymbol>> symbols() const;
  std::vector<std::shared_ptr<LoadedCodeObject>> code_objects() const;

 private:
  mutable std::mutex mutex_;
  bool frozen_ = false;
  std::map<std::string, std::shared_ptr<const ExecutableSymbol>> symbols_;
  std::vector<std::shared_ptr<LoadedCodeObject>> loaded_;
};

// Places code objects in memory, and finds the kernel at an address.
class CodeObjects {
 public:
  CodeObjects(AddressSpace& space, Memory& memory, Engine& engine, Isa isa);

  // A failure is said on stderr with its reason, as HSA only returns a number.
  hsa_status_t load(const CodeObjectSource& source,
                    const std::map<std::string, std::shared_ptr<const ExecutableSymbol>>& defined,
                    std::shared_ptr<LoadedCodeObject>* loaded,
                    std::vector<std::shared_ptr<const ExecutableSymbol>>* symbols);
  std::optional<KernelInfo> find_kernel(uint64_t kernel_object) const;
  // The next load on this thread goes to this address.
  static void set_next_load_address(uint64_t address);
  // Whether kernels may write to the constants of code that is loaded from now on. They may, on hardware: HIP since 6.0
  // copies to them by a kernel.
  void open_constants(bool are_open) { constants_are_open_ = are_open; }

 private:
  friend class LoadedCodeObject;
  void unload(LoadedCodeObject& loaded);
  void map_segments(const CodeObject& object, uint64_t base, const std::string& label);

  AddressSpace& space_;
  Memory& memory_;
  Engine& engine_;
  const Isa isa_;
  std::atomic<bool> constants_are_open_{true};
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, KernelInfo> kernels_;
  std::atomic<uint64_t> next_ordinal_{1};
};

}  // namespace kernloop::softgpu
