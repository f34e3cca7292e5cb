// The software GPU's extension of HSA, through which it reports and does more than hardware.
#pragma once

#include <memory>

#include "abi/hsa/softgpu_extension.h"
#include "replay/core/device/device.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

class SoftwareGpu final : public SoftwareExecution {
 public:
  // Null on any other runtime; RUNTIME_INCOMPLETE on a software GPU that lacks functions that replays need.
  static Result<std::unique_ptr<SoftwareGpu>> find(HsaLibrary& hsa);

  Status set_wave_instruction_limit(uint64_t per_dispatch) override;
  Status set_seed(uint64_t seed) override;
  Status set_threads(uint32_t threads) override;
  Status set_unwritten_fill(uint64_t pattern) override;
  Status set_machine_in_use(uint32_t seed) override;
  Status open_constants(bool are_open) override;
  Status set_adverse(uint64_t wave_instructions, bool races) override;
  Status limit_residency(bool is_limited) override;
  Status watch_float_atomics(const std::vector<AddressRange>& ranges) override;
  Status record_accesses() override;
  Status profile() override;
  Status set_probes(const std::string& request) override;
  // For the code object that this thread loads next.
  Status set_next_load_address(uint64_t address, const std::string& doing);
  Result<bool> close_to_kernels(const AddressRange& range);

  // Reports are of the dispatch that completed with `signal` from here on; before, of the last one.
  void tell_of(hsa_signal_t signal) { told_ = signal; }
  // `own`: memory of this process, whose accesses are not the capture's.
  Status report(std::span<const AddressRange> own, LaunchOutcome& outcome) const;
  // Reason why that dispatch did not end, if the software GPU reports it: a fault or the limit of instructions.
  void explain(LaunchOutcome& outcome) const;
  Status visit_probes(const std::function<Status(const ProbedMapView&)>& visit) const override;

 private:
  SoftwareGpu(HsaLibrary& hsa, const kernloop_softgpu_extension_1_t& extension) : hsa_(hsa), extension_(extension) {}
  Status report_accesses(std::span<const AddressRange> own, LaunchOutcome& outcome) const;
  Status done(const char* call, hsa_status_t status, const std::string& doing) const;

  HsaLibrary& hsa_;
  kernloop_softgpu_extension_1_t extension_{};
  hsa_signal_t told_{0};
  bool records_accesses_ = false, profiles_ = false, is_adverse_ = false;
};

}  // namespace kernloop::replay
