#include "pgo/collect/cuda/lookup.h"

#include <dlfcn.h>

#include <cstring>

namespace kernloop::pgo::cuda {

namespace {

thread_local int own_lookups = 0;

using Dlsym = void* (*)(void*, const char*);

bool is_of(void* function, const char* library) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, library) != nullptr;
}

}  // namespace

OwnLookup::OwnLookup() {
  ++own_lookups;
}
OwnLookup::~OwnLookup() {
  --own_lookups;
}

}  // namespace kernloop::pgo::cuda

using namespace kernloop::pgo::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags);

EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult* status) {
  const Driver* next = driver();
  if (!next || !next->cuGetProcAddress) return CUDA_ERROR_NOT_INITIALIZED;
  const CUresult result = next->cuGetProcAddress(symbol, function, version, flags, status);
  if (result != CUDA_SUCCESS || !function || !*function || !symbol) return result;
  for (const Gate& gate : gates()) {
    if (std::strcmp(gate.name, symbol) == 0) *function = gate.function;
  }
  // Its first form has four parameters, and came with CUDA 11.3.
  if (std::strcmp(symbol, "cuGetProcAddress") == 0)
    *function = version < 12000 ? reinterpret_cast<void*>(&::cuGetProcAddress)
                                : reinterpret_cast<void*>(&::cuGetProcAddress_v2);
  return result;
}

EXPORT CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

// glibc's dlsym, whose answer depends on its caller (RTLD_NEXT): dlsym.S jumps there unless another function is to be
// returned.
extern "C" {
__attribute__((visibility("hidden"))) Dlsym kernloop_pgo_real_dlsym = nullptr;
}

extern "C" __attribute__((visibility("hidden"))) void* kernloop_pgo_other_dlsym(void* handle, const char* name) {
  if (!kernloop_pgo_real_dlsym)
    kernloop_pgo_real_dlsym = reinterpret_cast<Dlsym>(::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  if (own_lookups > 0 || handle == RTLD_NEXT || !name) return nullptr;
  if (std::strncmp(name, "cu", 2) != 0 && std::strncmp(name, "nvrtc", 5) != 0) return nullptr;
  const auto answer = [&](const Gate& gate) -> void* {
    void* found = kernloop_pgo_real_dlsym(handle, name);
    if (!found || !is_of(found, gate.library)) return nullptr;
    if (gate.next) *gate.next = found;
    return gate.function;
  };
  for (const Gate& gate : gates()) {
    if (std::strcmp(gate.symbol, name) == 0) return answer(gate);
  }
  if (std::strcmp(name, "cuGetProcAddress_v2") == 0)
    return answer({name, "", reinterpret_cast<void*>(&::cuGetProcAddress_v2)});
  if (std::strcmp(name, "cuGetProcAddress") == 0)
    return answer({name, "", reinterpret_cast<void*>(&::cuGetProcAddress)});
  return nullptr;
}
