// Which instrumented translation units a code object holds: by its symbols, so that a module of several units gives all
// of them, whoever linked it.
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
  bool stock = false;  // of LLVM's own instrumentation: a counter array and a record a function, nothing else
  std::vector<Variable> variables;
};

// Empty where nothing is instrumented.
Result<std::vector<Unit>> find_units(Bytes code_object, const std::string& what);

// The code objects of a module's image as it is given to a runtime, without its size: an ELF file, or a bundle of them.
// "gfx90a" of "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; empty where there is none.
std::string processor_in(std::string_view text);

struct ImagePiece {
  std::string processor;  // "gfx90a"; empty: the image is this code object alone
  Bytes code_object;
};
Result<std::vector<ImagePiece>> code_objects_at(const void* image, const std::string& what);

// Units of any image of device code (cubin, PTX, fat binary whose parts are not compressed) by the names in its bytes.
// Sizes are not told.
std::vector<Unit> find_units_by_name(Bytes image);

// How long an image of NVIDIA's is that is given without its size; 0: it is of no known kind.
uint64_t size_of_cuda_image(const void* image);

// Reads a variable of `size` bytes out of the device; none where this device does not have it.
using ReadVariable = std::function<std::optional<Buffer>(const Variable&)>;

// None where the device has another code object loaded than the one that holds this unit.
std::optional<Result<UnitProfile>> read_unit(const Unit& unit, const ReadVariable& read);

}  // namespace kernloop::pgo
