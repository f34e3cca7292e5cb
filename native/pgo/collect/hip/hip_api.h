// The functions of HIP that are used, as hip_runtime_api.h declares them: nothing of HIP is needed to build.
#pragma once

#include <cstddef>

namespace kernloop::pgo::hip {

using Error = int;  // hipError_t; 0 is success
constexpr int kDeviceToHost = 2;

#define KERNLOOP_PGO_HIP_FUNCTIONS(FUNCTION)                                                                           \
  FUNCTION(Error, hipDeviceSynchronize, ())                                                                            \
  FUNCTION(Error, hipDeviceReset, ())                                                                                  \
  FUNCTION(Error, hipGetDevice, (int* device)) FUNCTION(Error, hipSetDevice, (int device))                             \
      FUNCTION(Error, hipGetSymbolAddress, (void** address, const void* symbol))                                       \
          FUNCTION(Error, hipGetSymbolSize, (size_t * size, const void* symbol))                                       \
              FUNCTION(Error, hipMemcpy, (void* to, const void* from, size_t bytes, int kind)) FUNCTION(               \
                  Error, hipModuleGetGlobal, (void** address, size_t* bytes, void* module, const char* name))          \
                  FUNCTION(Error, hipModuleLoad, (void** module, const char* file))                                    \
                      FUNCTION(Error, hipModuleLoadData, (void** module, const void* image)) FUNCTION(                 \
                          Error, hipModuleLoadDataEx,                                                                  \
                          (void** module, const void* image, unsigned count, void* options, void** values))            \
                          FUNCTION(Error, hipModuleUnload, (void* module)) FUNCTION(                                   \
                              Error, __hipPushCallConfiguration, (Dim3 grid, Dim3 block, size_t shared, void* stream)) \
                              FUNCTION(void**, __hipRegisterFatBinary, (const void* wrapper))                          \
                                  FUNCTION(void, __hipUnregisterFatBinary, (void** handle))                            \
                                      FUNCTION(void, __hipRegisterVar,                                                 \
                                               (void** handle, void* variable, char* host_name, char* device_name,     \
                                                int external, size_t size, int constant, int global))

struct Dim3 {
  unsigned x, y, z;
};

// The next function of that name behind this library; null where there is no HIP.
void* next_function(const char* name);

#define KERNLOOP_PGO_HIP_POINTER(result, name, parameters)                         \
  inline auto next_##name() {                                                      \
    using Function = result(*) parameters;                                         \
    static const auto function = reinterpret_cast<Function>(next_function(#name)); \
    return function;                                                               \
  }
KERNLOOP_PGO_HIP_FUNCTIONS(KERNLOOP_PGO_HIP_POINTER)
#undef KERNLOOP_PGO_HIP_POINTER

}  // namespace kernloop::pgo::hip
