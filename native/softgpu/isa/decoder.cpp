#include "softgpu/isa/decoder.h"

#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

// The encodings of 64 bits that have the same prefix on every target.
DecodeStatus decode_memory_by_prefix(DecodeContext& c, uint32_t prefix) {
  switch (prefix) {
    case 0b110110:
      return decode_ds(c);
    case 0b110111:
      return decode_flat(c);
    case 0b111000:
      return decode_mubuf(c);
    case 0b111010:
      return decode_mtbuf(c);
    default:  // MIMG, EXP, VINTRP: graphics
      return DecodeStatus::kUnknown;
  }
}

DecodeStatus decode_64_bits_gfx90a(DecodeContext& c, uint32_t w) {
  switch (bits(w, 31, 26)) {
    case 0b110000:
      return decode_smem(c);
    case 0b110100:
      return bits(w, 25, 23) == 7 ? decode_vop3p(c) : decode_vop3(c);
    default:
      return decode_memory_by_prefix(c, bits(w, 31, 26));
  }
}

DecodeStatus decode_64_bits_gfx1030(DecodeContext& c, uint32_t w) {
  switch (bits(w, 31, 26)) {
    case 0b110011:
      return bits(w, 25, 23) == 0 ? decode_vop3p(c) : DecodeStatus::kUnknown;
    case 0b110101:
      return decode_vop3(c);
    case 0b111101:
      return decode_smem(c);
    default:
      return decode_memory_by_prefix(c, bits(w, 31, 26));
  }
}

// VINTERP, LDSDIR, MIMG and EXP are graphics.
DecodeStatus decode_64_bits_gfx1100(DecodeContext& c, uint32_t w) {
  switch (bits(w, 31, 26)) {
    case 0b110011:
      return bits(w, 25, 23) == 0 ? decode_vop3p(c) : DecodeStatus::kUnknown;
    case 0b110010:
      return decode_vopd(c);
    case 0b110101:
      return decode_vop3(c);
    case 0b111101:
      return decode_smem(c);
    case 0b110110:
      return decode_ds(c);
    case 0b110111:
      return decode_flat_gfx1100(c);
    case 0b111000:
      return decode_mubuf_gfx1100(c);
    case 0b111010:
      return decode_mtbuf_gfx1100(c);
    default:
      return DecodeStatus::kUnknown;
  }
}

DecodeStatus decode_by_prefix(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!bit(w, 31)) {
    switch (bits(w, 30, 25)) {
      case 0x3e:
        return decode_vopc(c);
      case 0x3f:
        return decode_vop1(c);
      default:
        return decode_vop2(c);
    }
  }
  if (!bit(w, 30)) {
    switch (bits(w, 29, 23)) {
      case 0x7d:
        return decode_sop1(c);
      case 0x7e:
        return decode_sopc(c);
      case 0x7f:
        return decode_sopp(c);
      default:
        return bits(w, 29, 28) == 3 ? decode_sopk(c) : decode_sop2(c);
    }
  }
  if (c.is_gfx1100()) return decode_64_bits_gfx1100(c, w);
  return c.is_gfx1030() ? decode_64_bits_gfx1030(c, w) : decode_64_bits_gfx90a(c, w);
}

}  // namespace

DecodeResult decode(Target target, std::span<const uint32_t> words) {
  DecodeResult result{DecodeStatus::kTruncated, {}};
  if (words.empty()) return result;
  DecodeContext context(target, words);
  result.status = decode_by_prefix(context);
  if (result.status == DecodeStatus::kOk) result.instruction = context.instruction;
  return result;
}

}  // namespace kernloop::softgpu
