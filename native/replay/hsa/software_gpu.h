// The software GPU's extension of HSA, behind which a runtime tells and does more than hardware.
#pragma once

#include <memory>

#include "abi/hsa/softgpu_extension.h"
#include "replay/core/device.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

class SoftwareGpu {
 public:
  // Null on any other runtime; RUNTIME_INCOMPLETE on a software GPU that lacks what replays need.
  static Result<std::unique_ptr<SoftwareGpu>> find(HsaLibrary& hsa);

  Status set_wave_instruction_limit(uint64_t per_dispatch);
  Status set_seed(uint64_t seed);
  Status set_threads(uint32_t threads);
  Status set_unwritten_fill(uint64_t pattern);
  Status set_adverse(uint64_t wave_instructions, bool races);
  Status record_accesses();
  Status profile();
  Status set_probes(const std::string& request);
  // Of the code object that this thread loads next.
  Status set_next_load_address(uint64_t address, const std::string& doing);
  Result<bool> close_to_kernels(const AddressRange& range);

  // Of the dispatch that completed with `signal`; with signal 0, of the last one. `own`: memory of this process, whose
  // accesses are none of the capture's.
  Status report(hsa_signal_t signal, std::span<const AddressRange> own, LaunchOutcome& outcome) const;
  // Why that dispatch did not end, where the software GPU says so: as a fault or the limit of instructions.
  void explain(hsa_signal_t signal, LaunchOutcome& outcome) const;
  Status visit_probes(hsa_signal_t signal, const std::function<Status(const ProbedMapView&)>& visit) const;

 private:
  SoftwareGpu(HsaLibrary& hsa, const kernloop_softgpu_extension_1_t& extension) : hsa_(hsa), extension_(extension) {}
  Status report_accesses(hsa_signal_t signal, std::span<const AddressRange> own, LaunchOutcome& outcome) const;
  Status done(const char* call, hsa_status_t status, const std::string& doing) const;

  HsaLibrary& hsa_;
  kernloop_softgpu_extension_1_t extension_{};
  bool records_accesses_ = false, profiles_ = false, is_adverse_ = false;
};

}  // namespace kernloop::replay
