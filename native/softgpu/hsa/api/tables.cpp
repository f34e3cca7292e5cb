#include "softgpu/hsa/api/tables.h"

#include <exception>
#include <new>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/host/log.h"
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
rocr::Rocm7AmdExtTable g_amd_table;

namespace {

template <typename Table>
void announce(Table& table, uint32_t major, size_t bytes, uint32_t step = 0) {
  table.version = {major, static_cast<uint32_t>(bytes), step, 0};
}

// ROCm 5.2's: an AMD table of its own, and of the others the beginnings of ours.
HsaApiTable g_rocm52_root;
rocr::Rocm52AmdExtTable g_rocm52_amd;

HsaApiTable& rocm52_tables() {
  auto& [version, core, amd, finalizer, image, tools, pc_sampling] = g_rocm52_root;
  core = &g_api_tables.core;
  amd = reinterpret_cast<AmdExtTable*>(&g_rocm52_amd);
  finalizer = &g_api_tables.finalizer_ext;
  image = &g_api_tables.image_ext;
  rocr::copy_common_slots(g_rocm52_amd, g_amd_table);
  announce(g_rocm52_root, rocr::kRocm52Major, rocr::kRocm52RootBytes);
  announce(*core, rocr::kRocm52Major, sizeof *core);
  announce(g_rocm52_amd, rocr::kRocm52Major, sizeof g_rocm52_amd);
  announce(*finalizer, rocr::kRocm52Major, sizeof *finalizer);
  announce(*image, rocr::kRocm52Major, rocr::kRocm52ImageBytes);
  return g_rocm52_root;
}

HsaApiTable& rocm6_tables() {
  const HsaApiTableContainer announced;
  g_api_tables.core.version = announced.core.version;
  g_api_tables.finalizer_ext.version = announced.finalizer_ext.version;
  g_api_tables.image_ext.version = announced.image_ext.version;
  return g_api_tables.root;
}

}  // namespace

HsaApiTable& tool_tables(int version) {
  return version == 1 ? rocm52_tables() : rocm6_tables();
}

void adopt_tool_tables(int version) {
  if (version == 1) rocr::copy_common_slots(g_amd_table, g_rocm52_amd);
}

void reset_api_tables() {
  auto& core = g_api_tables.core;
  auto& finalizer = g_api_tables.finalizer_ext;
  auto& image = g_api_tables.image_ext;
  auto& pc_sampling = g_api_tables.pc_sampling_ext;
  auto& amd = g_amd_table;
  auto& rocm7_amd = g_amd_table;
#define KERNLOOP_HSA(table, name) table.name##_fn = &Guard<&api::name, decltype(&api::name)>::call;
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA
  announce(g_amd_table, HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof g_amd_table, rocr::kRocm7AmdStep);
  g_api_tables.root.amd_ext_ = &g_amd_table;
}

namespace {
// A client may call hsa_init from its own static initializers: the slots are filled as soon as the library is loaded.
const bool filled = (reset_api_tables(), true);
}  // namespace

}  // namespace kernloop::softgpu
