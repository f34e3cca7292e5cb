#include "pgo/collect/hip/hip_api.h"
#include "pgo/runtime/gpu.h"

namespace kernloop::pgo::runtime {

namespace {

int place(uint64_t* current) {
  int device = 0;
  const int error = hip::next_hipGetDevice()(&device);
  *current = static_cast<uint64_t>(device);
  return error;
}

int load(void** module, const void* image) {
  return hip::next_hipModuleLoadData()(module, image);
}

int unload(void* module) {
  return hip::next_hipModuleUnload()(module);
}

int function(void** function, void* module, const char* name) {
  return hip::next_hipModuleGetFunction()(function, module, name);
}

std::optional<Buffer> variable(void* module, const std::string& name) {
  void* address = nullptr;
  size_t size = 0;
  if (hip::next_hipModuleGetGlobal()(&address, &size, module, name.c_str()) != 0) return std::nullopt;
  Buffer bytes(size);
  if (size > 0 && hip::next_hipMemcpy()(bytes.data(), address, size, hip::kDeviceToHost) != 0) return std::nullopt;
  return bytes;
}

int synchronize() {
  return hip::next_hipDeviceSynchronize()();
}

// HIPRTC returns one code object.
Bytes code_at(const void* image) {
  const auto pieces = code_objects_at(image, "a module");
  return pieces && pieces->size() == 1 ? (*pieces)[0].code_object : Bytes{};
}

std::string target(Bytes code, const RtcProgram&) {
  return target_of_code(code);
}

}  // namespace

const Gpu& gpu() {
  static const Gpu hip = {"HIP",    "HIPRTC",    place,   load,   unload,           function,
                          variable, synchronize, code_at, target, variable_in_code, find_units};
  return hip;
}

}  // namespace kernloop::pgo::runtime
