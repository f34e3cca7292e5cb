#include "fakes/cuda/functions.h"

#include <algorithm>
#include <cstring>

namespace kernloop::cuda::fake {
namespace {

constexpr int kSharedBytes = 48 << 10, kSharedBytesOptIn = 227 << 10;
constexpr int kMultiprocessors = 132, kThreadsPerMultiprocessor = 2048;

// Each quarter of a multiprocessor has registers of its own, and gives them to warps in units.
constexpr uint32_t kQuarters = 4, kRegistersOfQuarter = 16 << 10, kRegisterUnit = 256, kWarp = 32, kMaxThreads = 1024;

uint64_t warps_by_registers(const ImageKernel& kernel) {
  const uint32_t units = (std::max(kernel.registers, 1u) * kWarp + kRegisterUnit - 1) / kRegisterUnit;
  return uint64_t{kQuarters} * (kRegistersOfQuarter / (units * kRegisterUnit));
}

uint64_t max_threads_of(const ImageKernel& kernel) {
  return std::min<uint64_t>({kernel.max_threads, kMaxThreads, warps_by_registers(kernel) * kWarp});
}

int dynamic_shared_limit(const ImageKernel& kernel, const Attributes& set) {
  const auto found = set.find(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return found != set.end() ? found->second : kSharedBytes - static_cast<int>(kernel.static_shared_bytes);
}

int set_or(const Attributes& set, CUfunction_attribute attribute, int otherwise) {
  const auto found = set.find(attribute);
  return found != set.end() ? found->second : otherwise;
}

constexpr uint32_t kPortableCluster = 8, kLargestCluster = 16;  // blocks

bool is_cluster_dimension(CUfunction_attribute attribute) {
  return attribute >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH && attribute <= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH;
}

uint32_t cluster_dimension(const ImageKernel& kernel, const Attributes& set, int axis) {
  if (kernel.cluster[0] != 0) return kernel.cluster[axis];
  const auto attribute = static_cast<CUfunction_attribute>(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + axis);
  return static_cast<uint32_t>(set_or(set, attribute, 0));
}

}  // namespace

CUresult get_attribute(const ImageKernel& kernel, const Attributes& set, CUfunction_attribute attribute, int* value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(max_threads_of(kernel));
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.static_shared_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel.local_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(kernel.registers);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 90;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = dynamic_shared_limit(kernel, set);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = set_or(set, attribute, -1);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = static_cast<int>(cluster_dimension(kernel, set, attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
      return CUDA_SUCCESS;
    default:
      if (attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) return CUDA_ERROR_INVALID_VALUE;
      *value = set_or(set, attribute, 0);
      return CUDA_SUCCESS;
  }
}

CUresult set_attribute(const ImageKernel& kernel, Attributes& set, CUfunction_attribute attribute, int value) {
  if (attribute < CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    const int most = kSharedBytesOptIn - static_cast<int>(kernel.static_shared_bytes);
    if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
  }
  // cuda.h promises CUDA_ERROR_NOT_PERMITTED; an H200's driver says this.
  if (is_cluster_dimension(attribute) && kernel.cluster[0] != 0) return CUDA_ERROR_INVALID_VALUE;
  if (is_cluster_dimension(attribute) && value < 0) return CUDA_ERROR_INVALID_VALUE;
  set[attribute] = value;
  return CUDA_SUCCESS;
}

int resident_blocks(const ImageKernel& kernel, uint64_t threads, size_t dynamic_shared_bytes) {
  if (threads == 0 || threads > max_threads_of(kernel)) return 0;
  const uint64_t by_threads = kThreadsPerMultiprocessor / threads;
  const uint64_t by_registers = warps_by_registers(kernel) / ((threads + kWarp - 1) / kWarp);
  const uint64_t shared = kernel.static_shared_bytes + dynamic_shared_bytes + 1024;
  return static_cast<int>(std::min<uint64_t>({by_threads, by_registers, (228u << 10) / shared, 32}));
}

CUresult complete_cluster(const CUfunc_st& function, LaunchShape& shape) {
  const bool given = shape.cluster[0] != 0;
  uint32_t required[3];
  for (int i = 0; i < 3; ++i) required[i] = cluster_dimension(*function.kernel, function.attributes, i);
  const bool complete = (required[0] == 0) == (required[1] == 0) && (required[0] == 0) == (required[2] == 0);
  if (!complete) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (function.kernel->needs_cluster && !given && required[0] == 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  for (int i = 0; i < 3; ++i) {
    if (given && required[0] != 0 && shape.cluster[i] != required[i]) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (!given) shape.cluster[i] = std::max(required[i], 1u);
  }
  return CUDA_SUCCESS;
}

CUresult check_shape(const CUfunc_st& function, const LaunchShape& shape) {
  const ImageKernel& kernel = *function.kernel;
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    threads *= shape.block[i];
    blocks *= shape.grid[i];
  }
  if (threads == 0 || blocks == 0 || threads > std::min(kernel.max_threads, kMaxThreads))
    return CUDA_ERROR_INVALID_VALUE;
  const bool is_required = std::equal(shape.block, shape.block + 3, kernel.required_threads);
  if (kernel.required_threads[0] != 0 && !is_required) return CUDA_ERROR_INVALID_VALUE;
  if (threads > max_threads_of(kernel)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (shape.grid[0] > 0x7FFFFFFFu || shape.grid[1] > 65535 || shape.grid[2] > 65535) return CUDA_ERROR_INVALID_VALUE;
  const int limit = dynamic_shared_limit(kernel, function.attributes);
  if (limit < 0 || shape.dynamic_shared_bytes > static_cast<uint32_t>(limit)) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; ++i) {
    if (shape.cluster[i] == 0 || shape.grid[i] % shape.cluster[i] != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  const uint32_t in_cluster = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  const bool any = set_or(function.attributes, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0) != 0;
  if (in_cluster > (any ? kLargestCluster : kPortableCluster)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (kernel.max_cluster_blocks != 0 && in_cluster > kernel.max_cluster_blocks) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const int resident = resident_blocks(kernel, threads, shape.dynamic_shared_bytes);
  if (shape.cooperative && blocks > static_cast<uint64_t>(resident) * kMultiprocessors) {
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return CUDA_SUCCESS;
}

CUresult gather_parameters(const ImageKernel& kernel, void** parameters, void** extra, std::vector<uint8_t>* bytes) {
  bytes->assign(kernel.parameter_bytes, 0);
  if (kernel.parameters.empty()) return CUDA_SUCCESS;
  if ((parameters == nullptr) == (extra == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (parameters != nullptr) {
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const ImageParameter& parameter = kernel.parameters[i];
      std::memcpy(bytes->data() + parameter.offset, parameters[i], parameter.bytes);
    }
    return CUDA_SUCCESS;
  }
  const void* buffer = nullptr;
  const size_t* size = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = static_cast<const size_t*>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (buffer == nullptr || size == nullptr || *size < kernel.parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(bytes->data(), buffer, kernel.parameter_bytes);
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
