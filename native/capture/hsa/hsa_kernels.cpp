#include "capture/hsa/hsa_kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/kernels/device_kernels_gfx.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

constexpr uint32_t kPackets = 64;
// 4 GiB, the most of one launch, take a slow GPU less than 100 ms.
constexpr std::chrono::seconds kLimit{60};

constexpr uint16_t kHeader = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

}  // namespace

Result<std::unique_ptr<HsaKernels>> HsaKernels::load(const HsaOriginals& hsa, hsa_agent_t device) {
  std::unique_ptr<HsaKernels> kernels(new HsaKernels(hsa, device));
  Status status = kernels->set_up();
  if (status) status = kernels->self_test();
  if (!status) return status.error();
  return kernels;
}

HsaKernels::~HsaKernels() {
  if (is_stuck_) {
    done_.leak();
    shared_.leak();
    return;
  }
  if (queue_ != nullptr) hsa_.core.hsa_queue_destroy_fn(queue_);
  if (executable_) hsa_.core.hsa_executable_destroy_fn(*executable_);
  if (reader_) hsa_.core.hsa_code_object_reader_destroy_fn(*reader_);
}

Status HsaKernels::set_up() {
  done_ = OwnSignal::create(hsa_, 1);
  if (!done_) return hsa_error("hsa_signal_create", HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  auto shared =
      HostBuffer::create(hsa_, device_, kArgumentBytes + size_t{16} * std::max(limits.blocks, limits.targets));
  if (!shared) return shared.error();
  shared_ = std::move(*shared);
  if (Status status = load_code(); !status) return status;
  const hsa_status_t status = hsa_.core.hsa_queue_create_fn(device_, kPackets, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr,
                                                            UINT32_MAX, UINT32_MAX, &queue_);
  if (status != HSA_STATUS_SUCCESS) return hsa_error("hsa_queue_create", status);
  return Unit{};
}

Status HsaKernels::load_code() {
  const CoreApiTable& core = hsa_.core;
  char target[64] = {};
  core.hsa_agent_get_info_fn(device_, HSA_AGENT_INFO_NAME, target);
  const auto code = gfx_code_object(target);
  if (code.empty()) return Error{"DEVICE_ERROR", std::string("there are none for ") + target, "see the agent's log"};
  hsa_status_t status = core.hsa_code_object_reader_create_from_memory_fn(code.data(), code.size(), &reader_.emplace());
  if (status != HSA_STATUS_SUCCESS) {
    reader_.reset();
    return hsa_error("hsa_code_object_reader_create_from_memory", status);
  }
  status = core.hsa_executable_create_alt_fn(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                             &executable_.emplace());
  if (status != HSA_STATUS_SUCCESS) {
    executable_.reset();
    return hsa_error("hsa_executable_create_alt", status);
  }
  status = core.hsa_executable_load_agent_code_object_fn(*executable_, device_, *reader_, nullptr, nullptr);
  if (status != HSA_STATUS_SUCCESS) return hsa_error("hsa_executable_load_agent_code_object", status);
  status = core.hsa_executable_freeze_fn(*executable_, nullptr);
  if (status != HSA_STATUS_SUCCESS) return hsa_error("hsa_executable_freeze", status);
  for (const char* name :
       {"kernloop_checksums", "kernloop_set_targets", "kernloop_find_pointers", "kernloop_take_hits"}) {
    hsa_executable_symbol_t symbol{};
    status =
        core.hsa_executable_get_symbol_by_name_fn(*executable_, (std::string(name) + ".kd").c_str(), &device_, &symbol);
    if (status != HSA_STATUS_SUCCESS) return hsa_error(name, status);
    Kernel& kernel = kernels_[name];
    const auto ask = [&](hsa_executable_symbol_info_t question, void* answer) {
      if (status == HSA_STATUS_SUCCESS) status = core.hsa_executable_symbol_get_info_fn(symbol, question, answer);
    };
    ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object);
    ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes);
    ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_bytes);
    if (status != HSA_STATUS_SUCCESS) return hsa_error(name, status);
  }
  return Unit{};
}

Status HsaKernels::reserve(uint64_t bytes) const {
  if (bytes <= uint64_t{16} * std::max(limits.blocks, limits.targets)) return Unit{};
  return bad_argument("no room for " + std::to_string(bytes) + " bytes");
}

Status HsaKernels::run(const char* name, uint64_t blocks, const void* params, size_t bytes) {
  const Kernel& kernel = kernels_.at(name);
  std::memset(shared_.data(), 0, kArgumentBytes);
  std::memcpy(shared_.data(), params, bytes);
  hsa_.core.hsa_signal_store_relaxed_fn(done_.get(), 1);

  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = kThreadsPerBlock;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = static_cast<uint32_t>(blocks * kThreadsPerBlock);
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.private_segment_size = kernel.private_bytes;
  packet.group_segment_size = kernel.group_bytes;
  packet.kernel_object = kernel.object;
  packet.kernarg_address = shared_.data();
  packet.completion_signal = done_.get();
  const uint64_t place = hsa_.core.hsa_queue_add_write_index_relaxed_fn(queue_, 1);
  char* const slot = static_cast<char*>(queue_->base_address) + place % queue_->size * sizeof packet;
  constexpr size_t kHeaderBytes = sizeof packet.header;
  std::memcpy(slot + kHeaderBytes, reinterpret_cast<const char*>(&packet) + kHeaderBytes, sizeof packet - kHeaderBytes);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), kHeader, __ATOMIC_RELEASE);
  hsa_.core.hsa_signal_store_screlease_fn(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(place));

  if (wait_below_one(hsa_, done_.get(), Deadline::in(kLimit), [] { return false; })) return Unit{};
  is_stuck_ = true;
  return Error{"DEVICE_ERROR", std::string(name) + " did not end", "see the agent's log"};
}

// Small, and not aligned: a wrong code object, or a device that computes something else, shows here.
Status HsaKernels::self_test() {
  constexpr uint64_t kBytes = 1003, kChunk = 1008, kPlace = 65536 + 3;
  auto* const bytes = static_cast<uint8_t*>(host()) + kPlace;  // behind the results
  for (uint64_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<uint8_t>(i * i + 7 * i);
  const uint64_t address = reinterpret_cast<uint64_t>(bytes);
  const uint64_t pointer = address + 5;
  std::memcpy(bytes + 501, &pointer, sizeof pointer);
  const AddressRange targets[] = {{address, kBytes}, {address + kBytes, 16}};
  Checksum128 checksum;
  std::vector<uint32_t> hits;
  Status status = checksums(address, kBytes, kChunk, {&checksum, 1});
  if (status) status = find_pointers(address, kBytes, targets, &hits, true);
  if (!status) return status;
  if (checksum == checksum_on_host({bytes, kBytes}) && hits == std::vector<uint32_t>{0}) return Unit{};
  return Error{"DEVICE_ERROR", "the kernels compute something else on this device than on the host",
               "report this with the name of the GPU"};
}

}  // namespace kernloop::capture
