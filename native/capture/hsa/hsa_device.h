// DeviceCapture for one dispatch that waits in a queue's intercept handler.
#pragma once

#include "capture/core/device_capture.h"
#include "capture/core/host_memory.h"
#include "capture/hsa/agent.h"
#include "capture/hsa/hsa_kernels.h"
#include "capture/hsa/hsa_staging.h"

namespace kernloop::capture {

class HsaDevice : public DeviceCapture {
 public:
  HsaDevice(Agent& agent, QueueState& queue, const std::string& symbol, const hsa_kernel_dispatch_packet_t& packet,
            PacketWriter write);
  // Completes the app's signal if the dispatch has ended, or arranges for it. Nothing is held any more then.
  ~HsaDevice() override;
  HsaDevice(const HsaDevice&) = delete;
  HsaDevice& operator=(const HsaDevice&) = delete;

  std::optional<Error> drain(Deadline deadline) override;
  std::optional<Error> check_alone() override;
  // A queue may wait for work of a thread that a held call keeps waiting.
  bool may_wait_for_held_calls() const override { return true; }
  bool has_access(const Allocation& allocation) const override;
  std::optional<Error> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) override;
  std::optional<Error> read_kernarg(std::span<uint8_t> into) override;
  void look_at_arguments(std::span<const uint8_t> arguments, const AllocationList& allocations) override;
  std::optional<bool> was_address_told(const ByteRange& variable) const override {
    return agent_.told_addresses.any_in(variable);
  }
  void look_at_region(Allocation& region) override;
  bool has_device_checksums() const override { return kernels_ != nullptr; }
  std::optional<Error> checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk) override;
  std::optional<Error> find_pointers(const Allocation& in, const AllocationList& all, std::vector<size_t>* hits,
                                     bool* searched) override;
  void finish() noexcept override;

  // Lets the dispatch run, alone, and waits for it. On a refusal it may still be running; the destructor then sees to
  // its end.
  std::optional<Error> run(Deadline deadline, RunReport* report);

  // The dispatch belongs to the device from now on.
  bool handed_over() const { return handed_over_; }

 private:
  void drop_unmapped();
  void set_up_kernels();
  bool read_staged(const Allocation& from, uint64_t offset, std::span<uint8_t> into);
  bool is_local(const Allocation& allocation) const;

  Agent& agent_;
  QueueState& queue_;
  const std::string symbol_;
  const hsa_kernel_dispatch_packet_t packet_;
  const PacketWriter write_;
  OwnSignal completion_;
  LeftWaiting left_waiting_;
  SoftgpuCounters counters_;
  HostMemory host_memory_;
  std::unique_ptr<HsaKernels> kernels_;
  std::unique_ptr<HsaStaging> staging_;
  uint64_t read_last_ = 0;  // an allocation
  bool is_staged_ = false;  // by `staging_`
  bool reaches_peer_ = false;
  bool handed_over_ = false;
  bool ours_ = false;  // with our completion signal: we complete the app's
};

}  // namespace kernloop::capture
