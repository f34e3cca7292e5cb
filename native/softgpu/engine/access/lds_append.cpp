// DS: counters that a wave adds the number of its active lanes to (append), or takes it from (consume). M0[15:0] and
// the offset are the address; every lane gets the old value.
#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

namespace {

template <int sign>
void count_lanes(Wave& wave, const Instruction& i) {
  MemoryPort& port = *wave.memory;
  ++port.counters.lds;
  const uint64_t exec = wave.exec();
  if (exec == 0) return;
  // One access, reported for the first active lane.
  const uint64_t first = exec & -exec;
  const auto lane = static_cast<unsigned>(__builtin_ctzll(exec));
  alignas(64) uint32_t offsets[kLanes] = {};
  offsets[lane] = wave.sgpr[kM0] & 0xffff;
  const auto offset = static_cast<uint32_t>(i.offset);
  const LdsAccess where = port.check_lds(wave, i, offsets, offset, first, sizeof(uint32_t), AccessKind::kAtomic);
  port.count_lds(offsets, offset, first, sizeof(uint32_t), AccessKind::kAtomic);
  uint32_t before = 0;
  std::memcpy(&before, where.host(lane), sizeof before);
  const uint32_t after = before + static_cast<uint32_t>(sign * __builtin_popcountll(exec));
  std::memcpy(where.host(lane), &after, sizeof after);
  VectorRegister& result = *register_rows(wave, i.dst[0]);
  for_lanes(exec, [&](unsigned active) { result[active] = before; });
}

}  // namespace

ExecuteFn select_lds_append(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::ds_append:
      return count_lanes<1>;
    case Op::ds_consume:
      return count_lanes<-1>;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
