#include "softgpu/corpus/harness/cooperative.h"

#include <fstream>
#include <iterator>
#include <map>
#include <memory>

// Functions that hipcc's host code calls before main().
extern "C" {
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void* binary;
  void* unused;
};
void** __hipRegisterFatBinary(const void* wrapper);
void __hipRegisterFunction(void** modules, const void* host_function, char* device_function, const char* device_name,
                           unsigned thread_limit, void* tid, void* bid, dim3* block, dim3* grid, int* wave);
}

namespace kernloop::softgpu::corpus {
namespace {

struct FatBinary {
  std::vector<char> bytes;
  FatBinaryWrapper wrapper{0x48495046, 1, nullptr, nullptr};  // "HIPF"
  void** registered = nullptr;
};

FatBinary& fat_binary(const std::string& theme) {
  static std::map<std::string, std::unique_ptr<FatBinary>> loaded;
  auto& binary = loaded[theme];
  if (binary) return *binary;
  binary = std::make_unique<FatBinary>();
  std::ifstream file(object_path(theme), std::ios::binary);
  binary->bytes = {std::istreambuf_iterator<char>(file), {}};
  if (binary->bytes.empty()) throw std::runtime_error("no code object " + object_path(theme));
  binary->wrapper.binary = binary->bytes.data();
  binary->registered = __hipRegisterFatBinary(&binary->wrapper);
  return *binary;
}

}  // namespace

void launch_cooperative_with(const std::string& theme, const std::string& name, const Shape& shape, void** arguments) {
  // Its address identifies the kernel; it is kept, as HIP keeps the pointer.
  static std::map<std::string, std::unique_ptr<std::string>> host_functions;
  auto& host = host_functions[theme + "." + name];
  if (!host) {
    host = std::make_unique<std::string>(name);
    __hipRegisterFunction(fat_binary(theme).registered, host.get(), host->data(), host->c_str(), ~0u, nullptr, nullptr,
                          nullptr, nullptr, nullptr);
  }
  HIP_CHECK(hipLaunchCooperativeKernel(host.get(), shape.grid, shape.block, arguments, shape.lds_bytes, nullptr));
  HIP_CHECK(hipDeviceSynchronize());
}

}  // namespace kernloop::softgpu::corpus
