#include "softgpu/corpus/harness/device.h"

#include <map>

namespace kernloop::softgpu::corpus {
namespace {

std::string object_directory;
constexpr uint64_t kFnvOffset = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
uint64_t digest = kFnvOffset;

hipModule_t module_of(const std::string& theme) {
  static std::map<std::string, hipModule_t> loaded;
  const auto [found, fresh] = loaded.try_emplace(theme);
  if (fresh) HIP_CHECK(hipModuleLoad(&found->second, object_path(theme).c_str()));
  return found->second;
}

}  // namespace

void check(hipError_t status, const char* call) {
  if (status != hipSuccess) throw std::runtime_error(std::string(call) + ": " + hipGetErrorName(status));
}

void set_object_directory(const std::string& directory) {
  object_directory = directory;
}

std::string object_path(const std::string& theme) {
  return object_directory + "/" + theme + ".hsaco";
}

hipFunction_t kernel(const std::string& theme, const std::string& name) {
  hipFunction_t function = nullptr;
  HIP_CHECK(hipModuleGetFunction(&function, module_of(theme), name.c_str()));
  return function;
}

void* variable(const std::string& theme, const std::string& name, size_t* bytes) {
  hipDeviceptr_t address = nullptr;
  size_t size = 0;
  HIP_CHECK(hipModuleGetGlobal(&address, &size, module_of(theme), name.c_str()));
  if (bytes != nullptr) *bytes = size;
  return address;
}

unsigned wave_size() {
  int size = 0;
  HIP_CHECK(hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0));
  return static_cast<unsigned>(size);
}

void add_to_digest(std::span<const std::byte> bytes) {
  for (std::byte byte : bytes) digest = (digest ^ static_cast<uint64_t>(byte)) * kFnvPrime;
}

uint64_t take_digest() {
  const uint64_t taken = digest;
  digest = kFnvOffset;
  return taken;
}

void launch_with(hipFunction_t function, const Shape& shape, void** arguments) {
  HIP_CHECK(hipModuleLaunchKernel(function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                                  shape.block.z, shape.lds_bytes, nullptr, arguments, nullptr));
  HIP_CHECK(hipDeviceSynchronize());
}

}  // namespace kernloop::softgpu::corpus
