#include "fakes/cuda/work/gpu.h"

#include <map>
#include <thread>

#include "cuda/kernels/device_kernels_host.h"
#include "fakes/cuda/memory/descriptors.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/objects.h"
#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {
namespace {

std::map<std::string, HostCode, std::less<>>& registry() {
  static auto* const kRegistry = new std::map<std::string, HostCode, std::less<>>;
  return *kRegistry;
}

HostCode registered(std::string_view kernel) {
  const auto found = registry().find(kernel);
  return found == registry().end() ? nullptr : found->second;
}

}  // namespace

KernelCode::KernelCode(const char* kernel, HostCode code) {
  registry()[kernel] = code;
}

bool has_code(std::string_view kernel) {
  return registered(kernel) != nullptr || device_kernel_on_host(kernel) != nullptr;
}

void run_code(const KernelLaunch& launch) {
  const std::string& name = launch.function->kernel->name;
  Gpu gpu(launch);
  if (const HostCode code = registered(name); code != nullptr) return code(gpu);
  const HostKernel* own = device_kernel_on_host(name);
  own->run(static_cast<uint32_t>(gpu.blocks()), static_cast<uint32_t>(gpu.threads_per_block()), gpu.parameters());
}

void Gpu::wait_a_little() const {
  if (launch_.function->module->context->going_away) throw DeviceFault{CUDA_ERROR_LAUNCH_FAILED};
  std::this_thread::yield();
}

CUdeviceptr Gpu::variable(const char* name) const {
  const auto& variables = launch_.function->module->variables;
  const auto found = variables.find(name);
  return found == variables.end() ? 0 : found->second.address;
}

uint64_t Gpu::seed() const {
  return settings().seed * 0x9E3779B97F4A7C15 + launch_.number;
}

void* Gpu::check(CUdeviceptr address, size_t bytes, bool write) const {
  if (address % (bytes & -bytes) != 0) throw DeviceFault{CUDA_ERROR_MISALIGNED_ADDRESS};
  const CUdeviceptr granule = address / kGranule * kGranule;
  if (last_granule_[write ? 1 : 0] != granule || address + bytes > granule + kGranule) {
    if (!memory().reachable(address, bytes, launch_.function->module->context->device, write)) throw DeviceFault{};
    if (memory().reachable(granule, kGranule, launch_.function->module->context->device, write)) {
      last_granule_[write ? 1 : 0] = granule;
    }
  }
  return reinterpret_cast<void*>(address);
}

CUdeviceptr Gpu::tensor_address(const CUtensorMap& map) const {
  return address_in_tensor_map(map);
}

CUdeviceptr Gpu::texture_address(CUtexObject texture) const {
  return address_of_texture(texture);
}

}  // namespace kernloop::cuda::fake
