// Our kernels (cuda/kernels) on a GPU of the app: checksums and pointer search at the speed of its memory. They run in
// a queue of ours, which the agent does not intercept. Every call returns when its work is done. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/hsa/host_buffer.h"
#include "capture/hsa/queues/signal.h"
#include "cuda/kernels/kernel_runs.h"

namespace kernloop::capture {

class HsaKernels {
 public:
  // Checks what the kernels compute on this device.
  static Result<std::unique_ptr<HsaKernels>> load(const HsaOriginals& hsa, hsa_agent_t device);
  ~HsaKernels();
  HsaKernels(const HsaKernels&) = delete;
  HsaKernels& operator=(const HsaKernels&) = delete;

  // The same as in DeviceKernels.
  Status checksums(uint64_t base, uint64_t bytes, uint64_t chunk_bytes, std::span<cuda::Checksum128> out) {
    return cuda::run_checksums(*this, base, bytes, chunk_bytes, out);
  }
  Status find_pointers(uint64_t base, uint64_t bytes, std::span<const cuda::AddressRange> targets,
                       std::vector<uint32_t>* hits, bool tagged_interior) {
    return cuda::run_find_pointers(*this, base, bytes, targets, hits, tagged_interior);
  }

  // The launcher of cuda/kernels/kernel_runs.h.
  const cuda::LaunchLimits limits{};
  Status reserve(uint64_t bytes) const;
  void* host() const { return shared_.data() + kArgumentBytes; }
  uint64_t device() const { return reinterpret_cast<uint64_t>(host()); }
  template <typename Params>
  Status run(const char* name, uint64_t blocks, const Params& params) {
    static_assert(sizeof params <= kArgumentBytes);
    return run(name, blocks, &params, sizeof params);
  }

 private:
  struct Kernel {
    uint64_t object = 0;
    uint32_t private_bytes = 0, group_bytes = 0;
  };
  static constexpr size_t kArgumentBytes = 256;

  HsaKernels(const HsaOriginals& hsa, hsa_agent_t device) : hsa_(hsa), device_(device) {}
  Status set_up();
  Status load_code();
  Status self_test();
  Status run(const char* name, uint64_t blocks, const void* params, size_t bytes);

  const HsaOriginals& hsa_;
  const hsa_agent_t device_;
  hsa_queue_t* queue_ = nullptr;
  std::optional<hsa_code_object_reader_t> reader_;
  std::optional<hsa_executable_t> executable_;
  HostBuffer shared_;  // arguments, then results or targets
  OwnSignal done_;
  std::map<std::string_view, Kernel> kernels_;
  bool is_stuck_ = false;  // a kernel did not end: what it uses stays
};

}  // namespace kernloop::capture
