// DS instructions on global wave sync. The first active lane's data holds the number of waves less one; M0[21:16] and
// the offset name the resource.
#include "softgpu/engine/access/select.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

namespace {

unsigned resource_of(const Wave& wave, const Instruction& i) {
  return ((wave.sgpr[kM0] >> 16) + static_cast<uint32_t>(i.offset)) % GlobalWaveSync::kResources;
}

uint32_t waves_of(Wave& wave, const Instruction& i) {
  const uint64_t exec = wave.exec();
  const unsigned lane = exec != 0 ? static_cast<unsigned>(__builtin_ctzll(exec)) : 0;
  return (*register_rows(wave, i.src[0]))[lane] + 1;
}

GlobalWaveSync& sync_of(const Wave& wave) {
  if (wave.workgroup->wave_sync == nullptr) raise_unsupported("global wave sync outside of a dispatch");
  return *wave.workgroup->wave_sync;
}

void init(Wave& wave, const Instruction& i) {
  sync_of(wave).set(resource_of(wave, i), waves_of(wave, i));
}

void barrier(Wave& wave, const Instruction& i) {
  const unsigned resource = resource_of(wave, i);
  if (!sync_of(wave).arrive(resource, waves_of(wave, i), wave.grid_barrier))
    raise_unsupported("a barrier on GWS resource " + std::to_string(resource) +
                      ", which no ds_gws_init has set (a kernel that syncs its grid needs a cooperative launch)");
  wave.state = WaveState::kAtGridBarrier;
}

}  // namespace

ExecuteFn select_gws(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::ds_gws_init:
      return init;
    case Op::ds_gws_barrier:
      return barrier;
    default:
      return nullptr;  // semaphores
  }
}

}  // namespace kernloop::softgpu
