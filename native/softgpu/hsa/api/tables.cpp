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
rocr::LaterAmdExtTable g_later_amd_table;

namespace {

// As later runtimes announce theirs. Behind the AMD table there is only what both versions have.
HsaApiTable later_root() {
  HsaApiTable root = g_api_tables.root;
  root.version.major_id = rocr::kLaterRootMajor;
  root.amd_ext_ = reinterpret_cast<AmdExtTable*>(&g_later_amd_table);
  return root;
}

void reset_later_table() {
  rocr::LaterAmdExtTable& later = g_later_amd_table;
  later.version = {rocr::kLaterAmdMajor, sizeof later, 0x12, 0};
  rocr::copy_common_slots(later, g_api_tables.amd_ext);
#define KERNLOOP_HSA(name) later.name##_fn = &Guard<&api::name, decltype(&api::name)>::call;
#include "abi/hsa/later_functions.def"
#undef KERNLOOP_HSA
}

}  // namespace

HsaApiTable& tool_tables(int version) {
  g_api_tables.core.version.major_id = version == 1 ? HSA_CORE_API_TABLE_MAJOR_VERSION : rocr::kLaterCoreMajor;
  if (version == 1) return g_api_tables.root;
  static HsaApiTable root;
  root = later_root();
  return root;
}

void adopt_tool_tables(int version) {
  if (version != 1) rocr::copy_common_slots(g_api_tables.amd_ext, g_later_amd_table);
}

void reset_api_tables() {
  auto& [root, core, amd, finalizer, image] = g_api_tables;
#define KERNLOOP_HSA(table, name) table.name##_fn = &Guard<&api::name, decltype(&api::name)>::call;
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA
  reset_later_table();
}

namespace {
// A client may call hsa_init from its own static initializers: the slots are filled as soon as the library is loaded.
const bool filled = (reset_api_tables(), true);
}  // namespace

}  // namespace kernloop::softgpu
