#include "softgpu/isa/testing/word_generator.h"

#include <string_view>

namespace kernloop::softgpu::testing {

// A 9-bit source: scalar registers, constants, even and odd vector registers.
unsigned WordGenerator::source() {
  switch (below(6)) {
    case 0:
      return below(128);
    case 1:
      return 128 + below(128);
    case 2:
      return 256 + below(256);
    case 3:
      return 2 * below(50);
    default:
      return 256 + 2 * below(100);
  }
}

Words WordGenerator::shaped(const EncodingShape& shape, unsigned opcode) {
  const std::string_view name = shape.name;
  const bool split_opcode = name == "MTBUF" && isa_ == Isa::kGfx1030;
  const unsigned field = (1u << (shape.opcode_width - split_opcode)) - 1;
  const uint32_t opcode_mask = field << shape.opcode_low;
  const uint32_t prefix_mask = ~0u << (32 - shape.prefix_bits);
  uint32_t free = ~(opcode_mask | prefix_mask);
  const bool flat = name == "FLAT" || name == "SCRATCH" || name == "GLOBAL";
  if (flat) free &= isa_ == Isa::kGfx1100 ? ~0x30000u : ~0xc000u;  // the segment

  uint32_t w0 = (chance(40) ? word() : sparse()) & free;
  uint32_t w1 = chance(30) ? word() : word() & word();
  if (chance(40)) w1 &= word() & word();
  if (chance(20)) w1 = 0;

  if (name == "VOP3" || name == "VOP3P") {
    if (chance(80)) {
      w1 = source() | source() << 9 | (chance(60) ? source() << 18 : 0) | (chance(30) ? word() & 0xf8000000 : 0);
    }
    if (chance(30)) w1 &= ~(0x1ffu << 9);
    if (chance(50)) w0 &= ~0xff00u;
    if (chance(50)) w0 &= ~1u;
    if (name == "VOP3P" && chance(70)) {
      w0 |= 0x4000;
      w1 |= 0x18000000;
    }
  }
  const bool gfx1030 = isa_ == Isa::kGfx1030, gfx1100 = isa_ == Isa::kGfx1100;
  if (gfx1100) shape_gfx1100(name, w0, w1);
  if (!gfx1100 && flat && chance(60)) {
    if (isa_ != Isa::kGfx942 || name != "SCRATCH") w0 &= ~0x02002000u;  // no scc, no lds; gfx942: sc1, sve
    if (gfx1030) {
      constexpr uint32_t kNull = 0x7d0000;
      w1 &= ~0x800000u;
      if (name == "FLAT" || chance(50)) w1 = (w1 & ~0x7f0000u) | kNull;
      if (name == "FLAT") w0 &= ~0x800u;
    } else {
      w1 = name == "FLAT" ? w1 & ~0x7f0000u : w1 | (chance(50) ? 0x7f0000u : 0);
    }
    if (chance(50)) w1 &= ~0x01000101u;
    if (chance(30)) w1 &= ~0xff000000u;
    if (chance(30)) w1 &= ~0x0000ff00u;
  }
  if (!gfx1100 && (name == "MUBUF" || name == "MTBUF" || name == "DS") && chance(50)) {
    w0 &= name == "MUBUF" ? gfx1030 ? ~0x00020000u : ~0x02008000u : name == "DS" && gfx1030 ? ~0x00010000u : ~0u;
    w1 &= chance(50) ? ~0x01010101u : ~0u;
    if (name != "DS") w1 &= gfx1030 ? chance(50) ? ~0x00800000u : ~0x00a00000u : ~0x00600000u;
    if (chance(40)) w1 &= ~0xffu;
    if (chance(30)) w1 &= ~0xff00u;
  }
  if (!gfx1100 && name == "SMEM" && chance(60)) {
    w0 &= gfx1030 ? ~0x2a003u : ~0xa003u;
    w1 = chance(50) ? word() & 0x1fffff : chance(50) ? below(128) : below(128) << 25 | (word() & 0xfffff);
    if (gfx1030 && chance(50)) w1 = 125u << 25 | (word() & 0x1fffff);
  }
  if (name.starts_with("VOP1") || name.starts_with("VOP2") || name == "VOPC") {
    if (chance(40)) {
      static constexpr uint32_t kSpecial[] = {249, 250, 255, 254, 253, 233, 234};
      const uint32_t source0 = kSpecial[below(std::size(kSpecial))];
      w0 = (w0 & ~0x1ffu) | source0;
      if (source0 == 249 && chance(80)) {
        w1 = (w1 & 0x38bfe0ff) | (chance(50) ? 0x06060600u : word() & 0x06060600u);
        if (name == "VOP1") w1 &= 0x00ffffff;
        if (name == "VOPC" && chance(50)) w1 &= 0xffff00ff;
      }
      if (source0 == 250 && chance(80)) {
        w1 = (w1 & 0x00f800ff) | (word() & 0xff000000) | (chance(50) ? below(256) : 0x100 + below(0x60)) << 8;
        if (chance(60)) w1 &= 0xff0fffff;
      }
    } else if (chance(40)) {
      w0 = (w0 & ~0x1ffu) | source();
    }
    if (chance(40)) w0 &= name == "VOP2" ? ~0x00020201u : ~0x00020001u;
  }
  if (gfx1100 && name.starts_with("VOP3") && chance(25)) {  // with DPP
    static constexpr uint32_t kCodes[] = {233, 234, 250, 250};
    const uint32_t code = kCodes[below(std::size(kCodes))];
    const uint32_t lanes = (word() & 0xff0c00ff) | (chance(50) ? below(256) : 0x100 + below(0x80)) << 8;
    w1 = (w1 & ~0x1ffu) | code;
    if (chance(70)) w1 |= 0x20000;
    return {shape.prefix | (opcode & field) << shape.opcode_low | w0, w1, chance(80) ? lanes : word()};
  }
  static constexpr uint32_t kLiterals[] = {0, 1, 64, 0xffffffff, 0xfffffff0, 0x3f800000, 0x3c00, 0x3e22f983, 0x8001};
  const uint32_t literal = chance(60) ? word() : chance(50) ? word() & 0xffff : kLiterals[below(std::size(kLiterals))];
  if (chance(50) && (w0 & 0x1ff) == 255) w1 = literal;
  if (split_opcode) w1 = (w1 & ~0x200000u) | opcode >> 3 << 21;
  return {shape.prefix | (opcode & field) << shape.opcode_low | w0, w1, literal};
}

void WordGenerator::shape_gfx1100(std::string_view name, uint32_t& w0, uint32_t& w1) {
  constexpr uint32_t kNull = 124;
  const bool flat = name == "FLAT" || name == "SCRATCH" || name == "GLOBAL";
  if (flat && chance(70)) {
    w0 &= ~0x02000000u;
    if (name != "SCRATCH") w1 &= ~0x800000u;
    if (name == "FLAT" || chance(50)) w1 = (w1 & ~0x7f0000u) | kNull << 16;
    if (name == "FLAT") w0 &= ~0x1000u;
    if (chance(30)) w1 &= ~0xff000000u;
    if (chance(30)) w1 &= ~0x0000ff00u;
  }
  if ((name == "MUBUF" || name == "MTBUF" || name == "DS") && chance(60)) {
    w0 &= name == "MUBUF" ? ~0x00038000u : name == "DS" ? ~0x00010000u : ~0u;
    if (name != "DS") w1 &= ~0x00200000u;
    if (chance(40)) w1 &= ~0xffu;
    if (chance(30)) w1 &= ~0xff00u;
  }
  if (name == "SMEM" && chance(70)) {
    w0 &= ~0x38003u;
    w1 = chance(50) ? kNull << 25 | (word() & 0x1fffff) : below(128) << 25 | (chance(50) ? word() & 0xfffff : 0);
  }
}

// VOPD: two opcodes, no other fixed bits than the first six.
Words WordGenerator::dual() {
  const uint32_t x = below(14), y = below(20);
  uint32_t first = 0xc8000000 | x << 22 | y << 17, second = word() & 0xfffe0000;
  first |= source() | below(256) << 9;
  second |= source() | below(256) << 9;
  if (x == 8) first &= ~0x1fe00u;
  if (y == 8) second &= ~0x1fe00u;
  return {first, second, word()};
}

}  // namespace kernloop::softgpu::testing
