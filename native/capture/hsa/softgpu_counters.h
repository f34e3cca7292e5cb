// Counters of a dispatch that the software GPU reports beyond HSA. Real hardware has no such extension: then everything
// is empty.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "abi/hsa/softgpu_extension.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

struct SoftgpuReport {
  std::optional<uint64_t> wave_instructions;
  std::string fault;  // JSON; empty when it ran to its end
};

class SoftgpuCounters {
 public:
  explicit SoftgpuCounters(const HsaOriginals& hsa) : hsa_(hsa) {}
  bool is_there();
  SoftgpuReport report_of(hsa_signal_t completion);

  // Passes an error of a queue on to the callback that the app gave for it, as the runtime itself would have.
  void report_to_app(hsa_status_t status, hsa_queue_t* queue, kernloop_softgpu_queue_error_t callback, void* data);

  // For tests of the scope: with KERNLOOP_ACCESS_LOG=FILE, the engine's own exact read and write sets of the captured
  // dispatch are appended to that file ("read 0x… SIZE" or "write 0x… SIZE" a line). The capture itself never depends
  // on them.
  void record_accesses(bool enabled);
  void log_accesses(hsa_signal_t completion);

 private:
  void look_up();
  const HsaOriginals& hsa_;
  std::once_flag looked_up_;
  kernloop_softgpu_extension_1_t table_{};
};

}  // namespace kernloop::capture
