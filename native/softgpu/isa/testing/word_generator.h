// Random instruction words, half of them shaped like an encoding so that they are accepted often enough to be a test.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>

#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

struct EncodingShape {
  const char* name;
  uint32_t prefix;
  unsigned opcode_low;  // position of the opcode field
  unsigned opcode_width;
  unsigned prefix_bits;  // fixed high bits
};
inline constexpr EncodingShape kShapes[] = {
    {"SOP1", 0xbe800000, 8, 8, 9},   {"SOP2", 0x80000000, 23, 7, 2},    {"SOPK", 0xb0000000, 23, 5, 4},
    {"SOPC", 0xbf000000, 16, 7, 9},  {"SOPP", 0xbf800000, 16, 7, 9},    {"SMEM", 0xc0000000, 18, 8, 6},
    {"VOP1", 0x7e000000, 9, 8, 7},   {"VOP2", 0x00000000, 25, 6, 1},    {"VOPC", 0x7c000000, 17, 8, 7},
    {"VOP3", 0xd0000000, 16, 10, 6}, {"VOP3P", 0xd3800000, 16, 7, 9},   {"DS", 0xd8000000, 17, 8, 6},
    {"FLAT", 0xdc000000, 18, 7, 6},  {"SCRATCH", 0xdc004000, 18, 7, 6}, {"GLOBAL", 0xdc008000, 18, 7, 6},
    {"MUBUF", 0xe0000000, 18, 7, 6}, {"MTBUF", 0xe8000000, 15, 4, 6},
};

class WordGenerator {
 public:
  explicit WordGenerator(uint64_t seed) : random_(seed) {}

  Words uniform() { return {word(), word(), word()}; }
  Words shaped() {
    const EncodingShape& shape = kShapes[below(std::size(kShapes))];
    return shaped(shape, below(1u << shape.opcode_width));
  }
  Words shaped(const EncodingShape& shape, unsigned opcode);

 private:
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  unsigned below(size_t limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint32_t sparse() { return word() & word() & word(); }
  unsigned source();

  std::mt19937_64 random_;
};

}  // namespace kernloop::softgpu::testing
