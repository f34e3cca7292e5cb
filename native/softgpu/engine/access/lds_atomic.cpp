// DS: atomics on LDS. A workgroup runs on one thread, so plain memory operations are atomic enough.
#include "softgpu/engine/access/lds_address.h"
#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

namespace {

template <Atomic atomic, typename T>
void modify(Wave& wave, const Instruction& i) {
  const LdsAccess where = check_lds_access(wave, i, static_cast<uint32_t>(i.offset), sizeof(T), AccessKind::kAtomic);
  const VectorRegister* second = data_count(atomic) == 2 ? register_rows(wave, i.src[2]) : nullptr;
  const AtomicMode mode = wave_atomic_mode<atomic, T>(wave);
  modify_lanes<atomic, T, false>(where, wave.exec(), register_rows(wave, i.src[1]), second,
                                 i.dst_count > 0 ? register_rows(wave, i.dst[0]) : nullptr, mode, LaneOrder::of(wave));
}

// Two exchanges with adjacent results.
template <typename T, unsigned scale>
void exchange2(Wave& wave, const Instruction& i) {
  const LdsPair where(wave, i, sizeof(T) * scale, sizeof(T), AccessKind::kAtomic);
  // The results may overwrite the second operand.
  VectorRegister data[2][sizeof(T) / 4];
  std::memcpy(data[0], register_rows(wave, i.src[1]), sizeof data[0]);
  std::memcpy(data[1], register_rows(wave, i.src[2]), sizeof data[1]);
  VectorRegister* result = register_rows(wave, i.dst[0]);
  modify_lanes<Atomic::kSwap, T, false>(where.first, wave.exec(), data[0], nullptr, result, {}, LaneOrder::of(wave));
  modify_lanes<Atomic::kSwap, T, false>(where.second, wave.exec(), data[1], nullptr, result + sizeof(T) / 4, {},
                                        LaneOrder::of(wave));
}

}  // namespace

#define KERNLOOP_LDS_ATOMIC(name, suffix, ATOMIC, T) \
  case Op::ds_##name##_##suffix:                     \
  case Op::ds_##name##_rtn_##suffix:                 \
    return modify<ATOMIC, T>;

#define KERNLOOP_LDS_ATOMICS(bits)                                               \
  KERNLOOP_LDS_ATOMIC(add, u##bits, Atomic::kAdd, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(sub, u##bits, Atomic::kSub, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(rsub, u##bits, Atomic::kReverseSub, uint##bits##_t)        \
  KERNLOOP_LDS_ATOMIC(inc, u##bits, Atomic::kIncrement, uint##bits##_t)          \
  KERNLOOP_LDS_ATOMIC(dec, u##bits, Atomic::kDecrement, uint##bits##_t)          \
  KERNLOOP_LDS_ATOMIC(min, i##bits, Atomic::kMin, int##bits##_t)                 \
  KERNLOOP_LDS_ATOMIC(max, i##bits, Atomic::kMax, int##bits##_t)                 \
  KERNLOOP_LDS_ATOMIC(min, u##bits, Atomic::kMin, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(max, u##bits, Atomic::kMax, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(and, b##bits, Atomic::kAnd, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(or, b##bits, Atomic::kOr, uint##bits##_t)                  \
  KERNLOOP_LDS_ATOMIC(xor, b##bits, Atomic::kXor, uint##bits##_t)                \
  KERNLOOP_LDS_ATOMIC(mskor, b##bits, Atomic::kMaskedOr, uint##bits##_t)         \
  KERNLOOP_LDS_ATOMIC(cmpst, b##bits, Atomic::kCompareSwap, uint##bits##_t)      \
  KERNLOOP_LDS_ATOMIC(cmpst, f##bits, Atomic::kFloatCompareSwap, uint##bits##_t) \
  KERNLOOP_LDS_ATOMIC(min, f##bits, Atomic::kFloatMin, uint##bits##_t)           \
  KERNLOOP_LDS_ATOMIC(max, f##bits, Atomic::kFloatMax, uint##bits##_t)           \
  KERNLOOP_LDS_ATOMIC(add, f##bits, Atomic::kFloatAdd, uint##bits##_t)           \
  case Op::ds_wrxchg_rtn_b##bits:                                                \
    return modify<Atomic::kSwap, uint##bits##_t>;                                \
  case Op::ds_wrxchg2_rtn_b##bits:                                               \
    return exchange2<uint##bits##_t, 1>;                                         \
  case Op::ds_wrxchg2st64_rtn_b##bits:                                           \
    return exchange2<uint##bits##_t, 64>;

ExecuteFn select_lds_atomic(const Instruction& instruction) {
  switch (instruction.op) {
    KERNLOOP_LDS_ATOMICS(32)
    KERNLOOP_LDS_ATOMICS(64)
    case Op::ds_pk_add_f16:
    case Op::ds_pk_add_rtn_f16:
      return modify<Atomic::kPackedHalfAdd, uint32_t>;
    case Op::ds_pk_add_bf16:
    case Op::ds_pk_add_rtn_bf16:
      return modify<Atomic::kPackedBfloatAdd, uint32_t>;
    case Op::ds_wrap_rtn_b32:
      return modify<Atomic::kWrap, uint32_t>;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
