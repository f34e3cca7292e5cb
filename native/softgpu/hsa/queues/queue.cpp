#include "softgpu/hsa/queues/queue.h"

#include <atomic>
#include <utility>

#include "softgpu/engine/wave/apertures.h"

namespace kernloop::softgpu {

std::unique_ptr<QueueMemory> QueueMemory::create(AddressAllocator& addresses, AddressSpace& space, Signals& signals,
                                                 uint32_t size, hsa_queue_type32_t type, uint32_t features,
                                                 Doorbell* doorbell) {
  static std::atomic<uint64_t> next_id{0};
  static_assert(sizeof(amd_queue_t) <= kGranule);
  auto mapping = addresses.take(kGranule + uint64_t{size} * sizeof(Packet));
  if (!mapping) return nullptr;
  std::unique_ptr<QueueMemory> memory(new QueueMemory(addresses, space, signals, std::move(*mapping)));
  amd_queue_t& abi = memory->abi();
  abi.hsa_queue.type = type;
  abi.hsa_queue.features = features;
  abi.hsa_queue.base_address = reinterpret_cast<void*>(memory->mapping_.base() + kGranule);
  abi.hsa_queue.size = size;
  abi.hsa_queue.id = next_id++;
  abi.group_segment_aperture_base_hi = static_cast<uint32_t>(kSharedApertureBase >> 32);
  abi.private_segment_aperture_base_hi = static_cast<uint32_t>(kPrivateApertureBase >> 32);
  abi.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
  abi.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64 | AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
  abi.hsa_queue.doorbell_signal = signals.create(0, doorbell);
  abi.queue_inactive_signal = signals.create(0);
  if (abi.hsa_queue.doorbell_signal.handle == 0 || abi.queue_inactive_signal.handle == 0) return nullptr;
  for (uint32_t i = 0; i < size; ++i) store_header(memory->slot(i), kInvalidHeader);
  space.map(memory->mapping_.base(), memory->mapping_.size(), AddressSpace::Access::kReadWrite, "queue");
  return memory;
}

void QueueMemory::use_doorbell(hsa_signal_t doorbell) {
  if (owns_doorbell_) signals_.destroy(abi().hsa_queue.doorbell_signal);
  owns_doorbell_ = false;
  abi().hsa_queue.doorbell_signal = doorbell;
}

QueueMemory::~QueueMemory() {
  if (owns_doorbell_) signals_.destroy(abi().hsa_queue.doorbell_signal);
  signals_.destroy(abi().queue_inactive_signal);
  space_.unmap(mapping_.base(), mapping_.size());
  addresses_.give_back(std::move(mapping_));
}

}  // namespace kernloop::softgpu
