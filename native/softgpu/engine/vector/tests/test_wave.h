// A wave of one's own to execute vector instructions on, and a builder for decoded instructions.
// Every run executes all builds of the semantics that this host can run, and insists that they leave the same state.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu::vector {

inline Operand vgpr(unsigned index, unsigned dwords = 1) {
  Operand o;
  o.kind = Operand::Kind::kVgpr;
  o.index = static_cast<uint16_t>(index);
  o.dwords = static_cast<uint8_t>(dwords);
  return o;
}
inline Operand agpr(unsigned index, unsigned dwords = 1) {
  Operand o = vgpr(index, dwords);
  o.kind = Operand::Kind::kAgpr;
  return o;
}
inline Operand sgpr(unsigned index, unsigned dwords = 1) {
  Operand o = vgpr(index, dwords);
  o.kind = Operand::Kind::kSgpr;
  return o;
}
inline Operand constant(uint64_t value) {
  Operand o;
  o.kind = Operand::Kind::kConstant;
  o.value = value;
  return o;
}
inline Operand negated(Operand o) {
  o.negate = true;
  return o;
}
inline Operand absolute(Operand o) {
  o.absolute = true;
  return o;
}
inline Operand selected(Operand o, unsigned select, bool sign_extend = false) {
  o.sdwa_select = static_cast<uint8_t>(select);
  o.sign_extend = sign_extend;
  return o;
}

inline Instruction make(Op op, std::initializer_list<Operand> dst, std::initializer_list<Operand> src,
                        Encoding encoding = Encoding::kVop3) {
  Instruction i;
  i.op = op;
  i.encoding = encoding;
  i.size_bytes = 8;
  for (const Operand& o : dst) i.dst[i.dst_count++] = o;
  for (const Operand& o : src) i.src[i.src_count++] = o;
  return i;
}

class TestWave {
 public:
  TestWave() : registers_(std::make_unique<Registers>()) {
    wave.vgpr = registers_->vgpr;
    wave.agpr = registers_->agpr;
    wave.set_exec(~0ull);
  }

  Wave wave;

  uint32_t* lane(unsigned r) { return wave.vgpr[r]; }
  void fill(unsigned r, uint32_t value) {
    for (unsigned l = 0; l < kLanes; ++l) wave.vgpr[r][l] = value;
  }
  void fill64(unsigned r, uint64_t value) {
    fill(r, static_cast<uint32_t>(value));
    fill(r + 1, static_cast<uint32_t>(value >> 32));
  }
  void set64(unsigned r, unsigned l, uint64_t value) {
    wave.vgpr[r][l] = static_cast<uint32_t>(value);
    wave.vgpr[r + 1][l] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t get64(unsigned r, unsigned l) const {
    return wave.vgpr[r][l] | static_cast<uint64_t>(wave.vgpr[r + 1][l]) << 32;
  }

  // Registers with values that differ in every lane, so that a write to the wrong place shows.
  void scribble() {
    uint32_t x = 0x12345678;
    for (auto* file : {wave.vgpr, wave.agpr}) {
      for (unsigned r = 0; r < 256; ++r) {
        for (unsigned l = 0; l < kLanes; ++l) file[r][l] = x = x * 1664525u + 1013904223u;
      }
    }
  }

  bool supports(const Instruction& i) const { return baseline::select(i) != nullptr; }

  // False when the instruction is refused.
  [[nodiscard]] bool run(const Instruction& i) {
    static const std::vector<Select> builds = runnable_builds();
    const ExecuteFn first = builds.front()(i);
    for (const Select select : builds) EXPECT_EQ(first == nullptr, select(i) == nullptr);
    if (!first) return false;
    const auto before = std::make_unique<Registers>(*registers_);
    const Wave start = wave;
    first(wave, i);
    const auto after = std::make_unique<Registers>(*registers_);
    const Wave end = wave;
    for (size_t k = 1; k < builds.size(); ++k) {
      *registers_ = *before;
      wave = start;
      builds[k](i)(wave, i);
      EXPECT_EQ(0, std::memcmp(registers_.get(), after.get(), sizeof(Registers))) << "build " << k << " differs";
      EXPECT_EQ(0, std::memcmp(wave.sgpr, end.sgpr, sizeof wave.sgpr)) << "build " << k << " differs";
    }
    return true;
  }

 private:
  struct Registers {
    alignas(64) VectorRegister vgpr[256] = {};
    alignas(64) VectorRegister agpr[256] = {};
  };
  std::unique_ptr<Registers> registers_;
};

inline uint32_t fbits(float v) {
  return __builtin_bit_cast(uint32_t, v);
}
inline uint64_t dbits(double v) {
  return __builtin_bit_cast(uint64_t, v);
}
inline float as_f32(uint32_t v) {
  return __builtin_bit_cast(float, v);
}
inline double as_f64(uint64_t v) {
  return __builtin_bit_cast(double, v);
}

}  // namespace kernloop::softgpu::vector
