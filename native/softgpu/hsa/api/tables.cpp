#include "softgpu/hsa/api/tables.h"

#include <exception>
#include <new>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/log.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu {
namespace {

// No exception leaves through the C API, and no function but these runs without a runtime.
template <auto function>
constexpr bool needs_runtime() {
  return true;
}
template <>
constexpr bool needs_runtime<&api::hsa_init>() {
  return false;
}
template <>
constexpr bool needs_runtime<&api::hsa_status_string>() {
  return false;
}

template <auto function, typename Signature>
struct Guard;

template <auto function, typename... Arguments>
struct Guard<function, hsa_status_t (*)(Arguments...)> {
  static hsa_status_t call(Arguments... arguments) noexcept {
    if (needs_runtime<function>() && Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    try {
      return function(arguments...);
    } catch (const std::bad_alloc&) {
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    } catch (const std::exception& error) {
      report_error("internal error: %s", error.what());
      return HSA_STATUS_ERROR;
    }
  }
};

// Signal and index functions have no status to return.
template <auto function, typename Value, typename... Arguments>
struct Guard<function, Value (*)(Arguments...)> {
  static Value call(Arguments... arguments) noexcept { return function(arguments...); }
};

}  // namespace

HsaApiTableContainer g_api_tables;

void reset_api_tables() {
  auto& [root, core, amd, finalizer, image] = g_api_tables;
#define KERNLOOP_HSA(table, name) table.name##_fn = &Guard<&api::name, decltype(&api::name)>::call;
#include "softgpu/hsa/api/functions.def"
#undef KERNLOOP_HSA
}

namespace {
// A client may call hsa_init from its own static initializers: the slots are filled as soon as the library is loaded.
const bool filled = (reset_api_tables(), true);
}  // namespace

}  // namespace kernloop::softgpu
