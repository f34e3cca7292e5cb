#include "softgpu/hsa/softgpu_extension_table.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "softgpu/hsa/device_model.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu {
namespace {

constexpr uint32_t kMaxThreads = 4096;

hsa_status_t set_max_wave_instructions(uint64_t per_dispatch) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.max_wave_instructions = per_dispatch;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_seed(uint64_t seed) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.seed = seed;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_threads(uint32_t threads) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (threads > kMaxThreads) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  runtime().settings.threads = threads;
  return HSA_STATUS_SUCCESS;
}

void fill(kernloop_softgpu_report_t& report, const DispatchRecord& record) {
  const Counters& counters = record.counters;
  report.wave_instructions = counters.wave_instructions;
  report.valu = counters.valu;
  report.salu = counters.salu;
  report.smem = counters.smem;
  report.vmem_read = counters.vmem_read;
  report.vmem_write = counters.vmem_write;
  report.atomics = counters.atomics;
  report.lds = counters.lds;
  report.scratch = counters.scratch;
  report.branches = counters.branches;
  report.divergent_branches = counters.divergent_branches;
  report.barriers = counters.barriers;
  report.active_lanes = counters.active_lanes;
  report.bytes_read = counters.bytes_read;
  report.bytes_written = counters.bytes_written;
  report.memory_transactions = counters.memory_transactions;
  report.waves = counters.waves;
  report.workgroups = counters.workgroups;
  report.faulted = record.fault ? 1 : 0;
  if (!record.fault) return;
  std::string json = record.fault->json();
  if (json.size() >= sizeof(report.fault_json)) {
    // Cut text is no JSON: leave out the long parts instead.
    Fault shorter = *record.fault;
    shorter.kernel.resize(std::min<size_t>(shorter.kernel.size(), 512));
    shorter.instruction.resize(std::min<size_t>(shorter.instruction.size(), 256));
    shorter.detail.resize(std::min<size_t>(shorter.detail.size(), 512));
    json = shorter.json();
  }
  std::memcpy(report.fault_json, json.c_str(), std::min(json.size() + 1, sizeof(report.fault_json)));
}

hsa_status_t dispatch_report(hsa_signal_t completion_signal, kernloop_softgpu_report_t* report) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (report == nullptr || report->struct_size < sizeof(report->struct_size)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  kernloop_softgpu_report_t full{};
  fill(full, *record);
  full.struct_size = report->struct_size;
  std::memcpy(report, &full, std::min<size_t>(report->struct_size, sizeof(full)));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_access_recording(uint32_t enabled) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.record_accesses = enabled != 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_accesses(hsa_signal_t completion_signal,
                               void (*callback)(uint32_t is_write, uint64_t base, uint64_t size, void* data),
                               void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr || !record->accesses) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  for (const AddressRange& range : record->accesses->reads) callback(0, range.base, range.size, data);
  for (const AddressRange& range : record->accesses->writes) callback(1, range.base, range.size, data);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_lanes(hsa_signal_t completion_signal,
                            void (*callback)(uint64_t base, uint64_t size, uint64_t by_lane, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr || !record->accesses) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  for (const AccessSets::Page& page : record->accesses->pages) callback(page.base, page.size, page.by_lane, data);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_next_load_address(uint64_t base) {
  if (base % kGranule != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  CodeObjects::set_next_load_address(base);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_profiling(uint32_t enabled) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.profile = enabled != 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_counters(hsa_signal_t completion_signal,
                               void (*callback)(const char* name, uint64_t value, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const CounterSet counted = record->profile ? counted_by_profiles(runtime().options.isa()) : CounterSet::kBasic;
  record->counters.for_each(counted, [&](const char* name, uint64_t value) { callback(name, value, data); });
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_profile(hsa_signal_t completion_signal,
                              void (*callback)(const kernloop_softgpu_pc_t* pc, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr || !record->profile) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  for (const auto& [address, counted] : *record->profile) {
    kernloop_softgpu_pc_t pc{};
    pc.address = address;
    pc.size_bytes = counted.size_bytes;
    pc.is_conditional_branch = counted.is_conditional_branch ? 1 : 0;
    pc.is_vector = counted.is_vector ? 1 : 0;
    pc.instruction = counted.instruction.c_str();
#define KERNLOOP_FIELD(name) pc.name = counted.counts.name;
    KERNLOOP_SOFTGPU_PC_FIELDS(KERNLOOP_FIELD)
#undef KERNLOOP_FIELD
    callback(&pc, data);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t close_to_kernels(uint64_t base, uint64_t size) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (size == 0 || base + size < base) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  runtime().space.unmap(base, size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t report_queue_error(hsa_status_t status, hsa_queue_t* queue, QueueErrorCallback callback, void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  runtime().report_queue_error(status, queue, callback, data);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_unwritten_fill(uint64_t pattern) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.unwritten_fill = pattern;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_machine_in_use(uint32_t seed) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.machine_in_use = seed;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t open_constants(uint32_t are_open) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().code_objects.open_constants(are_open != 0);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_adverse(uint64_t wave_instructions, uint32_t races) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.adverse_wave_instructions = wave_instructions;
  runtime().settings.adverse_races = races != 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t limit_residency(uint32_t is_limited) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  runtime().settings.residency = is_limited != 0 ? &device_model(runtime().options.isa()).residency : nullptr;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t watch_float_atomics(const kernloop_softgpu_range_t* ranges, uint32_t count) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (count > 0 && ranges == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto watched = std::make_shared<std::vector<AddressRange>>();
  for (uint32_t i = 0; i < count; ++i) watched->push_back({ranges[i].base, ranges[i].size});
  runtime().settings.watch_float_atomics(count > 0 ? std::move(watched) : nullptr);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_findings(hsa_signal_t completion_signal, uint64_t* adverse_wave_instructions,
                               void (*callback)(const char* json, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (adverse_wave_instructions != nullptr) *adverse_wave_instructions = record->adverse_wave_instructions;
  if (callback == nullptr) return HSA_STATUS_SUCCESS;
  for (const Fault& finding : record->findings) callback(finding.json().c_str(), data);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t set_probes(const char* json, void (*problem)(const char* text, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (json == nullptr) {
    runtime().settings.set_probes(nullptr);
    return HSA_STATUS_SUCCESS;
  }
  std::string text;
  std::shared_ptr<const ProbeProgram> probes = ProbeProgram::parse(json, &text);
  if (probes == nullptr) {
    if (problem != nullptr) problem(text.c_str(), data);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  runtime().settings.set_probes(std::move(probes));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t dispatch_probes(hsa_signal_t completion_signal,
                             void (*callback)(const kernloop_softgpu_probed_map_t* map, void* data), void* data) {
  if (Runtime::current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto record = runtime().signals.record(completion_signal);
  if (record == nullptr || !record->probed) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  for (const ProbedMap& map : record->probed->maps) {
    const kernloop_softgpu_probed_map_t shown{map.name.c_str(), map.units, map.unit_bytes, map.records.get(),
                                              map.counts.get(), map.kept,  map.dropped,    record->probed->wave_size};
    callback(&shown, data);
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

const kernloop_softgpu_extension_1_t& softgpu_extension_table() {
  static constexpr kernloop_softgpu_extension_1_t kTable{
      &set_max_wave_instructions, &set_seed,           &set_threads,           &dispatch_report,
      &set_access_recording,      &dispatch_accesses,  &set_next_load_address, &set_profiling,
      &dispatch_counters,         &dispatch_profile,   &close_to_kernels,      &report_queue_error,
      &set_unwritten_fill,        &set_adverse,        &dispatch_findings,     &set_probes,
      &dispatch_probes,           &open_constants,     &limit_residency,       &dispatch_lanes,
      &watch_float_atomics,       &set_machine_in_use,
  };
  return kTable;
}

}  // namespace kernloop::softgpu
