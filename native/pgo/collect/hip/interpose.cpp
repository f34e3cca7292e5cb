// The functions of the gates before HIP's (rows.S): the library is linked into the app before HIP, or preloaded. It
// also has the entry points of LLVM's runtime for device profiles, for code that calls them.
#include "interpose/instead_of.h"
#include "pgo/collect/hip/collector.h"
#include "pgo/collect/hip/hip_api.h"
#include "pgo/collect/log.h"

namespace kernloop::pgo::hip {
namespace {

// No exception may leave through a C interface.
template <typename Work>
void guarded(Work work) {
  try {
    work();
  } catch (const std::exception& problem) {
    warn(std::string("the profile is not complete: ") + problem.what());
  } catch (...) {
    warn("the profile is not complete");
  }
}

}  // namespace
}  // namespace kernloop::pgo::hip

using kernloop::pgo::hip::Collector;
using kernloop::pgo::hip::Dim3;
using kernloop::pgo::hip::Error;
using kernloop::pgo::hip::guarded;
using kernloop::pgo::hip::kNotInitialised;

#define EXPORT extern "C" __attribute__((visibility("default")))

INSTEAD_OF(void**, __hipRegisterFatBinary, (const void* wrapper)) {
  const auto next = next___hipRegisterFatBinary();
  void** handle = next ? next(wrapper) : nullptr;
  guarded([&] { Collector::instance().fat_binary_registered(handle, wrapper); });
  return handle;
}

INSTEAD_OF(void, __hipUnregisterFatBinary, (void** handle)) {
  guarded([&] { Collector::instance().fat_binary_unregistered(handle); });
  if (const auto next = next___hipUnregisterFatBinary()) next(handle);
}

INSTEAD_OF(Error, __hipPushCallConfiguration, (Dim3 grid, Dim3 block, size_t shared, void* stream)) {
  guarded([] { Collector::instance().used(); });
  const auto next = next___hipPushCallConfiguration();
  return next ? next(grid, block, shared, stream) : kNotInitialised;
}

INSTEAD_OF(Error, hipSetDevice, (int device)) {
  const auto next = next_hipSetDevice();
  const Error error = next ? next(device) : kNotInitialised;
  if (error == 0) guarded([&] { Collector::instance().device_chosen(device); });
  return error;
}

INSTEAD_OF(Error, hipDeviceReset, ()) {
  guarded([] { Collector::instance().collect(); });
  const auto next = next_hipDeviceReset();
  const Error error = next ? next() : kNotInitialised;
  // The runtime decides whether variables begin anew: their current content shows it.
  if (error == 0) guarded([] { Collector::instance().collect(); });
  return error;
}

INSTEAD_OF(Error, hipModuleLoad, (void** module, const char* file)) {
  const auto next = next_hipModuleLoad();
  const Error error = next ? next(module, file) : kNotInitialised;
  if (error == 0) guarded([&] { Collector::instance().module_loaded_from(*module, file); });
  return error;
}

INSTEAD_OF(Error, hipModuleLoadData, (void** module, const void* image)) {
  const auto next = next_hipModuleLoadData();
  const Error error = next ? next(module, image) : kNotInitialised;
  if (error == 0) guarded([&] { Collector::instance().module_loaded(*module, image); });
  return error;
}

INSTEAD_OF(Error, hipModuleLoadDataEx,
           (void** module, const void* image, unsigned count, void* options, void** values)) {
  const auto next = next_hipModuleLoadDataEx();
  const Error error = next ? next(module, image, count, options, values) : kNotInitialised;
  if (error == 0) guarded([&] { Collector::instance().module_loaded(*module, image); });
  return error;
}

INSTEAD_OF(Error, hipModuleUnload, (void* module)) {
  guarded([&] { Collector::instance().module_unloaded(module); });
  const auto next = next_hipModuleUnload();
  return next ? next(module) : kNotInitialised;
}

// Entry points of LLVM's runtime: an app calls them after a load, with its result, and before an unload.
EXPORT void __llvm_profile_offload_register_dynamic_module(int result, void** module, const void* image) {
  if (result == 0 && module) guarded([&] { Collector::instance().module_loaded(*module, image); });
}

EXPORT void __llvm_profile_offload_unregister_dynamic_module(void* module) {
  guarded([&] { Collector::instance().module_unloaded(module); });
}

// The collector makes shadows of a program's own code: a compiler's are not needed.
EXPORT void __llvm_profile_offload_register_shadow_variable(void*) {}
EXPORT void __llvm_profile_offload_register_section_shadow_variable(void*) {}

// Writes all counts so far; 0 on success.
EXPORT int __llvm_profile_hip_collect_device_data() {
  int result = -1;
  guarded([&] { result = Collector::instance().collect() ? 0 : -1; });
  return result;
}
