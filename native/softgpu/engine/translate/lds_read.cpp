#include "softgpu/engine/translate/lds_read.h"

#include <algorithm>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

constexpr unsigned kRegistersOfFile = 256;

LdsRead one(const Instruction& i, unsigned bytes, bool is_signed = false) {
  return {bytes, is_signed, 1, {static_cast<uint32_t>(i.offset), 0}};
}
LdsRead two(const Instruction& i, unsigned bytes, unsigned scale) {
  return {bytes, false, 2, {i.offset0 * bytes * scale, i.offset1 * bytes * scale}};
}

std::optional<LdsRead> read_of(const Instruction& i) {
  switch (i.op) {
    case Op::ds_read_u8:
      return one(i, 1);
    case Op::ds_read_i8:
      return one(i, 1, true);
    case Op::ds_read_u16:
      return one(i, 2);
    case Op::ds_read_i16:
      return one(i, 2, true);
    case Op::ds_read_b32:
      return one(i, 4);
    case Op::ds_read_b64:
      return one(i, 8);
    case Op::ds_read_b96:
      return one(i, 12);
    case Op::ds_read_b128:
      return one(i, 16);
    case Op::ds_read2_b32:
      return two(i, 4, 1);
    case Op::ds_read2_b64:
      return two(i, 8, 1);
    case Op::ds_read2st64_b32:
      return two(i, 4, 64);
    case Op::ds_read2st64_b64:
      return two(i, 8, 64);
    default:
      return std::nullopt;
  }
}

bool is_register(const Operand& operand, unsigned dwords) {
  return (operand.kind == Operand::Kind::kVgpr || operand.kind == Operand::Kind::kAgpr) &&
         operand.index + dwords <= kRegistersOfFile;
}

}  // namespace

uint32_t LdsRead::reach() const {
  return (addresses == 2 ? std::max(offsets[0], offsets[1]) : offsets[0]) + bytes;
}

std::optional<LdsRead> lds_read_of(const DecodedInstruction& decoded) {
  if (decoded.encoding != Encoding::kDs || decoded.gds || decoded.equivalent || decoded.untracked) return std::nullopt;
  if (decoded.keeps != Keeps::kNothing || !decoded.execute || decoded.execute != select_memory(decoded))
    return std::nullopt;
  const std::optional<LdsRead> read = read_of(decoded);
  if (!read || decoded.dst_count != 1 || !is_register(decoded.src[0], 1) ||
      !is_register(decoded.dst[0], read->dwords() * read->addresses))
    return std::nullopt;
  return read;
}

}  // namespace kernloop::softgpu
