#include "capture/hsa/hsa_staging.h"

#include <utility>

namespace kernloop::capture {

Result<std::unique_ptr<HsaStaging>> HsaStaging::create(const HsaOriginals& hsa, hsa_agent_t device,
                                                       uint64_t piece_bytes) {
  std::unique_ptr<HsaStaging> staging(new HsaStaging(hsa, device, piece_bytes));
  for (Buffer& buffer : staging->buffers_) {
    auto memory = HostBuffer::create(hsa, device, piece_bytes);
    if (!memory) return memory.error();
    buffer.memory = std::move(*memory);
    buffer.copied = OwnSignal::create(hsa, 0);
    if (!buffer.copied) return hsa_error("hsa_signal_create", HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
  return staging;
}

// A copy that has not ended may still write.
HsaStaging::~HsaStaging() {
  for (Buffer& buffer : buffers_) {
    if (!buffer.copied || has_ended(buffer)) continue;
    buffer.memory.leak();
    buffer.copied.leak();
  }
}

bool HsaStaging::has_ended(const Buffer& buffer) const {
  constexpr std::chrono::seconds kLimit{60};  // 4 MiB
  return wait_below_one(hsa_, buffer.copied.get(), Deadline::in(kLimit), [] { return false; });
}

// A negative value: the copy failed.
Status HsaStaging::wait(size_t buffer) {
  if (has_ended(buffers_[buffer]) && buffers_[buffer].copied.value() == 0) return Unit{};
  return hsa_error("the signal of hsa_amd_memory_async_copy", HSA_STATUS_ERROR);
}

Status HsaStaging::fetch(size_t buffer, uint64_t address, uint64_t bytes) {
  const auto& [memory, copied] = buffers_[buffer];
  if (!has_ended(buffers_[buffer])) return hsa_error("hsa_amd_memory_async_copy before", HSA_STATUS_ERROR);
  hsa_.core.hsa_signal_store_relaxed_fn(copied.get(), 1);
  const hsa_status_t status = hsa_.amd.hsa_amd_memory_async_copy_fn(
      memory.data(), memory.host(), reinterpret_cast<void*>(address), device_, bytes, 0, nullptr, copied.get());
  if (status == HSA_STATUS_SUCCESS) return Unit{};
  hsa_.core.hsa_signal_store_relaxed_fn(copied.get(), 0);
  return hsa_error("hsa_amd_memory_async_copy", status);
}

}  // namespace kernloop::capture
