#include <cstring>

#include "softgpu/engine/scalar/scalar_symbols.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

enum class Scc : uint8_t { kKept, kNonZero };

template <typename Out, typename In, auto Function, Scc scc>
void unary(Wave& wave, const Instruction& i) {
  const Out result = Function(read_scalar<In>(wave, i.src[0]));
  write_scalar<Out>(wave, i.dst[0], result);
  if constexpr (scc == Scc::kNonZero) wave.scc = result != 0;
}

template <typename T>
constexpr T reverse_bits(T x) {
  T out = 0;
  for (unsigned k = 0; k < sizeof(T) * 8; ++k) out |= ((x >> k) & 1) << (sizeof(T) * 8 - 1 - k);
  return out;
}

template <typename T>
constexpr T whole_quads(T x) {
  constexpr T kFirst = static_cast<T>(0x1111111111111111ull);
  return static_cast<T>((x | x >> 1 | x >> 2 | x >> 3) & kFirst) * 15;
}

template <typename T>
constexpr T quad_mask(T x) {
  T out = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad) out |= static_cast<T>(((x >> (quad * 4)) & 15) != 0) << quad;
  return out;
}

template <typename T>
constexpr uint32_t first_one(T x) {
  return x == 0 ? ~0u : static_cast<uint32_t>(__builtin_ctzll(x));
}

template <typename T>
constexpr uint32_t leading_zeros(T x) {
  return x == 0 ? ~0u : static_cast<uint32_t>(__builtin_clzll(x)) - (64 - sizeof(T) * 8);
}

// Number of bits from the top that equal the sign bit; -1 if all do.
template <typename T>
constexpr uint32_t leading_sign_bits(T x) {
  return leading_zeros<T>(x >> (sizeof(T) * 8 - 1) ? static_cast<T>(~x) : x);
}

constexpr uint64_t replicate_bits(uint32_t x) {
  uint64_t out = 0;
  for (unsigned k = 0; k < 32; ++k) out |= uint64_t{(x >> k) & 1} * 3 << (2 * k);
  return out;
}

template <typename T, bool value>
void set_bit(Wave& wave, const Instruction& i) {
  const T bit = T{1} << (read32(wave, i.src[0]) & (sizeof(T) * 8 - 1));
  const T old = read_scalar<T>(wave, i.dst[0]);
  write_scalar<T>(wave, i.dst[0], value ? old | bit : old & ~bit);
}

template <typename T>
void move_if_scc(Wave& wave, const Instruction& i) {
  if (wave.scc) write_scalar<T>(wave, i.dst[0], read_scalar<T>(wave, i.src[0]));
}

// The 32-bit forms, of RDNA, leave EXEC_HI alone.
template <typename T>
T exec_of(const Wave& wave) {
  return static_cast<T>(wave.exec());
}
template <typename T>
void set_exec_of(Wave& wave, T exec) {
  std::memcpy(&wave.sgpr[kExec], &exec, sizeof exec);
}

template <typename T, auto Function>
void save_exec(Wave& wave, const Instruction& i) {
  const T source = read_scalar<T>(wave, i.src[0]), old = exec_of<T>(wave);
  write_scalar<T>(wave, i.dst[0], old);
  const T exec = Function(source, old);
  set_exec_of<T>(wave, exec);
  wave.scc = exec != 0;
}

template <typename T, auto Function>
void write_exec(Wave& wave, const Instruction& i) {
  const T exec = Function(read_scalar<T>(wave, i.src[0]), exec_of<T>(wave));
  set_exec_of<T>(wave, exec);
  write_scalar<T>(wave, i.dst[0], exec);
  wave.scc = exec != 0;
}

// Scalar registers relative to M0. The existing registers end before vcc.
template <typename T>
unsigned relative_index(const Wave& wave, const Operand& base) {
  const uint64_t index = uint64_t{base.index} + wave.sgpr[kM0];
  if (index + sizeof(T) / 4 > 102 || index % (sizeof(T) / 4) != 0) {
    raise_unsupported("relative scalar register s" + std::to_string(index) + " does not exist (m0 is " +
                      std::to_string(wave.sgpr[kM0]) + ")");
  }
  return static_cast<unsigned>(index);
}

template <typename T>
void move_from_relative(Wave& wave, const Instruction& i) {
  Operand source = i.src[0];
  source.index = static_cast<uint16_t>(relative_index<T>(wave, source));
  write_scalar<T>(wave, i.dst[0], read_scalar<T>(wave, source));
}

template <typename T>
void move_to_relative(Wave& wave, const Instruction& i) {
  Operand target = i.dst[0];
  target.index = static_cast<uint16_t>(relative_index<T>(wave, target));
  write_scalar<T>(wave, target, read_scalar<T>(wave, i.src[0]));
}

using u32 = uint32_t;
using u64 = uint64_t;

constexpr ExecuteFn find_sop1(Op op) {
  switch (op) {
    case Op::s_mov_b32:
      return unary<u32, u32, [](u32 x) { return x; }, Scc::kKept>;
    case Op::s_mov_b64:
      return unary<u64, u64, [](u64 x) { return x; }, Scc::kKept>;
    case Op::s_cmov_b32:
      return move_if_scc<u32>;
    case Op::s_cmov_b64:
      return move_if_scc<u64>;
    case Op::s_not_b32:
      return unary<u32, u32, [](u32 x) { return ~x; }, Scc::kNonZero>;
    case Op::s_not_b64:
      return unary<u64, u64, [](u64 x) { return ~x; }, Scc::kNonZero>;
    case Op::s_wqm_b32:
      return unary<u32, u32, whole_quads<u32>, Scc::kNonZero>;
    case Op::s_wqm_b64:
      return unary<u64, u64, whole_quads<u64>, Scc::kNonZero>;
    case Op::s_quadmask_b32:
      return unary<u32, u32, quad_mask<u32>, Scc::kNonZero>;
    case Op::s_quadmask_b64:
      return unary<u64, u64, quad_mask<u64>, Scc::kNonZero>;
    case Op::s_brev_b32:
      return unary<u32, u32, reverse_bits<u32>, Scc::kKept>;
    case Op::s_brev_b64:
      return unary<u64, u64, reverse_bits<u64>, Scc::kKept>;
    case Op::s_bcnt0_i32_b32:
      return unary<u32, u32, [](u32 x) { return u32(__builtin_popcount(~x)); }, Scc::kNonZero>;
    case Op::s_bcnt0_i32_b64:
      return unary<u32, u64, [](u64 x) { return u32(__builtin_popcountll(~x)); }, Scc::kNonZero>;
    case Op::s_bcnt1_i32_b32:
      return unary<u32, u32, [](u32 x) { return u32(__builtin_popcount(x)); }, Scc::kNonZero>;
    case Op::s_bcnt1_i32_b64:
      return unary<u32, u64, [](u64 x) { return u32(__builtin_popcountll(x)); }, Scc::kNonZero>;
    case Op::s_ff0_i32_b32:
      return unary<u32, u32, [](u32 x) { return first_one<u32>(~x); }, Scc::kKept>;
    case Op::s_ff0_i32_b64:
      return unary<u32, u64, [](u64 x) { return first_one<u64>(~x); }, Scc::kKept>;
    case Op::s_ff1_i32_b32:
      return unary<u32, u32, first_one<u32>, Scc::kKept>;
    case Op::s_ff1_i32_b64:
      return unary<u32, u64, first_one<u64>, Scc::kKept>;
    case Op::s_flbit_i32_b32:
      return unary<u32, u32, leading_zeros<u32>, Scc::kKept>;
    case Op::s_flbit_i32_b64:
      return unary<u32, u64, leading_zeros<u64>, Scc::kKept>;
    case Op::s_flbit_i32:
      return unary<u32, u32, leading_sign_bits<u32>, Scc::kKept>;
    case Op::s_flbit_i32_i64:
      return unary<u32, u64, leading_sign_bits<u64>, Scc::kKept>;
    case Op::s_sext_i32_i8:
      return unary<u32, u32, [](u32 x) { return u32(int32_t(int8_t(x))); }, Scc::kKept>;
    case Op::s_sext_i32_i16:
      return unary<u32, u32, [](u32 x) { return u32(int32_t(int16_t(x))); }, Scc::kKept>;
    case Op::s_abs_i32:
      return unary<u32, u32, [](u32 x) { return (x >> 31) ? 0u - x : x; }, Scc::kNonZero>;
    case Op::s_bitreplicate_b64_b32:
      return unary<u64, u32, replicate_bits, Scc::kKept>;
    case Op::s_bitset0_b32:
      return set_bit<u32, false>;
    case Op::s_bitset0_b64:
      return set_bit<u64, false>;
    case Op::s_bitset1_b32:
      return set_bit<u32, true>;
    case Op::s_bitset1_b64:
      return set_bit<u64, true>;
    case Op::s_and_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return s & exec; }>;
    case Op::s_and_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return s & exec; }>;
    case Op::s_or_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return s | exec; }>;
    case Op::s_or_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return s | exec; }>;
    case Op::s_xor_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return s ^ exec; }>;
    case Op::s_xor_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return s ^ exec; }>;
    case Op::s_andn2_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return s & ~exec; }>;
    case Op::s_andn2_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return s & ~exec; }>;
    case Op::s_orn2_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return s | ~exec; }>;
    case Op::s_orn2_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return s | ~exec; }>;
    case Op::s_nand_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return ~(s & exec); }>;
    case Op::s_nand_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return ~(s & exec); }>;
    case Op::s_nor_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return ~(s | exec); }>;
    case Op::s_nor_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return ~(s | exec); }>;
    case Op::s_xnor_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return ~(s ^ exec); }>;
    case Op::s_xnor_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return ~(s ^ exec); }>;
    case Op::s_andn1_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return ~s & exec; }>;
    case Op::s_andn1_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return ~s & exec; }>;
    case Op::s_orn1_saveexec_b32:
      return save_exec<u32, [](u32 s, u32 exec) { return ~s | exec; }>;
    case Op::s_orn1_saveexec_b64:
      return save_exec<u64, [](u64 s, u64 exec) { return ~s | exec; }>;
    case Op::s_andn1_wrexec_b32:
      return write_exec<u32, [](u32 s, u32 exec) { return ~s & exec; }>;
    case Op::s_andn1_wrexec_b64:
      return write_exec<u64, [](u64 s, u64 exec) { return ~s & exec; }>;
    case Op::s_andn2_wrexec_b32:
      return write_exec<u32, [](u32 s, u32 exec) { return s & ~exec; }>;
    case Op::s_andn2_wrexec_b64:
      return write_exec<u64, [](u64 s, u64 exec) { return s & ~exec; }>;
    case Op::s_movrels_b32:
      return move_from_relative<u32>;
    case Op::s_movrels_b64:
      return move_from_relative<u64>;
    case Op::s_movreld_b32:
      return move_to_relative<u32>;
    case Op::s_movreld_b64:
      return move_to_relative<u64>;
    default:
      return nullptr;
  }
}

}  // namespace

ExecuteFn select_sop1(Op op) {
  return find_sop1(op);
}
KERNLOOP_NAME_SCALARS(sop1, find_sop1)

}  // namespace kernloop::softgpu
