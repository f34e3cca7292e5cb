#include "capture/hsa/softgpu_counters.h"

namespace kernloop::capture {

SoftgpuReport SoftgpuCounters::report_of(hsa_signal_t completion) {
  std::call_once(looked_up_, [this] {
    const auto lookup = hsa_.core.hsa_system_get_major_extension_table_fn;
    if (lookup == nullptr || lookup(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof table_, &table_) != HSA_STATUS_SUCCESS) table_ = {};
  });
  SoftgpuReport result;
  if (table_.dispatch_report == nullptr) return result;
  kernloop_softgpu_report_t report{};
  report.struct_size = sizeof report;
  if (table_.dispatch_report(completion, &report) != HSA_STATUS_SUCCESS) return result;
  result.wave_instructions = report.wave_instructions;
  if (report.faulted != 0) {
    report.fault_json[sizeof report.fault_json - 1] = '\0';
    result.fault = report.fault_json;
  }
  return result;
}

}  // namespace kernloop::capture
