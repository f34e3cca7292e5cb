#include "softgpu/engine/wave/global_wave_sync.h"

namespace kernloop::softgpu {

void GlobalWaveSync::set(unsigned resource, uint32_t waves) {
  const std::lock_guard lock(mutex_);
  resources_[resource].missing = waves;
}

bool GlobalWaveSync::arrive(unsigned resource, uint32_t waves_next, Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  Resource& barrier = resources_[resource];
  if (barrier.missing == 0) return false;
  ticket = {resource, barrier.opened};
  if (--barrier.missing > 0) return true;
  ++barrier.opened;
  barrier.missing = waves_next;
  return true;
}

bool GlobalWaveSync::is_open(const Ticket& ticket) const {
  const std::lock_guard lock(mutex_);
  return resources_[ticket.resource].opened != ticket.opened_before;
}

}  // namespace kernloop::softgpu
