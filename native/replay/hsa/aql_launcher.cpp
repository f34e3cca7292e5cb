#include "replay/hsa/aql_launcher.h"

#include <hsa/amd_hsa_queue.h>

#include <chrono>
#include <cstring>

namespace kernloop::replay {

using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t kServicesBytes = 4096;
constexpr uint16_t kFences = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

}  // namespace

Status AqlLauncher::prepare_queue() {
  if (queue_) return Unit{};
  constexpr uint32_t kPackets = 64;
  hsa_.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &timestamp_hz_);
  hsa_status_t status = hsa_.hsa_queue_create(
      gpu_, kPackets, HSA_QUEUE_TYPE_SINGLE,
      [](hsa_status_t status, hsa_queue_t*, void* data) { *static_cast<std::atomic<int>*>(data) = status; }, &status_,
      UINT32_MAX, UINT32_MAX, &queue_);
  if (status != HSA_STATUS_SUCCESS) return hsa_.error("hsa_queue_create", status, "creating a queue");
  status = hsa_.hsa_signal_create(1, 0, nullptr, &signal_);
  if (status != HSA_STATUS_SUCCESS) return hsa_.error("hsa_signal_create", status, "creating a signal");
  if (!timed_) return Unit{};
  status = hsa_.hsa_amd_profiling_set_profiler_enabled(queue_, 1);
  if (status != HSA_STATUS_SUCCESS)
    return hsa_.error("hsa_amd_profiling_set_profiler_enabled", status, "timing the queue");
  return Unit{};
}

Status AqlLauncher::prepare_kernarg(size_t bytes) {
  if (kernarg_ && kernarg_bytes_ >= bytes) return Unit{};
  if (kernarg_) hsa_.hsa_amd_memory_pool_free(kernarg_);
  kernarg_ = nullptr;
  // The ABI lets kernels load up to 64 bytes at once from the segment.
  kernarg_bytes_ = (bytes + 63) / 64 * 64 + 64;
  hsa_status_t status = hsa_.hsa_amd_memory_pool_allocate(kernarg_pool_, kernarg_bytes_, 0, &kernarg_);
  if (status != HSA_STATUS_SUCCESS)
    return hsa_.error("hsa_amd_memory_pool_allocate", status, "allocating kernel arguments");
  status = hsa_.hsa_amd_agents_allow_access(1, &gpu_, nullptr, kernarg_);
  if (status != HSA_STATUS_SUCCESS)
    return hsa_.error("hsa_amd_agents_allow_access", status, "sharing kernel arguments");
  return Unit{};
}

// A page that no service handles: the other launches have a null pointer there, and a kernel that asks for the service
// faults.
Status AqlLauncher::prepare_services(const Launch& launch) {
  if (!launch.amid_others || launch.amid_others->services.empty()) return Unit{};
  if (!services_) {
    hsa_status_t status = hsa_.hsa_amd_memory_pool_allocate(kernarg_pool_, kServicesBytes, 0, &services_);
    if (status != HSA_STATUS_SUCCESS)
      return hsa_.error("hsa_amd_memory_pool_allocate", status, "allocating what hidden arguments point to");
    status = hsa_.hsa_amd_agents_allow_access(1, &gpu_, nullptr, services_);
    if (status != HSA_STATUS_SUCCESS)
      return hsa_.error("hsa_amd_agents_allow_access", status, "sharing what hidden arguments point to");
    std::memset(services_, 0, kServicesBytes);
  }
  uint64_t address = reinterpret_cast<uint64_t>(services_);
  for (const uint32_t offset : launch.amid_others->services) {
    std::memcpy(static_cast<uint8_t*>(kernarg_) + offset, &address, sizeof address);
    address += kServicesBytes / 2;
  }
  return Unit{};
}

template <typename Packet>
void AqlLauncher::put(const Packet& packet, uint16_t header) {
  static_assert(sizeof(Packet) == 64);
  last_index_ = hsa_.hsa_queue_add_write_index_scacq_screl(queue_, 1);
  uint8_t* slot = static_cast<uint8_t*>(queue_->base_address) + (last_index_ & (queue_->size - 1)) * sizeof packet;
  // The header makes the packet valid: the rest must be there before it.
  const auto* bytes = reinterpret_cast<const uint8_t*>(&packet);
  std::memcpy(slot + 4, bytes + 4, sizeof packet - 4);
  uint16_t setup;
  std::memcpy(&setup, bytes + 2, sizeof setup);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), header | static_cast<uint32_t>(setup) << 16, __ATOMIC_RELEASE);
}

void AqlLauncher::put_barrier(hsa_signal_t completion) {
  hsa_barrier_and_packet_t packet{};
  packet.completion_signal = completion;
  put(packet, HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER | kFences);
}

Status AqlLauncher::submit(const Launch& launch) {
  constexpr uint64_t kMaxWorkItems = UINT32_MAX;  // per dimension, in an AQL packet
  for (uint64_t items : launch.grid_work_items) {
    if (items <= kMaxWorkItems) continue;
    return Error{"CAPTURE_INVALID", "a grid of " + std::to_string(items) + " work-items does not fit an AQL packet",
                 "capture again"};
  }
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = static_cast<uint16_t>(launch.dimensions << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  packet.workgroup_size_x = static_cast<uint16_t>(launch.block_threads[0]);
  packet.workgroup_size_y = static_cast<uint16_t>(launch.block_threads[1]);
  packet.workgroup_size_z = static_cast<uint16_t>(launch.block_threads[2]);
  packet.grid_size_x = static_cast<uint32_t>(launch.grid_work_items[0]);
  packet.grid_size_y = static_cast<uint32_t>(launch.grid_work_items[1]);
  packet.grid_size_z = static_cast<uint32_t>(launch.grid_work_items[2]);
  packet.private_segment_size = launch.private_segment_bytes;
  packet.group_segment_size = launch.group_segment_bytes;
  packet.kernel_object = launch.kernel;
  packet.kernarg_address = kernarg_;
  // Apps give a packet its own signal only if they wait for that very packet.
  const bool is_amid_others = launch.amid_others.has_value();
  told_ = is_amid_others ? hsa_signal_t{0} : signal_;
  packet.completion_signal = told_;
  for (uint32_t i = 0; is_amid_others && i < launch.amid_others->packets_before; ++i) put_barrier({0});
  put(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER | kFences);
  if (is_amid_others) put_barrier(signal_);
  hsa_.hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(last_index_));
  return Unit{};
}

Result<AqlLauncher::End> AqlLauncher::run(const Launch& launch) {
  if (auto ready = prepare_queue(); !ready) return ready.error();
  if (auto ready = prepare_kernarg(launch.kernarg.size()); !ready) return ready.error();
  std::memcpy(kernarg_, launch.kernarg.data(), launch.kernarg.size());
  if (auto ready = prepare_services(launch); !ready) return ready.error();
  hsa_.hsa_signal_store_relaxed(signal_, 1);
  // Length of one wait: short enough to notice faults and limits.
  const uint64_t ticks = timestamp_hz_ / 100;
  const auto begin = Clock::now();
  if (auto submitted = submit(launch); !submitted) return submitted.error();
  while (hsa_.hsa_signal_wait_scacquire(signal_, HSA_SIGNAL_CONDITION_LT, 1, ticks, HSA_WAIT_STATE_BLOCKED) >= 1) {
    if (status_ != HSA_STATUS_SUCCESS) return End::kFault;
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    if (launch.limit_seconds > 0 && elapsed.count() > launch.limit_seconds) return End::kLimit;
  }
  return End::kCompleted;
}

Result<uint64_t> AqlLauncher::duration_ns() const {
  hsa_amd_profiling_dispatch_time_t time{};
  const hsa_status_t status = hsa_.hsa_amd_profiling_get_dispatch_time(gpu_, signal_, &time);
  if (status != HSA_STATUS_SUCCESS)
    return hsa_.error("hsa_amd_profiling_get_dispatch_time", status, "timing the dispatch");
  return static_cast<uint64_t>(static_cast<double>(time.end - time.start) * 1e9 / static_cast<double>(timestamp_hz_));
}

std::vector<AddressRange> AqlLauncher::own_memory() const {
  std::vector<AddressRange> own;
  const auto add = [&](const void* at, uint64_t size) { own.push_back({reinterpret_cast<uint64_t>(at), size}); };
  if (kernarg_) add(kernarg_, kernarg_bytes_);
  if (services_) add(services_, kServicesBytes);
  if (queue_) {
    add(queue_->base_address, queue_->size * uint64_t{64});
    add(queue_, sizeof(amd_queue_t));
  }
  return own;
}

void AqlLauncher::free() {
  if (queue_) hsa_.hsa_queue_destroy(queue_);
  if (signal_.handle) hsa_.hsa_signal_destroy(signal_);
  if (kernarg_) hsa_.hsa_amd_memory_pool_free(kernarg_);
  if (services_) hsa_.hsa_amd_memory_pool_free(services_);
}

}  // namespace kernloop::replay
