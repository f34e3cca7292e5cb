// SOPC, and SOPK but for hardware registers.
#include "softgpu/engine/scalar/scalar_symbols.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;

template <typename T, auto Function, typename B = T>
void compare(Wave& wave, const Instruction& i) {
  wave.scc = Function(read_scalar<T>(wave, i.src[0]), read_scalar<B>(wave, i.src[1]));
}

template <typename T, bool value>
void compare_bit(Wave& wave, const Instruction& i) {
  const T x = read_scalar<T>(wave, i.src[0]);
  wave.scc = ((x >> (read32(wave, i.src[1]) & (sizeof(T) * 8 - 1))) & 1) == value;
}

// The register of an SOPK instruction, whether it is written, read or both.
const Operand& sopk_register(const Instruction& i) {
  return i.dst_count > 0 ? i.dst[0] : i.src[0];
}

template <typename T, auto Function>
void compare_immediate(Wave& wave, const Instruction& i) {
  const T immediate = std::is_signed_v<T> ? static_cast<T>(i.simm16) : static_cast<T>(i.simm16 & 0xffff);
  wave.scc = Function(static_cast<T>(read32(wave, sopk_register(i))), immediate);
}

template <typename T>
bool eq(T a, T b) {
  return a == b;
}
template <typename T>
bool lg(T a, T b) {
  return a != b;
}
template <typename T>
bool gt(T a, T b) {
  return a > b;
}
template <typename T>
bool ge(T a, T b) {
  return a >= b;
}
template <typename T>
bool lt(T a, T b) {
  return a < b;
}
template <typename T>
bool le(T a, T b) {
  return a <= b;
}

void add_immediate(Wave& wave, const Instruction& i) {
  u32& target = wave.sgpr[sopk_register(i).index];
  const u32 a = target, b = static_cast<u32>(i.simm16), sum = a + b;
  wave.scc = (~(a ^ b) & (a ^ sum)) >> 31;
  target = sum;
}

constexpr ExecuteFn find_sopc(Op op) {
  switch (op) {
    case Op::s_cmp_eq_i32:
      return compare<i32, eq<i32>>;
    case Op::s_cmp_lg_i32:
      return compare<i32, lg<i32>>;
    case Op::s_cmp_gt_i32:
      return compare<i32, gt<i32>>;
    case Op::s_cmp_ge_i32:
      return compare<i32, ge<i32>>;
    case Op::s_cmp_lt_i32:
      return compare<i32, lt<i32>>;
    case Op::s_cmp_le_i32:
      return compare<i32, le<i32>>;
    case Op::s_cmp_eq_u32:
      return compare<u32, eq<u32>>;
    case Op::s_cmp_lg_u32:
      return compare<u32, lg<u32>>;
    case Op::s_cmp_gt_u32:
      return compare<u32, gt<u32>>;
    case Op::s_cmp_ge_u32:
      return compare<u32, ge<u32>>;
    case Op::s_cmp_lt_u32:
      return compare<u32, lt<u32>>;
    case Op::s_cmp_le_u32:
      return compare<u32, le<u32>>;
    case Op::s_cmp_eq_u64:
      return compare<u64, eq<u64>>;
    case Op::s_cmp_lg_u64:
      return compare<u64, lg<u64>>;
    case Op::s_bitcmp0_b32:
      return compare_bit<u32, false>;
    case Op::s_bitcmp1_b32:
      return compare_bit<u32, true>;
    case Op::s_bitcmp0_b64:
      return compare_bit<u64, false>;
    case Op::s_bitcmp1_b64:
      return compare_bit<u64, true>;
    default:
      return nullptr;
  }
}

constexpr ExecuteFn find_sopk(Op op) {
  switch (op) {
    case Op::s_movk_i32:
      return [](Wave& wave, const Instruction& i) { wave.sgpr[sopk_register(i).index] = static_cast<u32>(i.simm16); };
    case Op::s_cmovk_i32:
      return [](Wave& wave, const Instruction& i) {
        if (wave.scc) wave.sgpr[sopk_register(i).index] = static_cast<u32>(i.simm16);
      };
    case Op::s_cmpk_eq_i32:
      return compare_immediate<i32, eq<i32>>;
    case Op::s_cmpk_lg_i32:
      return compare_immediate<i32, lg<i32>>;
    case Op::s_cmpk_gt_i32:
      return compare_immediate<i32, gt<i32>>;
    case Op::s_cmpk_ge_i32:
      return compare_immediate<i32, ge<i32>>;
    case Op::s_cmpk_lt_i32:
      return compare_immediate<i32, lt<i32>>;
    case Op::s_cmpk_le_i32:
      return compare_immediate<i32, le<i32>>;
    case Op::s_cmpk_eq_u32:
      return compare_immediate<u32, eq<u32>>;
    case Op::s_cmpk_lg_u32:
      return compare_immediate<u32, lg<u32>>;
    case Op::s_cmpk_gt_u32:
      return compare_immediate<u32, gt<u32>>;
    case Op::s_cmpk_ge_u32:
      return compare_immediate<u32, ge<u32>>;
    case Op::s_cmpk_lt_u32:
      return compare_immediate<u32, lt<u32>>;
    case Op::s_cmpk_le_u32:
      return compare_immediate<u32, le<u32>>;
    case Op::s_addk_i32:
      return add_immediate;
    case Op::s_mulk_i32:
      return [](Wave& wave, const Instruction& i) { wave.sgpr[sopk_register(i).index] *= static_cast<u32>(i.simm16); };
    default:
      return nullptr;
  }
}

}  // namespace

ExecuteFn select_sopc(Op op) {
  return find_sopc(op);
}
KERNLOOP_NAME_SCALARS(sopc, find_sopc)

ExecuteFn select_sopk(Op op) {
  return find_sopk(op);
}
KERNLOOP_NAME_SCALARS(sopk, find_sopk)

}  // namespace kernloop::softgpu
