#include "capture/cuda/launch/launch.h"

#include <algorithm>
#include <cstring>

#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

bool is_per_thread_form(uint32_t id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

template <typename From>
void read_geometry(const From& from, Launch* launch) {
  launch->grid_blocks = {from.gridDimX, from.gridDimY, from.gridDimZ};
  launch->block_threads = {from.blockDimX, from.blockDimY, from.blockDimZ};
  launch->dynamic_shared_bytes = from.sharedMemBytes;
  launch->stream = from.hStream;
}

uint64_t end_of(const std::vector<Parameter>& parameters) {
  uint64_t end = 0;
  for (const Parameter& parameter : parameters) end = std::max(end, parameter.offset + parameter.size);
  return end;
}

Error bad_arguments(const std::string& what) {
  return {"KERNEL_ARGUMENTS", "the arguments of the launch cannot be read: " + what,
          "report this with the log in .kernloop/logs"};
}

}  // namespace

void read_attribute(const CUlaunchAttribute& attribute, Launch* launch) {
  const auto add = [launch](const char* name, uint64_t value) { launch->attributes.push_back({name, value}); };
  const CUlaunchAttributeValue& value = attribute.value;
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      if (value.cooperative != 0) add("cooperative", 1);
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      add("cluster_blocks_x", value.clusterDim.x);
      add("cluster_blocks_y", value.clusterDim.y);
      add("cluster_blocks_z", value.clusterDim.z);
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      add("cluster_scheduling_policy", value.clusterSchedulingPolicyPreference);
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      add("preferred_cluster_blocks_x", value.preferredClusterDim.x);
      add("preferred_cluster_blocks_y", value.preferredClusterDim.y);
      add("preferred_cluster_blocks_z", value.preferredClusterDim.z);
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      if (value.programmaticStreamSerializationAllowed != 0) {
        add("programmatic_launch", 1);
        launch->programmatic = true;
      }
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      add("preferred_shared_carveout_percent", value.sharedMemCarveout);
      break;
    // Events, priorities, domains, access policies and hints do not affect the kernel's result.
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      break;
    default:
      launch->unknown_attribute = attribute.id;
      break;
  }
}

CUfunction launched_function(uint32_t id, const void* params) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return static_cast<const cuLaunchKernel_params*>(params)->f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return static_cast<const cuLaunchKernelEx_params*>(params)->f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return static_cast<const cuLaunchCooperativeKernel_params*>(params)->f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
      return static_cast<const cuLaunch_params*>(params)->f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice: {
      const auto& p = *static_cast<const cuLaunchCooperativeKernelMultiDevice_params*>(params);
      return p.launchParamsList != nullptr && p.numDevices != 0 ? p.launchParamsList[0].function : nullptr;
    }
    default:
      return nullptr;
  }
}

std::optional<Launch> read_launch(uint32_t id, const void* params) {
  Launch launch;
  launch.function = launched_function(id, params);
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernel_params*>(params);
      read_geometry(p, &launch);
      launch.parameters = p.kernelParams;
      launch.extra = p.extra;
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernelEx_params*>(params);
      if (p.config == nullptr) return std::nullopt;
      read_geometry(*p.config, &launch);
      launch.parameters = p.kernelParams;
      launch.extra = p.extra;
      for (unsigned int i = 0; p.config->attrs != nullptr && i < p.config->numAttrs; ++i) {
        read_attribute(p.config->attrs[i], &launch);
      }
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchCooperativeKernel_params*>(params);
      read_geometry(p, &launch);
      launch.parameters = p.kernelParams;
      launch.attributes.push_back({"cooperative", 1});
      break;
    }
    default:
      return std::nullopt;
  }
  // In these forms the null stream is the calling thread's own.
  if (launch.stream == nullptr && is_per_thread_form(id)) launch.stream = CU_STREAM_PER_THREAD;
  return launch;
}

LaunchShape shape_of(const KernelEntry& kernel, const std::optional<Launch>& launch) {
  LaunchShape shape{kernel.identity, {}, {}};
  for (size_t i = 0; launch && i < 3; ++i) {
    shape.block_threads[i] = launch->block_threads[i];
    shape.grid_work_items[i] = uint64_t{launch->grid_blocks[i]} * launch->block_threads[i];
  }
  return shape;
}

CUcontext context_of(const Driver& driver, CUstream stream, CUcontext current) {
  const OwnCalls own;
  CUcontext context = current;
  const bool special = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  if (!special && driver.cuStreamGetCtx(stream, &context) == CUDA_SUCCESS) return context;
  if (context == nullptr) driver.cuCtxGetCurrent(&context);
  return context;
}

std::vector<Parameter> parameters_of(const Driver& driver, CUfunction handle, CUfunction function) {
  std::vector<Parameter> parameters;
  const bool is_kernel = handle != function;
  while (parameters.size() < kMaxKernargBytes) {
    size_t offset = 0, size = 0;
    const size_t index = parameters.size();
    const CUresult result = is_kernel
                                ? driver.cuKernelGetParamInfo(reinterpret_cast<CUkernel>(handle), index, &offset, &size)
                                : driver.cuFuncGetParamInfo(function, index, &offset, &size);
    if (result != CUDA_SUCCESS) break;  // past the last one
    parameters.push_back({offset, size});
  }
  return parameters;
}

std::optional<Error> read_arguments(const Launch& launch, const std::vector<Parameter>& parameters,
                                    std::vector<uint8_t>* bytes) {
  bytes->clear();
  if (launch.extra != nullptr) {
    const void* buffer = nullptr;
    size_t size = 0;
    for (void** tag = launch.extra; *tag != CU_LAUNCH_PARAM_END; tag += 2) {
      if (*tag == CU_LAUNCH_PARAM_BUFFER_POINTER) {
        buffer = tag[1];
      } else if (*tag == CU_LAUNCH_PARAM_BUFFER_SIZE) {
        size = *static_cast<const size_t*>(tag[1]);
      } else {
        return bad_arguments("an unknown tag in the list of extra options");
      }
    }
    if (size > kMaxKernargBytes || (buffer == nullptr && size != 0)) return bad_arguments("a buffer out of bounds");
    // The buffer may end with padding, as a structure does.
    size = std::min<size_t>(size, end_of(parameters));
    if (size != 0) bytes->assign(static_cast<const uint8_t*>(buffer), static_cast<const uint8_t*>(buffer) + size);
    return std::nullopt;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& [offset, size] = parameters[i];
    if (offset > kMaxKernargBytes || size > kMaxKernargBytes - offset)
      return bad_arguments("a parameter out of bounds");
    if (launch.parameters == nullptr || launch.parameters[i] == nullptr) return bad_arguments("there are none");
    if (bytes->size() < offset + size) bytes->resize(offset + size);
    std::memcpy(bytes->data() + offset, launch.parameters[i], size);
  }
  return std::nullopt;
}

LaunchGeometry geometry_of(const Driver& driver, const Launch& launch, CUfunction function) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    return driver.cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS && value > 0
               ? static_cast<uint32_t>(value)
               : 0u;
  };
  LaunchGeometry geometry;
  geometry.grid_blocks = launch.grid_blocks;
  geometry.block_threads = launch.block_threads;
  for (size_t i = 0; i < 3; ++i) {
    geometry.grid_work_items[i] = uint64_t{launch.grid_blocks[i]} * launch.block_threads[i];
    if (geometry.grid_work_items[i] > 1) geometry.dimensions = static_cast<uint32_t>(i + 1);
  }
  geometry.group_segment_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + launch.dynamic_shared_bytes;
  geometry.private_segment_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  return geometry;
}

std::vector<LaunchAttribute> attributes_of(const Driver& driver, const Launch& launch, CUfunction function) {
  std::vector<LaunchAttribute> attributes = launch.attributes;
  const auto add = [&](const char* name, uint64_t value) {
    const bool known = std::any_of(attributes.begin(), attributes.end(),
                                   [&](const LaunchAttribute& attribute) { return attribute.name == name; });
    if (!known) attributes.push_back({name, value});
  };
  CUdevice device = 0;
  const bool has_device = driver.cuCtxGetDevice(&device) == CUDA_SUCCESS;
  // Attributes that the app set on a library's kernel hold for its function in each context.
  const auto read = [&](CUfunction_attribute which, int unset, int* value) {
    if (driver.cuFuncGetAttribute(value, which, function) == CUDA_SUCCESS && *value != unset) return true;
    const auto kernel = reinterpret_cast<CUkernel>(launch.function);
    return launch.function != function && has_device &&
           driver.cuKernelGetAttribute(value, which, kernel, device) == CUDA_SUCCESS && *value != unset;
  };
  const auto of_function = [&](const char* name, CUfunction_attribute which, int unset) {
    int value = 0;
    if (read(which, unset, &value) && value >= 0) add(name, static_cast<uint64_t>(value));
  };
  const auto of_context = [&](const char* name, CUlimit which) {
    size_t value = 0;
    if (driver.cuCtxGetLimit(&value, which) == CUDA_SUCCESS) add(name, value);
  };
  of_function("cluster_scheduling_policy", CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 0);
  of_function("max_dynamic_shared_bytes", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1);
  of_function("preferred_shared_carveout_percent", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1);
  of_function("non_portable_cluster", CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0);
  of_function("required_cluster_blocks_x", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0);
  of_function("required_cluster_blocks_y", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 0);
  of_function("required_cluster_blocks_z", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 0);
  of_context("stack_bytes", CU_LIMIT_STACK_SIZE);
  of_context("malloc_heap_bytes", CU_LIMIT_MALLOC_HEAP_SIZE);
  of_context("printf_fifo_bytes", CU_LIMIT_PRINTF_FIFO_SIZE);
  if (has_device) add("device_ordinal", static_cast<uint64_t>(device));
  return attributes;
}

}  // namespace kernloop::capture
