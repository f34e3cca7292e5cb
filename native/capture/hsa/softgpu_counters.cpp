#include "capture/hsa/softgpu_counters.h"

#include <cstdio>
#include <cstdlib>

namespace kernloop::capture {

namespace {

const char* access_log() {
  return std::getenv("KERNLOOP_ACCESS_LOG");
}

void append_access(uint32_t is_write, uint64_t base, uint64_t size, void* file) {
  std::fprintf(static_cast<FILE*>(file), "%s 0x%llx %llu\n", is_write != 0 ? "write" : "read",
               static_cast<unsigned long long>(base), static_cast<unsigned long long>(size));
}

}  // namespace

void SoftgpuCounters::look_up() {
  std::call_once(looked_up_, [this] {
    const auto lookup = hsa_.core.hsa_system_get_major_extension_table_fn;
    if (lookup == nullptr || lookup(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof table_, &table_) != HSA_STATUS_SUCCESS)
      table_ = {};
  });
}

bool SoftgpuCounters::is_there() {
  look_up();
  return table_.dispatch_report != nullptr;
}

void SoftgpuCounters::report_to_app(hsa_status_t status, hsa_queue_t* queue, kernloop_softgpu_queue_error_t callback,
                                    void* data) {
  look_up();
  if (callback == nullptr) return;
  if (table_.report_queue_error != nullptr) {
    table_.report_queue_error(status, queue, callback, data);
  } else {
    callback(status, queue, data);
  }
}

void SoftgpuCounters::record_accesses(bool enabled) {
  if (access_log() == nullptr) return;
  look_up();
  if (table_.set_access_recording != nullptr) table_.set_access_recording(enabled ? 1 : 0);
}

void SoftgpuCounters::log_accesses(hsa_signal_t completion) {
  if (access_log() == nullptr || table_.dispatch_accesses == nullptr) return;
  FILE* file = std::fopen(access_log(), "ae");
  if (file == nullptr) return;
  table_.dispatch_accesses(completion, append_access, file);
  std::fclose(file);
}

SoftgpuReport SoftgpuCounters::report_of(hsa_signal_t completion) {
  look_up();
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
