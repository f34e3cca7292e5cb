// cuGetProcAddress, through which CUDA's runtime gets all of the driver's functions, and answers
// cudaGetDriverEntryPoint. The driver returns what it exports: the form for the version and the kind of default stream
// that it is asked for (measured with 13.0: docs/contributing/cuda.md).
#include <cstdint>

#include "interpose/instead_of.h"

namespace {
constexpr int kNotInitialised = 3;  // CUDA_ERROR_NOT_INITIALIZED
}

INSTEAD_OF(int, cuGetProcAddress_v2, (const char* symbol, void** function, int version, uint64_t flags, int* status)) {
  const auto next = next_cuGetProcAddress_v2();
  const int result = next ? next(symbol, function, version, flags, status) : kNotInitialised;
  if (result == 0 && symbol && function && *function)
    *function = kernloop::interpose::answer_of_rows_that_begin_with(symbol, *function);
  return result;
}

// The form of CUDA 11.3.
INSTEAD_OF(int, cuGetProcAddress, (const char* symbol, void** function, int version, uint64_t flags)) {
  const auto next = next_cuGetProcAddress();
  const int result = next ? next(symbol, function, version, flags) : kNotInitialised;
  if (result == 0 && symbol && function && *function)
    *function = kernloop::interpose::answer_of_rows_that_begin_with(symbol, *function);
  return result;
}
