#include "replay/hsa/hsa_library.h"

#include <dlfcn.h>

#include "base/bytes.h"

namespace kernloop::replay {

Result<std::unique_ptr<HsaLibrary>> HsaLibrary::open(const std::filesystem::path& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return Error{
        "RUNTIME_NOT_FOUND", std::string("cannot load the HSA runtime: ") + ::dlerror(),
        "install ROCm, or name its libhsa-runtime64.so.1 in KERNLOOP_HSA_RUNTIME (--hsa-runtime of this program)"};
  }
  std::unique_ptr<HsaLibrary> library(new HsaLibrary(path, handle));
#define KERNLOOP_LOOK_UP(name) library->name = reinterpret_cast<decltype(&::name)>(::dlsym(handle, #name));
  KERNLOOP_HSA_FUNCTIONS(KERNLOOP_LOOK_UP)
  KERNLOOP_HSA_VIRTUAL_MEMORY(KERNLOOP_LOOK_UP)
  KERNLOOP_HSA_SHARED_MEMORY(KERNLOOP_LOOK_UP)
#undef KERNLOOP_LOOK_UP
  std::string missing;
#define KERNLOOP_CHECK(name) \
  if (!library->name) missing += std::string(missing.empty() ? "" : ", ") + #name;
  KERNLOOP_HSA_FUNCTIONS(KERNLOOP_CHECK)
#undef KERNLOOP_CHECK
  if (!missing.empty()) {
    return Error{"RUNTIME_INCOMPLETE", path.string() + " lacks " + missing,
                 "use the runtime of ROCm 5.2 or later, or the built-in software GPU"};
  }
  Dl_info loaded{};
  if (::dladdr(reinterpret_cast<void*>(library->hsa_init), &loaded) != 0 && loaded.dli_fname != nullptr)
    library->path_ = loaded.dli_fname;
  return library;
}

// The library stays loaded: runtimes leave threads behind that would run unmapped code.
HsaLibrary::~HsaLibrary() = default;

std::string HsaLibrary::missing_of_virtual_memory() const {
  std::string missing;
#define KERNLOOP_CHECK(name) \
  if (!name) missing += std::string(missing.empty() ? "" : ", ") + #name;
  KERNLOOP_HSA_VIRTUAL_MEMORY(KERNLOOP_CHECK)
#undef KERNLOOP_CHECK
  return missing;
}

std::string HsaLibrary::describe(const char* call, hsa_status_t status) const {
  const char* text = nullptr;
  if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text) text = "unknown status";
  return std::string(call) + ": " + text + " (" + to_hex_number(static_cast<uint64_t>(status)) + ")";
}

Error HsaLibrary::error(const char* call, hsa_status_t status, const std::string& doing) const {
  return {status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? "OUT_OF_MEMORY" : "DEVICE_ERROR",
          doing + " failed: " + describe(call, status),
          "see the runtime's message above; `kernloop doctor` checks the device"};
}

}  // namespace kernloop::replay
