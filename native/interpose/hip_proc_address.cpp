// hipGetProcAddress, of ROCm 6.2 and later.
#include <cstdint>

#include "interpose/instead_of.h"

INSTEAD_OF(int, hipGetProcAddress, (const char* symbol, void** function, int version, uint64_t flags, int* status)) {
  constexpr int kNotInitialised = 3;  // hipErrorNotInitialized
  const auto next = next_hipGetProcAddress();
  const int result = next ? next(symbol, function, version, flags, status) : kNotInitialised;
  if (result == 0 && symbol && function && *function)
    *function = kernloop::interpose::answer_of_rows_that_begin_with(symbol, *function);
  return result;
}
