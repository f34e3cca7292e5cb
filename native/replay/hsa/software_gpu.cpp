#include "replay/hsa/software_gpu.h"

#include <algorithm>
#include <utility>

namespace kernloop::replay {

namespace {

HotSpot hot_spot_of(const kernloop_softgpu_pc_t& pc) {
  HotSpot spot;
  spot.address = pc.address;
  spot.counts = {{"instruction", pc.instruction}};
  if (pc.is_conditional_branch != 0) spot.counts["branch"] = true;
  if (pc.is_vector != 0) spot.counts["vector"] = true;
  const auto add = [&](const char* name, uint64_t value) {
    if (value != 0) spot.counts[name] = value;
  };
#define KERNLOOP_FIELD(name) add(#name, pc.name);
  KERNLOOP_SOFTGPU_PC_FIELDS(KERNLOOP_FIELD)
#undef KERNLOOP_FIELD
  return spot;
}

LaunchOutcome& outcome_of(void* data) {
  return *static_cast<LaunchOutcome*>(data);
}

}  // namespace

Result<std::unique_ptr<SoftwareGpu>> SoftwareGpu::find(HsaLibrary& hsa) {
  kernloop_softgpu_extension_1_t extension{};
  if (hsa.hsa_system_get_major_extension_table(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof extension, &extension) !=
      HSA_STATUS_SUCCESS) {
    return std::unique_ptr<SoftwareGpu>();
  }
  if (extension.dispatch_findings == nullptr) {
    return Error{"RUNTIME_INCOMPLETE", hsa.path().string() + " is the software GPU of an older Kernloop",
                 "use the one that was built with this program"};
  }
  return std::unique_ptr<SoftwareGpu>(new SoftwareGpu(hsa, extension));
}

Status SoftwareGpu::done(const char* call, hsa_status_t status, const std::string& doing) const {
  if (status != HSA_STATUS_SUCCESS) return hsa_.error(call, status, doing);
  return Unit{};
}

Status SoftwareGpu::set_wave_instruction_limit(uint64_t per_dispatch) {
  return done("set_max_wave_instructions", extension_.set_max_wave_instructions(per_dispatch), "setting the limit");
}

Status SoftwareGpu::set_seed(uint64_t seed) {
  return done("set_seed", extension_.set_seed(seed), "setting the seed");
}

Status SoftwareGpu::set_threads(uint32_t threads) {
  return done("set_threads", extension_.set_threads(threads), "setting the number of threads");
}

Status SoftwareGpu::set_unwritten_fill(uint64_t pattern) {
  return done("set_unwritten_fill", extension_.set_unwritten_fill(pattern), "choosing the fill");
}

Status SoftwareGpu::set_machine_in_use(uint32_t seed) {
  if (!extension_.set_machine_in_use) {
    return Error{"RUNTIME_INCOMPLETE", hsa_.path().string() + " is the software GPU of an older Kernloop",
                 "use the one that was built with this program"};
  }
  return done("set_machine_in_use", extension_.set_machine_in_use(seed), "choosing the machine");
}

Status SoftwareGpu::open_constants(bool are_open) {
  if (!extension_.open_constants) return Unit{};
  return done("open_constants", extension_.open_constants(are_open ? 1 : 0), "protecting the constants");
}

Status SoftwareGpu::set_adverse(uint64_t wave_instructions, bool races) {
  const hsa_status_t status = extension_.set_adverse(wave_instructions, races ? 1 : 0);
  if (status == HSA_STATUS_SUCCESS) is_adverse_ = wave_instructions != 0;
  return done("set_adverse", status, "asking for the adverse order");
}

Status SoftwareGpu::limit_residency(bool is_limited) {
  if (!extension_.limit_residency) return Unit{};
  return done("limit_residency", extension_.limit_residency(is_limited ? 1 : 0), "limiting what is resident");
}

Status SoftwareGpu::watch_float_atomics(const std::vector<AddressRange>& ranges) {
  if (!extension_.watch_float_atomics) return Unit{};
  std::vector<kernloop_softgpu_range_t> watched;
  for (const AddressRange& range : ranges) watched.push_back({range.base, range.size});
  const hsa_status_t status = extension_.watch_float_atomics(watched.data(), static_cast<uint32_t>(watched.size()));
  return done("watch_float_atomics", status, "watching for floating-point atomics");
}

Status SoftwareGpu::record_accesses() {
  records_accesses_ = true;
  return done("set_access_recording", extension_.set_access_recording(1), "recording accesses");
}

Status SoftwareGpu::profile() {
  profiles_ = true;
  return done("set_profiling", extension_.set_profiling(1), "profiling");
}

Status SoftwareGpu::set_probes(const std::string& request) {
  std::string problem = "the runtime has no probes";
  const auto keep = [](const char* text, void* data) { *static_cast<std::string*>(data) = text; };
  if (!extension_.set_probes || extension_.set_probes(request.c_str(), keep, &problem) != HSA_STATUS_SUCCESS)
    return Error{"PROBES_INVALID", "the software GPU does not take the probes: " + problem, "correct the probe file"};
  return Unit{};
}

Status SoftwareGpu::set_next_load_address(uint64_t address, const std::string& doing) {
  return done("set_next_load_address", extension_.set_next_load_address(address), doing);
}

Result<bool> SoftwareGpu::close_to_kernels(const AddressRange& range) {
  if (!extension_.close_to_kernels) return false;
  const hsa_status_t status = extension_.close_to_kernels(range.base, range.size);
  if (status != HSA_STATUS_SUCCESS) return hsa_.error("close_to_kernels", status, "raising the guard");
  return true;
}

Status SoftwareGpu::report(std::span<const AddressRange> own, LaunchOutcome& outcome) const {
  kernloop_softgpu_report_t report{};
  report.struct_size = sizeof report;
  if (auto read = done("dispatch_report", extension_.dispatch_report(told_, &report), "reading the counters"); !read)
    return read;
  outcome.wave_instructions = report.wave_instructions;
  const hsa_status_t counted = extension_.dispatch_counters(
      told_, [](const char* name, uint64_t value, void* data) { outcome_of(data).counters[name] = value; }, &outcome);
  if (auto read = done("dispatch_counters", counted, "reading the counters"); !read) return read;
  if (profiles_) {
    const hsa_status_t profiled = extension_.dispatch_profile(
        told_,
        [](const kernloop_softgpu_pc_t* pc, void* data) { outcome_of(data).hot_spots.push_back(hot_spot_of(*pc)); },
        &outcome);
    if (auto read = done("dispatch_profile", profiled, "reading the profile"); !read) return read;
  }
  uint64_t executed = 0;
  const hsa_status_t found = extension_.dispatch_findings(
      told_, &executed,
      [](const char* json, void* data) {
        auto finding = parse_json(json, "a finding");
        if (!finding || !finding->is_object()) return;
        LaunchOutcome& outcome = outcome_of(data);
        const std::string kind = finding->value("kind", "");
        Json& of_kind = kind == "float_atomic"       ? outcome.float_atomics
                        : kind == "lds_out_of_range" ? outcome.past_lds
                                                     : outcome.findings;
        of_kind.push_back(std::move(*finding));
      },
      &outcome);
  if (auto read = done("dispatch_findings", found, "reading what the checks found"); !read) return read;
  if (is_adverse_) outcome.adverse_wave_instructions = executed;
  return records_accesses_ ? report_accesses(own, outcome) : Unit{};
}

namespace {

struct LanesOfPage {
  AddressRange range;
  uint64_t by_lane = 0;
};

}  // namespace

Status SoftwareGpu::report_accesses(std::span<const AddressRange> own, LaunchOutcome& outcome) const {
  const auto add = [](uint32_t is_write, uint64_t base, uint64_t size, void* data) {
    outcome_of(data).accesses.push_back({is_write != 0, base, size});
  };
  const auto add_lanes = [](uint64_t base, uint64_t size, uint64_t by_lane, void* data) {
    static_cast<std::vector<LanesOfPage>*>(data)->push_back({{base, size}, by_lane});
  };
  std::vector<LanesOfPage> pages;
  if (extension_.dispatch_lanes) {
    const hsa_status_t told = extension_.dispatch_lanes(told_, add_lanes, &pages);
    if (auto read = done("dispatch_lanes", told, "reading which lanes accessed what"); !read) return read;
    outcome.accesses_by_lane = 0;
  }
  for (const LanesOfPage& page : pages) {
    // Packets have other addresses in each launch.
    const bool is_own = std::any_of(own.begin(), own.end(), [&](const AddressRange& range) {
      return page.range.base < range.end() && range.base < page.range.end();
    });
    if (!is_own) *outcome.accesses_by_lane += page.by_lane;
  }
  const hsa_status_t listed = extension_.dispatch_accesses(told_, add, &outcome);
  std::erase_if(outcome.accesses, [&](const Access& access) {
    return std::any_of(own.begin(), own.end(),
                       [&](const AddressRange& range) { return access.base - range.base < range.size; });
  });
  return done("dispatch_accesses", listed, "reading the accesses");
}

void SoftwareGpu::explain(LaunchOutcome& outcome) const {
  kernloop_softgpu_report_t report{};
  report.struct_size = sizeof report;
  if (extension_.dispatch_report(told_, &report) != HSA_STATUS_SUCCESS || !report.faulted) return;
  report.fault_json[sizeof report.fault_json - 1] = '\0';
  if (auto fault = parse_json(report.fault_json, "the fault report"); fault && fault->is_object()) {
    outcome.fault = std::move(*fault);
  } else {
    outcome.fault["text"] = std::string(report.fault_json);
  }
  outcome.wave_instructions = report.wave_instructions;
  const auto kind = outcome.fault.find("kind");
  if (kind != outcome.fault.end() && *kind == "instruction_limit") outcome.end = LaunchOutcome::End::kLimit;
}

Status SoftwareGpu::visit_probes(const std::function<Status(const ProbedMapView&)>& visit) const {
  struct Visit {
    const std::function<Status(const ProbedMapView&)>& visit;
    Status status = Unit{};
  } state{visit};
  const hsa_status_t status = extension_.dispatch_probes(
      told_,
      [](const kernloop_softgpu_probed_map_t* map, void* data) {
        auto& state = *static_cast<Visit*>(data);
        if (!state.status) return;
        state.status = state.visit({.name = map->name,
                                    .unit_bytes = map->unit_bytes,
                                    .records = {map->records, map->units * map->unit_bytes},
                                    .counts = {map->counts, map->units},
                                    .kept = map->kept,
                                    .dropped = map->dropped,
                                    .wave_size = map->wave_size});
      },
      &state);
  if (auto read = done("dispatch_probes", status, "reading the maps of probes"); !read) return read;
  return state.status;
}

}  // namespace kernloop::replay
