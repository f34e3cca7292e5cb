#include "replay/cuda/fault.h"

namespace kernloop::replay {

using namespace cuda;

std::string fault_kind(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "memory_access";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "misaligned_address";
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return "address_space";
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return "illegal_instruction";
    case CUDA_ERROR_INVALID_PC:
      return "invalid_pc";
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return "stack";
    case CUDA_ERROR_ASSERT:
      return "assert";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "watchdog";
    case CUDA_ERROR_LAUNCH_FAILED:
      return "launch_failed";
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
      return "tensor_memory";
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return "ecc";
    default:
      return "";
  }
}

bool is_refused_launch(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_INVALID_CLUSTER_SIZE ||
         result == CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace kernloop::replay
