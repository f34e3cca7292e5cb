// The HIP functions that the corpus calls, on the HSA API itself: it replaces libamdhip64 for targets that HIP 5.2.3
// does not know (the file has its name, and LD_LIBRARY_PATH chooses). For the software GPU only, whose memory is the
// host's. printf and malloc in kernels need services of HIP that are missing here: they fault at address 0.
#include <elf.h>
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codeobject/code_object.h"

namespace kernloop::softgpu::corpus {
namespace {

struct Module {
  std::vector<uint8_t> bytes;
  codeobject::CodeObjectInfo info;
  hsa_executable_t executable{};
};

struct Function {
  const Module* module = nullptr;
  const codeobject::Kernel* kernel = nullptr;
  uint64_t object = 0;
};

void require(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: HSA status 0x%x\n", what, static_cast<unsigned>(status));
  std::abort();
}

class Device {
 public:
  static Device& get() {
    static Device device;
    return device;
  }

  void* allocate(size_t bytes) { return allocate(memory_, bytes); }
  void* arguments(size_t bytes) { return allocate(kernarg_, std::max<size_t>(bytes, 1)); }
  unsigned wave_size() const { return wave_size_; }

  std::unique_ptr<Module> load(std::vector<uint8_t> bytes, const std::string& name) {
    auto module = std::make_unique<Module>();
    module->bytes = std::move(bytes);
    auto info = codeobject::parse_code_object(module->bytes, name);
    if (!info) return nullptr;
    module->info = std::move(*info);
    hsa_code_object_reader_t reader;
    require(hsa_code_object_reader_create_from_memory(module->bytes.data(), module->bytes.size(), &reader), "reader");
    require(
        hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &module->executable),
        "executable");
    require(hsa_executable_load_agent_code_object(module->executable, gpu_, reader, nullptr, nullptr), "load");
    require(hsa_executable_freeze(module->executable, nullptr), "freeze");
    return module;
  }

  uint64_t symbol(const Module& module, const std::string& name, hsa_executable_symbol_info_t what) const {
    hsa_executable_symbol_t symbol;
    uint64_t value = 0;
    if (hsa_executable_get_symbol_by_name(module.executable, name.c_str(), &gpu_, &symbol) != HSA_STATUS_SUCCESS)
      return 0;
    require(hsa_executable_symbol_get_info(symbol, what, &value), name.c_str());
    return value;
  }

  void run(hsa_kernel_dispatch_packet_t packet) {
    hsa_signal_t done;
    require(hsa_signal_create(1, 0, nullptr, &done), "signal");
    packet.completion_signal = done;
    const uint64_t index = hsa_queue_add_write_index_screlease(queue_, 1);
    auto* slot = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) + index % queue_->size;
    std::memcpy(reinterpret_cast<char*>(slot) + 2, reinterpret_cast<const char*>(&packet) + 2, sizeof packet - 2);
    constexpr auto kHeader = static_cast<uint16_t>(HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), kHeader, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<int64_t>(index));
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    require(hsa_signal_destroy(done), "signal");
  }

 private:
  Device() {
    require(hsa_init(), "hsa_init");
    require(hsa_iterate_agents(take_agent, this), "agents");
    require(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave_size_), "wave size");
    require(
        hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_COOPERATIVE, queue_error, nullptr, UINT32_MAX, UINT32_MAX, &queue_),
        "queue");
  }

  // The software GPU has reported the error on stderr.
  static void queue_error(hsa_status_t, hsa_queue_t*, void*) { std::abort(); }

  static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
    auto& device = *static_cast<Device*>(data);
    uint32_t segment = 0, flags = 0;
    bool is_host = false;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &is_host);
    if (!is_host) device.memory_ = pool;
    if (is_host && (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0) device.kernarg_ = pool;
    return HSA_STATUS_SUCCESS;
  }
  static hsa_status_t take_agent(hsa_agent_t agent, void* data) {
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU) static_cast<Device*>(data)->gpu_ = agent;
    return hsa_amd_agent_iterate_memory_pools(agent, take_pool, data);
  }

  static void* allocate(hsa_amd_memory_pool_t pool, size_t bytes) {
    void* data = nullptr;
    require(hsa_amd_memory_pool_allocate(pool, bytes, 0, &data), "memory");
    return data;
  }

  hsa_agent_t gpu_{};
  hsa_amd_memory_pool_t memory_{}, kernarg_{};
  hsa_queue_t* queue_ = nullptr;
  uint32_t wave_size_ = 0;
};

Function* find(const Module& module, const std::string& name) {
  static std::map<std::pair<const Module*, std::string>, Function> known;
  const auto [found, fresh] = known.try_emplace({&module, name});
  Function& function = found->second;
  if (fresh) {
    function.module = &module;
    function.kernel = module.info.find_kernel(name);
    if (function.kernel != nullptr) {
      function.object = Device::get().symbol(module, function.kernel->symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
    }
  }
  return function.object == 0 ? nullptr : &function;
}

bool begins_with(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

// Hidden arguments are 0 in code object v4 except for services, and for the one that marks a launch as cooperative.
void fill(const codeobject::Kernel& kernel, void** given, bool cooperative, char* segment) {
  std::memset(segment, 0, kernel.kernarg_bytes);
  for (const codeobject::KernelArgument& argument : kernel.args) {
    if (!begins_with(argument.value_kind, "hidden_")) {
      std::memcpy(segment + argument.offset, *given++, argument.size);
    } else if (argument.value_kind == "hidden_multigrid_sync_arg") {
      segment[argument.offset] = cooperative ? 1 : 0;
    }
  }
}

hipError_t launch(const Function& function, dim3 grid, dim3 block, unsigned shared, void** given,
                  bool cooperative = false) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return hipErrorInvalidValue;
  const codeobject::Kernel& kernel = *function.kernel;
  Device& device = Device::get();
  auto* segment = static_cast<char*>(device.arguments(kernel.kernarg_bytes));
  fill(kernel, given, cooperative, segment);
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = 3;
  packet.workgroup_size_x = static_cast<uint16_t>(block.x);
  packet.workgroup_size_y = static_cast<uint16_t>(block.y);
  packet.workgroup_size_z = static_cast<uint16_t>(block.z);
  packet.grid_size_x = grid.x * block.x;
  packet.grid_size_y = grid.y * block.y;
  packet.grid_size_z = grid.z * block.z;
  packet.group_segment_size = kernel.group_segment_bytes + shared;
  packet.private_segment_size = kernel.private_segment_bytes;
  packet.kernel_object = function.object;
  packet.kernarg_address = segment;
  if (kernel.uses_dynamic_stack) packet.private_segment_size = std::max(packet.private_segment_size, 16384u);
  device.run(packet);
  require(hsa_amd_memory_pool_free(segment), "free");
  return hipSuccess;
}

std::vector<std::unique_ptr<Module>>& modules() {
  static std::vector<std::unique_ptr<Module>> loaded;
  return loaded;
}

std::map<const void*, Function*>& host_functions() {
  static std::map<const void*, Function*> known;
  return known;
}

void copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
}

constexpr size_t kPitch = 128;

}  // namespace
}  // namespace kernloop::softgpu::corpus

using namespace kernloop::softgpu::corpus;  // NOLINT: below are C functions

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const char* hipGetErrorName(hipError_t error) {
  return error == hipSuccess             ? "hipSuccess"
         : error == hipErrorNotSupported ? "hipErrorNotSupported"
         : error == hipErrorNotFound     ? "hipErrorNotFound"
                                         : "hipErrorInvalidValue";
}
EXPORT hipError_t hipDeviceSynchronize() {
  return hipSuccess;  // every launch waits
}
EXPORT hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  if (attribute != hipDeviceAttributeWarpSize) return hipErrorInvalidValue;
  *value = static_cast<int>(Device::get().wave_size());
  return hipSuccess;
}

EXPORT hipError_t hipMalloc(void** data, size_t bytes) {
  *data = bytes == 0 ? nullptr : Device::get().allocate(bytes);
  return hipSuccess;
}
EXPORT hipError_t hipFree(void* data) {
  if (data != nullptr) require(hsa_amd_memory_pool_free(data), "free");
  return hipSuccess;
}
EXPORT hipError_t hipMallocPitch(void** data, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return hipMalloc(data, *pitch * height);
}
EXPORT hipError_t hipMalloc3D(hipPitchedPtr* data, hipExtent extent) {
  *data = {nullptr, 0, extent.width, extent.height};
  return hipMallocPitch(&data->ptr, &data->pitch, extent.width, extent.height * extent.depth);
}
EXPORT hipError_t hipMemset(void* data, int value, size_t bytes) {
  if (bytes > 0) std::memset(data, value, bytes);
  return hipSuccess;
}
EXPORT hipError_t hipMemset2D(void* data, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row) std::memset(static_cast<char*>(data) + row * pitch, value, width);
  return hipSuccess;
}
EXPORT hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return hipSuccess;
}
EXPORT hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
}
EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}
EXPORT hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, hipMemcpyKind) {
  copy_rows(to, to_pitch, from, from_pitch, width, height);
  return hipSuccess;
}
EXPORT hipError_t hipMemcpy3D(const hipMemcpy3DParms* copy) {
  const auto place = [](const hipPitchedPtr& data, const hipPos& at, size_t z) {
    return static_cast<char*>(data.ptr) + ((at.z + z) * data.ysize + at.y) * data.pitch + at.x;
  };
  for (size_t z = 0; z < copy->extent.depth; ++z) {
    copy_rows(place(copy->dstPtr, copy->dstPos, z), copy->dstPtr.pitch, place(copy->srcPtr, copy->srcPos, z),
              copy->srcPtr.pitch, copy->extent.width, copy->extent.height);
  }
  return hipSuccess;
}

EXPORT hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  auto loaded = Device::get().load({std::istreambuf_iterator<char>(file), {}}, path);
  if (!loaded) return hipErrorNotFound;
  *module = reinterpret_cast<hipModule_t>(modules().emplace_back(std::move(loaded)).get());
  return hipSuccess;
}
EXPORT hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  *function = reinterpret_cast<hipFunction_t>(find(*reinterpret_cast<Module*>(module), name));
  return *function == nullptr ? hipErrorNotFound : hipSuccess;
}
EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t* data, size_t* bytes, hipModule_t module, const char* name) {
  const Module& from = *reinterpret_cast<Module*>(module);
  const auto* variable = from.info.find_variable(name);
  const uint64_t address = Device::get().symbol(from, name, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
  if (variable == nullptr || address == 0) return hipErrorNotFound;
  *data = reinterpret_cast<void*>(address);
  *bytes = variable->size;
  return hipSuccess;
}
EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                        hipStream_t, void** arguments, void**) {
  return launch(*reinterpret_cast<Function*>(function), dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                shared, arguments);
}

// Takes registrations of hipcc's host code: harness/cooperative.cpp hands over one bare code object.
EXPORT void** __hipRegisterFatBinary(const void* wrapper) {
  const auto* bytes = static_cast<const uint8_t*>(static_cast<const void* const*>(wrapper)[1]);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  const size_t size = header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
  modules().push_back(Device::get().load({bytes, bytes + size}, "fat binary"));
  return reinterpret_cast<void**>(modules().back().get());
}
EXPORT void __hipRegisterFunction(void** module, const void* host_function, char*, const char* name, unsigned, void*,
                                  void*, dim3*, dim3*, int*) {
  host_functions()[host_function] = find(*reinterpret_cast<Module*>(module), name);
}
EXPORT hipError_t hipLaunchCooperativeKernel(const void* host_function, dim3 grid, dim3 block, void** arguments,
                                             unsigned shared, hipStream_t) {
  const Function* function = host_functions()[host_function];
  if (function == nullptr) return hipErrorNotFound;
  // The barrier of the grid is set for as many workgroups, less one, before each launch.
  const Function* initialise = find(*function->module, "initialise_grid_barrier");
  if (initialise == nullptr) return hipErrorNotSupported;
  unsigned others = grid.x * grid.y * grid.z - 1;
  void* count[] = {&others};
  const hipError_t initialised = launch(*initialise, dim3(1), dim3(1), 0, count);
  return initialised == hipSuccess ? launch(*function, grid, block, shared, arguments, true) : initialised;
}
