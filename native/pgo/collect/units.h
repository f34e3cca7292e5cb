// Finds the instrumented translation units of a code object by its symbols: a module of several units gives all of
// them, whichever linker made it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pgo/format/device_image.h"

namespace kernloop::pgo {

struct Variable {
  std::string name;
  uint64_t size = 0;
};

struct Unit {
  std::string cuid;
  bool stock = false;  // LLVM's own instrumentation: a counter array and a record a function, nothing else
  std::vector<Variable> variables;
};

// Empty if nothing is instrumented.
Result<std::vector<Unit>> find_units(Bytes code_object, const std::string& what);

// The code objects of a module's image as it is given to a runtime, without its size: an ELF file, or a bundle of them.
// "gfx90a" of "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; empty if it has none.
std::string processor_in(std::string_view text);

struct ImagePiece {
  std::string processor;  // "gfx90a"; empty: the image is this code object alone
  Bytes code_object;
};
Result<std::vector<ImagePiece>> code_objects_at(const void* image, const std::string& what);

// Units of any image of device code (cubin, PTX, fat binary with uncompressed parts), by the names in its bytes. Sizes
// are unknown.
std::vector<Unit> find_units_by_name(Bytes image);

// Size of an NVIDIA image that is passed without it; 0: of no known kind.
uint64_t size_of_cuda_image(const void* image);

// Reads a variable of `size` bytes from the device; none if this device does not have it.
using ReadVariable = std::function<std::optional<Buffer>(const Variable&)>;

// None if the device has loaded another code object than the one with this unit.
std::optional<Result<UnitProfile>> read_unit(const Unit& unit, const ReadVariable& read);

}  // namespace kernloop::pgo
