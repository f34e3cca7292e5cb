// Random instruction words, half of them shaped like an encoding so that they are accepted often enough to be a test.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string_view>

#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

struct EncodingShape {
  const char* name;
  uint32_t prefix;
  unsigned opcode_low;    // position of the opcode field
  unsigned opcode_width;  // gfx1030 MTBUF: its highest bit is in the second dword
  unsigned prefix_bits;   // fixed high bits
};
// Encodings of gfx90a and gfx942, of gfx1030 and of gfx1100.
inline constexpr EncodingShape kShapes[3][17] = {
    {{"SOP1", 0xbe800000, 8, 8, 9},
     {"SOP2", 0x80000000, 23, 7, 2},
     {"SOPK", 0xb0000000, 23, 5, 4},
     {"SOPC", 0xbf000000, 16, 7, 9},
     {"SOPP", 0xbf800000, 16, 7, 9},
     {"SMEM", 0xc0000000, 18, 8, 6},
     {"VOP1", 0x7e000000, 9, 8, 7},
     {"VOP2", 0x00000000, 25, 6, 1},
     {"VOPC", 0x7c000000, 17, 8, 7},
     {"VOP3", 0xd0000000, 16, 10, 6},
     {"VOP3P", 0xd3800000, 16, 7, 9},
     {"DS", 0xd8000000, 17, 8, 6},
     {"FLAT", 0xdc000000, 18, 7, 6},
     {"SCRATCH", 0xdc004000, 18, 7, 6},
     {"GLOBAL", 0xdc008000, 18, 7, 6},
     {"MUBUF", 0xe0000000, 18, 7, 6},
     {"MTBUF", 0xe8000000, 15, 4, 6}},
    {{"SOP1", 0xbe800000, 8, 8, 9},
     {"SOP2", 0x80000000, 23, 7, 2},
     {"SOPK", 0xb0000000, 23, 5, 4},
     {"SOPC", 0xbf000000, 16, 7, 9},
     {"SOPP", 0xbf800000, 16, 7, 9},
     {"SMEM", 0xf4000000, 18, 8, 6},
     {"VOP1", 0x7e000000, 9, 8, 7},
     {"VOP2", 0x00000000, 25, 6, 1},
     {"VOPC", 0x7c000000, 17, 8, 7},
     {"VOP3", 0xd4000000, 16, 10, 6},
     {"VOP3P", 0xcc000000, 16, 7, 9},
     {"DS", 0xd8000000, 18, 8, 6},
     {"FLAT", 0xdc000000, 18, 7, 6},
     {"SCRATCH", 0xdc004000, 18, 7, 6},
     {"GLOBAL", 0xdc008000, 18, 7, 6},
     {"MUBUF", 0xe0000000, 18, 8, 6},
     {"MTBUF", 0xe8000000, 16, 4, 6}},
    {{"SOP1", 0xbe800000, 8, 8, 9},
     {"SOP2", 0x80000000, 23, 7, 2},
     {"SOPK", 0xb0000000, 23, 5, 4},
     {"SOPC", 0xbf000000, 16, 7, 9},
     {"SOPP", 0xbf800000, 16, 7, 9},
     {"SMEM", 0xf4000000, 18, 8, 6},
     {"VOP1", 0x7e000000, 9, 8, 7},
     {"VOP2", 0x00000000, 25, 6, 1},
     {"VOPC", 0x7c000000, 17, 8, 7},
     {"VOP3", 0xd4000000, 16, 10, 6},
     {"VOP3P", 0xcc000000, 16, 7, 9},
     {"DS", 0xd8000000, 18, 8, 6},
     {"FLAT", 0xdc000000, 18, 7, 6},
     {"SCRATCH", 0xdc010000, 18, 7, 6},
     {"GLOBAL", 0xdc020000, 18, 7, 6},
     {"MUBUF", 0xe0000000, 18, 8, 6},
     {"MTBUF", 0xe8000000, 15, 4, 6}},
};

class WordGenerator {
 public:
  WordGenerator(Isa isa, uint64_t seed) : isa_(isa), random_(seed) {}

  const auto& shapes() const { return kShapes[isa_ == Isa::kGfx1100 ? 2 : isa_ == Isa::kGfx1030 ? 1 : 0]; }

  Words uniform() { return {word(), word(), word()}; }
  Words shaped() {
    if (isa_ == Isa::kGfx1100 && chance(6)) return dual();
    const EncodingShape& shape = shapes()[below(std::size(shapes()))];
    return shaped(shape, below(1u << shape.opcode_width));
  }
  Words shaped(const EncodingShape& shape, unsigned opcode);

 private:
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  unsigned below(size_t limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint32_t sparse() { return word() & word() & word(); }
  unsigned source();
  Words dual();
  void shape_gfx1100(std::string_view name, uint32_t& w0, uint32_t& w1);

  Isa isa_;
  std::mt19937_64 random_;
};

}  // namespace kernloop::softgpu::testing
