#include <elf.h>

#include <algorithm>
#include <cstring>

#include "elf/image.h"
#include "pgo/collect/log.h"
#include "pgo/runtime/cuda_driver.h"
#include "pgo/runtime/gpu.h"

namespace kernloop::pgo::runtime {

using namespace kernloop::cuda;

// Never given back: the app's last modules go when everything static is gone already.
const Driver* driver() {
  static const auto* const one = [] {
    auto loaded = Driver::load();
    if (!loaded) warn(loaded.error());
    return loaded ? new std::shared_ptr<const Driver>(*loaded) : new std::shared_ptr<const Driver>;
  }();
  return one->get();
}

namespace {

int place(uint64_t* current) {
  CUcontext context = nullptr;
  const CUresult result = driver()->cuCtxGetCurrent(&context);
  *current = reinterpret_cast<uint64_t>(context);
  return result == CUDA_SUCCESS && !context ? CUDA_ERROR_INVALID_CONTEXT : result;
}

int load(void** module, const void* image) {
  return driver()->cuModuleLoadData(reinterpret_cast<CUmodule*>(module), image);
}

int unload(void* module) {
  return driver()->cuModuleUnload(static_cast<CUmodule>(module));
}

int function(void** function, void* module, const char* name) {
  return driver()->cuModuleGetFunction(reinterpret_cast<CUfunction*>(function), static_cast<CUmodule>(module), name);
}

std::optional<Buffer> variable(void* module, const std::string& name) {
  CUdeviceptr address = 0;
  size_t size = 0;
  if (driver()->cuModuleGetGlobal(&address, &size, static_cast<CUmodule>(module), name.c_str()) != CUDA_SUCCESS)
    return std::nullopt;
  Buffer bytes(size);
  if (size > 0 && driver()->cuMemcpyDtoH(bytes.data(), address, size) != CUDA_SUCCESS) return std::nullopt;
  return bytes;
}

int synchronize() {
  return driver()->cuCtxSynchronize();
}

// A cubin, or PTX.
Bytes code_at(const void* image) {
  return {static_cast<const uint8_t*>(image), size_of_cuda_image(image)};
}

// Architecture of the device: code that NVRTC compiled for an older one runs there, too. "sm_90a" if the app asks for
// that.
std::string target(Bytes, const RtcProgram& program) {
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (driver()->cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      driver()->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
      driver()->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
    return "";
  const std::string number = std::to_string(major * 10 + minor);
  for (const std::string& option : program.options) {
    if (option.ends_with("_" + number + "a")) return "sm_" + number + "a";
  }
  return "sm_" + number;
}

// Names that only the compiler generates: texts of printf, and its own.
bool is_the_compilers(std::string_view name) {
  return name.empty() || name[0] == '$' || name[0] == '.' || name.starts_with("__nv") || name.starts_with("_$");
}

std::string variable_of_ptx(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    for (const std::string_view prefix : {".visible ", ".weak ", ".extern ", ".common "})
      if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
    if (!line.starts_with(".global ") && !line.starts_with(".const ")) continue;
    const size_t stop = line.find_first_of("[;=");
    line = line.substr(0, stop);
    while (line.ends_with(' ')) line.remove_suffix(1);
    const std::string_view name = line.substr(line.find_last_of(" \t") + 1);
    if (!is_the_compilers(name)) return std::string(name);
  }
  return "";
}

std::string variable_of_its_own(Bytes code) {
  if (code.size() < SELFMAG || std::memcmp(code.data(), ELFMAG, SELFMAG) != 0)
    return variable_of_ptx({reinterpret_cast<const char*>(code.data()), code.size()});
  const auto image = elf::Image::parse(code, "code of the app");
  const auto symbols = image ? image->symbols(SHT_SYMTAB) : Result<std::vector<elf::Symbol>>(image.error());
  if (!symbols) return "(" + symbols.error().message + ")";
  for (const elf::Symbol& symbol : *symbols) {
    const bool is_object = symbol.type == STT_OBJECT && symbol.size > 0 && symbol.section != SHN_UNDEF;
    if (is_object && !is_the_compilers(symbol.name)) return std::string(symbol.name);
  }
  return "";
}

Result<std::vector<Unit>> units(Bytes code, const std::string&) {
  return find_units_by_name(code);
}

}  // namespace

const Gpu& gpu() {
  static const Gpu cuda = {
      "CUDA", "NVRTC", place, load, unload, function, variable, synchronize, code_at, target, variable_of_its_own,
      units};
  return cuda;
}

}  // namespace kernloop::pgo::runtime
