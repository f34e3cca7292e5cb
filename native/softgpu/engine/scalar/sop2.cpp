#include "softgpu/engine/scalar/scalar_symbols.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

// Function(a, b, scc) returns the result and changes scc if the operation does.
template <typename T, auto Function, typename B = T>
void binary(Wave& wave, const Instruction& i) {
  const T a = read_scalar<T>(wave, i.src[0]);
  const B b = read_scalar<B>(wave, i.src[1]);
  bool scc = wave.scc;
  const T result = Function(a, b, scc);
  wave.scc = scc;
  write_scalar<T>(wave, i.dst[0], result);
}

// Bitwise: scc tells whether the result is not zero.
template <typename T, auto Function, typename B = T>
constexpr ExecuteFn logic() {
  return binary<T,
                [](T a, B b, bool& scc) {
                  const T r = static_cast<T>(Function(a, b));
                  scc = r != 0;
                  return r;
                },
                B>;
}

template <typename T>
T bit_field(T x, u32 control) {
  constexpr u32 kBits = sizeof(T) * 8;
  const u32 offset = control & (kBits - 1), width = (control >> 16) & 0x7f;
  if (width == 0) return 0;
  const T shifted = x >> offset;
  if (width >= kBits) return shifted;
  using U = std::make_unsigned_t<T>;
  const U low = static_cast<U>(shifted) << (kBits - width);
  return static_cast<T>(low) >> (kBits - width);  // arithmetic for signed T
}

template <typename T>
T bit_mask(u32 width, u32 offset) {
  constexpr u32 kBits = sizeof(T) * 8;
  return ((T{1} << (width & (kBits - 1))) - 1) << (offset & (kBits - 1));
}

template <unsigned shift>
u32 shift_add(u32 a, u32 b, bool& scc) {
  const u64 sum = (u64{a} << shift) + b;
  scc = (sum >> 32) != 0;
  return static_cast<u32>(sum);
}

template <typename T>
void select_by_scc(Wave& wave, const Instruction& i) {
  write_scalar<T>(wave, i.dst[0], wave.scc ? read_scalar<T>(wave, i.src[0]) : read_scalar<T>(wave, i.src[1]));
}

constexpr ExecuteFn find_sop2(Op op) {
  switch (op) {
    case Op::s_add_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        scc = a + b < a;
        return a + b;
      }>;
    case Op::s_sub_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        scc = (b > a);
        return a - b;
      }>;
    case Op::s_add_i32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        const u32 r = a + b;
        scc = ((~(a ^ b) & (a ^ r)) >> 31);
        return r;
      }>;
    case Op::s_sub_i32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        const u32 r = a - b;
        scc = (((a ^ b) & (a ^ r)) >> 31);
        return r;
      }>;
    case Op::s_addc_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        const u64 r = u64{a} + b + scc;
        scc = (r >> 32) != 0;
        return u32(r);
      }>;
    case Op::s_subb_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        const u64 take = u64{b} + scc;
        scc = (take > a);
        return u32(a - take);
      }>;
    case Op::s_min_i32:
      return binary<i32, [](i32 a, i32 b, bool& scc) {
        scc = a < b;
        return a < b ? a : b;
      }>;
    case Op::s_min_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        scc = a < b;
        return a < b ? a : b;
      }>;
    case Op::s_max_i32:
      return binary<i32, [](i32 a, i32 b, bool& scc) {
        scc = (a > b);
        return (a > b) ? a : b;
      }>;
    case Op::s_max_u32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        scc = (a > b);
        return (a > b) ? a : b;
      }>;
    case Op::s_cselect_b32:
      return select_by_scc<u32>;
    case Op::s_cselect_b64:
      return select_by_scc<u64>;
    case Op::s_and_b32:
      return logic<u32, [](u32 a, u32 b) { return a & b; }>();
    case Op::s_and_b64:
      return logic<u64, [](u64 a, u64 b) { return a & b; }>();
    case Op::s_or_b32:
      return logic<u32, [](u32 a, u32 b) { return a | b; }>();
    case Op::s_or_b64:
      return logic<u64, [](u64 a, u64 b) { return a | b; }>();
    case Op::s_xor_b32:
      return logic<u32, [](u32 a, u32 b) { return a ^ b; }>();
    case Op::s_xor_b64:
      return logic<u64, [](u64 a, u64 b) { return a ^ b; }>();
    case Op::s_andn2_b32:
      return logic<u32, [](u32 a, u32 b) { return a & ~b; }>();
    case Op::s_andn2_b64:
      return logic<u64, [](u64 a, u64 b) { return a & ~b; }>();
    case Op::s_orn2_b32:
      return logic<u32, [](u32 a, u32 b) { return a | ~b; }>();
    case Op::s_orn2_b64:
      return logic<u64, [](u64 a, u64 b) { return a | ~b; }>();
    case Op::s_nand_b32:
      return logic<u32, [](u32 a, u32 b) { return ~(a & b); }>();
    case Op::s_nand_b64:
      return logic<u64, [](u64 a, u64 b) { return ~(a & b); }>();
    case Op::s_nor_b32:
      return logic<u32, [](u32 a, u32 b) { return ~(a | b); }>();
    case Op::s_nor_b64:
      return logic<u64, [](u64 a, u64 b) { return ~(a | b); }>();
    case Op::s_xnor_b32:
      return logic<u32, [](u32 a, u32 b) { return ~(a ^ b); }>();
    case Op::s_xnor_b64:
      return logic<u64, [](u64 a, u64 b) { return ~(a ^ b); }>();
    case Op::s_lshl_b32:
      return logic<u32, [](u32 a, u32 b) { return a << (b & 31); }>();
    case Op::s_lshl_b64:
      return logic<u64, [](u64 a, u32 b) { return a << (b & 63); }, u32>();
    case Op::s_lshr_b32:
      return logic<u32, [](u32 a, u32 b) { return (a >> (b & 31)); }>();
    case Op::s_lshr_b64:
      return logic<u64, [](u64 a, u32 b) { return (a >> (b & 63)); }, u32>();
    case Op::s_ashr_i32:
      return logic<i32, [](i32 a, u32 b) { return (a >> (b & 31)); }, u32>();
    case Op::s_ashr_i64:
      return logic<i64, [](i64 a, u32 b) { return (a >> (b & 63)); }, u32>();
    case Op::s_bfe_u32:
      return logic<u32, bit_field<u32>, u32>();
    case Op::s_bfe_i32:
      return logic<i32, bit_field<i32>, u32>();
    case Op::s_bfe_u64:
      return logic<u64, bit_field<u64>, u32>();
    case Op::s_bfe_i64:
      return logic<i64, bit_field<i64>, u32>();
    case Op::s_bfm_b32:
      return binary<u32, [](u32 a, u32 b, bool&) { return bit_mask<u32>(a, b); }>;
    case Op::s_bfm_b64:
      return [](Wave& wave, const Instruction& i) {
        write_scalar<u64>(wave, i.dst[0], bit_mask<u64>(read32(wave, i.src[0]), read32(wave, i.src[1])));
      };
    case Op::s_mul_i32:
      return binary<u32, [](u32 a, u32 b, bool&) { return a * b; }>;
    case Op::s_mul_hi_u32:
      return binary<u32, [](u32 a, u32 b, bool&) { return u32((u64{a} * b) >> 32); }>;
    case Op::s_mul_hi_i32:
      return binary<i32, [](i32 a, i32 b, bool&) { return i32((i64{a} * b) >> 32); }>;
    case Op::s_absdiff_i32:
      return binary<u32, [](u32 a, u32 b, bool& scc) {
        const u32 d = a - b, r = (d >> 31) ? 0u - d : d;
        scc = r != 0;
        return r;
      }>;
    case Op::s_lshl1_add_u32:
      return binary<u32, shift_add<1>>;
    case Op::s_lshl2_add_u32:
      return binary<u32, shift_add<2>>;
    case Op::s_lshl3_add_u32:
      return binary<u32, shift_add<3>>;
    case Op::s_lshl4_add_u32:
      return binary<u32, shift_add<4>>;
    case Op::s_pack_ll_b32_b16:
      return binary<u32, [](u32 a, u32 b, bool&) { return (a & 0xffff) | b << 16; }>;
    case Op::s_pack_lh_b32_b16:
      return binary<u32, [](u32 a, u32 b, bool&) { return (a & 0xffff) | (b & 0xffff0000); }>;
    case Op::s_pack_hh_b32_b16:
      return binary<u32, [](u32 a, u32 b, bool&) { return (a >> 16) | (b & 0xffff0000); }>;
    case Op::s_pack_hl_b32_b16:
      return binary<u32, [](u32 a, u32 b, bool&) { return (a >> 16) | b << 16; }>;
    default:
      return nullptr;
  }
}

}  // namespace

ExecuteFn select_sop2(Op op) {
  return find_sop2(op);
}
KERNLOOP_NAME_SCALARS(sop2, find_sop2)

}  // namespace kernloop::softgpu
