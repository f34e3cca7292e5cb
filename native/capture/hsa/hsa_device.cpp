#include "capture/hsa/hsa_device.h"

#include "base/bytes.h"
#include "capture/core/own_memory.h"
#include "capture/core/pointer_scan.h"
#include "capture/hsa/hooks.h"
#include "capture/hsa/memory_faults.h"

namespace kernloop::capture {
namespace {

// A copy may share the app's signal.
void complete(Agent& agent, const OwnSignal& own, hsa_signal_t app) {
  agent.copies.changed_by_host(app, -uint64_t{1});
  complete_for_app(agent.hsa, own.get(), app);
}

struct LateCompletion {
  Agent* agent;
  OwnSignal own;
  hsa_signal_t app;
};

// A dispatch that outlived its limit ended after all.
bool on_late_completion(hsa_signal_value_t, void* data) {
  const std::unique_ptr<LateCompletion> late(static_cast<LateCompletion*>(data));
  complete(*late->agent, late->own, late->app);
  return false;
}

// Alone in its queue, and everything it wrote visible when it is done. The app's own scopes go: agent and system
// together are the reserved value 3.
uint16_t alone_and_visible(uint16_t header) {
  constexpr unsigned kScope = (1u << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1;
  constexpr unsigned kScopes =
      kScope << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE | kScope << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  return static_cast<uint16_t>((header & ~kScopes) | 1u << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

// None if the runtime does not know the address.
std::optional<hsa_amd_pointer_info_t> pointer_info(const HsaOriginals& hsa, uint64_t address) {
  const auto get = hsa.amd.hsa_amd_pointer_info_fn;
  if (get == nullptr) return std::nullopt;
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  const hsa_status_t status = get(reinterpret_cast<void*>(address), &info, nullptr, nullptr, nullptr);
  if (status != HSA_STATUS_SUCCESS || info.type == HSA_EXT_POINTER_TYPE_UNKNOWN) return std::nullopt;
  return info;
}

// Managed memory, and since ROCr 6.0 registered memory, is not among the runtime's allocations where the kernel driver
// has shared virtual memory.
std::optional<bool> is_fine_grained_svm(const HsaOriginals& hsa, const Allocation& allocation) {
  const auto get = hsa.amd.hsa_amd_svm_attributes_get_fn;
  if (get == nullptr) return std::nullopt;
  hsa_amd_svm_attribute_pair_t flag{HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE};
  if (get(reinterpret_cast<void*>(allocation.base), allocation.size, &flag, 1) != HSA_STATUS_SUCCESS ||
      flag.value == HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE) {
    return std::nullopt;
  }
  return flag.value == HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED;
}

}  // namespace

HsaDevice::HsaDevice(Agent& agent, QueueState& queue, const std::string& symbol,
                     const hsa_kernel_dispatch_packet_t& packet, PacketWriter write)
    : agent_(agent),
      queue_(queue),
      symbol_(symbol),
      packet_(packet),
      write_(write),
      completion_(OwnSignal::create(agent.hsa, 1)),
      left_waiting_(agent.hsa),
      counters_(agent.hsa) {}

HsaDevice::~HsaDevice() {
  if (!ours_) return;
  if (completion_.value() < 1) {
    complete(agent_, completion_, packet_.completion_signal);
    return;
  }
  // In a failed queue it completes only if a library reported the fault to the app (softgpu_extension.h).
  auto* late = new LateCompletion{&agent_, std::move(completion_), packet_.completion_signal};
  agent_.hsa.amd.hsa_amd_signal_async_handler_fn(late->own.get(), HSA_SIGNAL_CONDITION_LT, 1, on_late_completion, late);
}

std::optional<Error> HsaDevice::drain(Deadline deadline) {
  if (auto refusal = agent_.drainer.wait(queue_, deadline, left_waiting_)) return refusal;
  drop_unmapped();
  set_up_kernels();
  return std::nullopt;
}

std::optional<Error> HsaDevice::check_alone() {
  const auto gone_on = left_waiting_.gone_on();
  if (!gone_on) return std::nullopt;
  return Error{"QUEUE_WENT_ON",
               *gone_on +
                   " went on while the dispatch was captured: it waited for work that the capture holds back, "
                   "and a thread or a kernel of the program has completed that signal meanwhile",
               "capture another dispatch; keep signals that a launch completes from being completed elsewhere"};
}

// Not for little memory, which the host compares sooner than a queue is made, nor on the software GPU, whose memory is
// the host's.
void HsaDevice::set_up_kernels() {
  constexpr uint64_t kFewBytes = uint64_t{64} << 20;
  if (counters_.is_there() || tracked_bytes(agent_.allocations.snapshot()) < kFewBytes) return;
  auto kernels = HsaKernels::load(agent_.hsa, queue_.device);
  if (kernels) {
    kernels_ = std::move(*kernels);
    agent_.log.line("memory is compared and searched by the GPU");
  } else {
    agent_.log.line("memory is compared by the CPU: no kernels of ours: %s", kernels.error().message.c_str());
  }
  auto staging = HsaStaging::create(agent_.hsa, queue_.device, kSnapshotChunkBytes);
  if (staging) {
    staging_ = std::move(*staging);
  } else {
    agent_.log.line("memory is copied without pinned buffers: %s", staging.error().message.c_str());
  }
}

// Beside a dispatch that still runs they stay: the kernel driver would preempt it to remove a queue.
void HsaDevice::finish() noexcept {
  const bool still_runs = ours_ && completion_.value() >= 1;
  if (still_runs) {
    (void)kernels_.release();
    (void)staging_.release();
  }
  kernels_.reset();
  staging_.reset();
}

// False: the pinned buffers are not for this memory, or failed.
bool HsaDevice::read_staged(const Allocation& from, uint64_t offset, std::span<uint8_t> into) {
  if (staging_ == nullptr) return false;
  if (read_last_ != from.base) is_staged_ = is_local(from);
  read_last_ = from.base;
  if (!is_staged_) return false;
  const uint64_t end = offset + into.size();
  if (staging_->read(from.base + offset, into, from.size > end ? from.size - end : 0)) return true;
  staging_.reset();
  return false;
}

// In memory of this GPU, which it reaches whatever the app has mapped where.
bool HsaDevice::is_local(const Allocation& allocation) const {
  if (allocation.host_owned || allocation.of_others || allocation.memory_class == MemoryClass::kModule) return false;
  const auto info = pointer_info(agent_.hsa, allocation.base);
  if (!info || info->type != HSA_EXT_POINTER_TYPE_HSA || info->agentOwner.handle != queue_.device.handle) return false;
  return allocation.end() <= reinterpret_cast<uint64_t>(info->agentBaseAddress) + info->sizeInBytes;
}

std::optional<Error> HsaDevice::checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk) {
  if (kernels_ == nullptr || !is_local(of)) return DeviceCapture::checksums(of, per_snapshot_chunk);
  std::vector<cuda::Checksum128> sums((of.size + kSnapshotChunkBytes - 1) / kSnapshotChunkBytes);
  if (Status done = kernels_->checksums(of.base, of.size, kSnapshotChunkBytes, sums); !done) return done.error();
  per_snapshot_chunk->clear();
  for (const cuda::Checksum128& sum : sums) per_snapshot_chunk->push_back({sum.low, sum.high});
  return std::nullopt;
}

std::optional<Error> HsaDevice::find_pointers(const Allocation& in, const AllocationList& all,
                                              std::vector<size_t>* hits, bool* searched) {
  *searched = kernels_ != nullptr && is_local(in);
  if (!*searched) return std::nullopt;
  return search_by<cuda::AddressRange>(*kernels_, in, all, hits);
}

void HsaDevice::drop_unmapped() {
  for (const Allocation& allocation : agent_.allocations.snapshot()) {
    if (allocation.api != kSvmApi) continue;
    auto parts = mapped_parts(allocation.host_address, allocation.size);
    if (!parts || (parts->size() == 1 && parts->front().size == allocation.size)) continue;
    for (ByteRange& part : *parts) part.base -= allocation.host_address;
    agent_.allocations.keep_parts(allocation.base, *parts);
    agent_.log.line("managed memory at %s (%llu bytes) is no longer mapped as a whole: the program has freed it",
                    to_hex_number(allocation.base).c_str(), static_cast<unsigned long long>(allocation.size));
  }
}

// Virtual memory is accessible to the agents that hsa_amd_vmem_set_access names, to none at first.
bool HsaDevice::has_access(const Allocation& allocation) const {
  const auto get_access = agent_.hsa.amd.hsa_amd_vmem_get_access_fn;
  const bool is_mapped = allocation.api == kVmemApi || allocation.api == kImportedApi;
  if (!is_mapped || get_access == nullptr) return true;
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
  return get_access(reinterpret_cast<void*>(allocation.base), &permission, queue_.device) != HSA_STATUS_SUCCESS ||
         permission != HSA_ACCESS_PERMISSION_NONE;
}

void HsaDevice::look_at_region(Allocation& region) {
  const auto info = pointer_info(agent_.hsa, region.base);
  if (!info) {
    if (region.host_owned) region.fine_grained = is_fine_grained_svm(agent_.hsa, region);
    return;
  }
  const uint64_t owner = info->type == HSA_EXT_POINTER_TYPE_HSA ? info->agentOwner.handle : 0;
  if (region.memory_class == MemoryClass::kDevice && owner != 0 && owner != queue_.device.handle) reaches_peer_ = true;
  // An older runtime fills in less.
  if (info->size < offsetof(hsa_amd_pointer_info_t, global_flags) + sizeof info->global_flags) return;
  constexpr uint32_t kFine =
      HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED;
  if (info->global_flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) {
    region.fine_grained = false;
  } else if (info->global_flags & kFine) {
    region.fine_grained = true;
  }
}

std::optional<Error> HsaDevice::read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) {
  if (from.host_owned) return host_memory_.read(from.host_address + offset, into);
  if (read_staged(from, offset, into)) return std::nullopt;
  const uint64_t address = from.base + offset;
  if (agent_.hsa.core.hsa_memory_copy_fn(into.data(), reinterpret_cast<const void*>(address), into.size()) ==
      HSA_STATUS_SUCCESS) {
    return std::nullopt;
  }
  return Error{"READ_FAILED",
               "the runtime cannot copy " + std::to_string(into.size()) + " bytes from " + to_hex_number(address),
               "see the program's own log of the runtime; report this with the log in .kernloop/logs"};
}

std::optional<Error> HsaDevice::read_kernarg(std::span<uint8_t> into) {
  if (into.empty()) return std::nullopt;
  return host_memory_.read(reinterpret_cast<uint64_t>(packet_.kernarg_address), into);
}

// With XNACK the GPU reaches all memory of the process; on an MI300A always.
void HsaDevice::look_at_arguments(std::span<const uint8_t> arguments, const AllocationList& allocations) {
  const HsaOriginals& hsa = agent_.hsa;
  const auto is_so = [&](hsa_system_info_t question) {
    bool answer = false;
    return hsa.core.hsa_system_get_info_fn(question, &answer) == HSA_STATUS_SUCCESS && answer;
  };
  if (!is_so(HSA_AMD_SYSTEM_INFO_XNACK_ENABLED) && !is_so(HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT)) return;
  const auto is_known = [&](uint64_t address) { return pointer_info(hsa, address).has_value(); };
  if (const auto own = own_memory(allocations, arguments, is_known)) {
    agent_.note("PAGEABLE_MEMORY",
                in_words(*own, symbol_, "register it (hipHostRegister), or allocate it with hipMallocManaged"));
  }
}

std::optional<Error> HsaDevice::run(Deadline deadline, RunReport* report) {
  const HsaOriginals& hsa = agent_.hsa;
  if (reaches_peer_) {
    agent_.note("PEER_MEMORY", symbol_ + " may reach memory of another GPU: a replay keeps it on one GPU");
  }
  hsa_kernel_dispatch_packet_t packet = packet_;
  if (completion_) packet.completion_signal = completion_.get();
  packet.header = alone_and_visible(packet.header);
  if (staging_ != nullptr) staging_->forget();
  handed_over_ = true;
  if (!completion_) {
    agent_.drainer.hand_on(queue_, &packet, 1, write_);
    return Error{"NO_SIGNAL", "the runtime has no signal left for the dispatch",
                 "close other programs that use this device"};
  }
  const bool timed = hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn != nullptr && !queue_.profiling.load();
  if (timed) hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue_.queue, 1);
  ours_ = true;
  counters_.record_accesses(true);
  agent_.drainer.hand_on(queue_, &packet, 1, write_);
  const bool done = wait_below_one(hsa, completion_.get(), deadline, [this] { return queue_.failed.load(); });
  if (timed) hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue_.queue, 0);

  counters_.record_accesses(false);
  if (done) counters_.log_accesses(completion_.get());

  const SoftgpuReport counters = counters_.report_of(completion_.get());
  if (counters.fault.find("textures or surfaces") != std::string::npos) {
    return Error{"TEXTURE_OBJECT", "the kernel reads or writes texture or surface objects, which the device has not",
                 "capture a kernel that uses plain memory, or give this one a version without textures"};
  }
  if (!counters.fault.empty()) {
    return Error{"DEVICE_FAULT", "the dispatch faulted: " + counters.fault,
                 "the program itself is wrong here, or the device lacks something"};
  }
  if (const uint64_t address = queue_.fault_address.load(); address != 0) {
    return Error{"DEVICE_FAULT", "the dispatch faulted: " + describe_memory_fault(address),
                 "the program itself is wrong here, or the device lacks something"};
  }
  if (queue_.failed.load()) {
    return Error{"DEVICE_FAULT", "the queue reported an error while the dispatch ran", "see the program's own output"};
  }
  if (!done) {
    return Error{"RUN_LIMIT", "the dispatch did not end within the run limit",
                 "a kernel that waits for the host or for another queue cannot be captured in isolation; otherwise "
                 "raise --run-limit-ms"};
  }
  report->duration_ns = dispatch_duration_ns(hsa, queue_.device, completion_.get());
  report->wave_instructions = counters.wave_instructions;
  return std::nullopt;
}

}  // namespace kernloop::capture
