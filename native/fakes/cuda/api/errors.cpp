#include "fakes/cuda/api.h"

namespace kernloop::cuda::fake {
namespace {

struct Named {
  CUresult error;
  const char* name;
  const char* text;
};

#define NAMED(error, text) \
  { error, #error, text }
constexpr Named kErrors[] = {
    NAMED(CUDA_SUCCESS, "no error"),
    NAMED(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    NAMED(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    NAMED(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    NAMED(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    NAMED(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    NAMED(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    NAMED(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    NAMED(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    NAMED(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    NAMED(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    NAMED(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    NAMED(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    NAMED(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    NAMED(CUDA_ERROR_NOT_READY, "device not ready"),
    NAMED(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    NAMED(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    NAMED(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "part or all of the requested memory range is already mapped"),
    NAMED(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
    NAMED(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    NAMED(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    NAMED(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    NAMED(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "dependency created on uncaptured work in another stream"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
          "operation would make the legacy stream depend on a capturing blocking stream"),
    NAMED(CUDA_ERROR_CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream"),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "attempt to terminate a thread-local capture sequence from another thread"),
    NAMED(CUDA_ERROR_INVALID_CLUSTER_SIZE, "cluster misconfiguration"),
    NAMED(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef NAMED

const Named* find(CUresult error) {
  for (const Named& named : kErrors) {
    if (named.error == error) return &named;
  }
  return nullptr;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** text) {
  const Named* named = find(error);
  *text = named != nullptr ? named->name : nullptr;
  return named != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const Named* named = find(error);
  *text = named != nullptr ? named->text : nullptr;
  return named != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace kernloop::cuda::fake
