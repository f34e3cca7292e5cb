// Random instructions on random registers: all of them execute or fault. They never bring down the process.
#include <array>
#include <random>

#include "softgpu/engine/tests/lone_wave.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu::testing {
namespace {

// The fixed high bits of every encoding's first dword, so that random words are often instructions.
struct Prefix {
  uint32_t bits, mask;
};
constexpr Prefix kPrefixes[] = {
    {0xbe800000, 0xff800000},  // SOP1
    {0x80000000, 0xc0000000},  // SOP2
    {0xb0000000, 0xf0000000},  // SOPK
    {0xbf000000, 0xff800000},  // SOPC
    {0xbf800000, 0xff800000},  // SOPP
    {0xc0000000, 0xfc000000},  // SMEM
    {0x7e000000, 0xfe000000},  // VOP1
    {0x00000000, 0x80000000},  // VOP2
    {0x7c000000, 0xfe000000},  // VOPC
    {0xd0000000, 0xfc000000},  // VOP3
    {0xd3800000, 0xff800000},  // VOP3P
    {0xd8000000, 0xfc000000},  // DS
    {0xdc000000, 0xfc000000},  // FLAT, GLOBAL, SCRATCH
    {0xe0000000, 0xfc000000},  // MUBUF
};

class HostileCode : public LoneWave, public ::testing::Test {};

TEST_F(HostileCode, NeverBringsDownTheProcess) {
  std::mt19937_64 random(20240607);
  Array<uint8_t> data(space, 65536, "data");
  Buffer text(space, 4096, "code", AddressSpace::Access::kRead);
  auto* words = text.as<uint32_t>();
  size_t executed = 0, faulted = 0;
  std::array<size_t, 20> by_encoding = {};
  for (unsigned round = 0; round < 120000; ++round) {
    const Prefix prefix = kPrefixes[round % std::size(kPrefixes)];
    for (unsigned k = 0; k < 4; ++k) words[k] = static_cast<uint32_t>(random());
    words[0] = (words[0] & ~prefix.mask) | prefix.bits;
    if (random() % 2) words[1] &= static_cast<uint32_t>(random() & random());  // reserved bits are more often zero then
    if (random() % 2) words[0] &= static_cast<uint32_t>(random()) | 0xffff00ff;
    if (random() % 2) words[0] &= ~0xc0002000u | prefix.mask;
    words[0] |= prefix.bits;
    const DecodeResult decoded = decode(kGfx90a, std::span<const uint32_t>(words, 4));
    if (decoded.status != DecodeStatus::kOk) continue;
    ++by_encoding[static_cast<size_t>(decoded.instruction.encoding)];
    words[decoded.instruction.size_bytes / 4] = 0xbf810000;  // s_endpgm

    for (uint32_t& s : wave.sgpr) s = static_cast<uint32_t>(random());
    for (unsigned k = 0; k < 100; k += 4) {
      if (random() % 2 == 0) {  // a pointer, or a buffer
        wave.set_sgpr64(k, data.address() + random() % data.size());
        wave.set_sgpr64(k + 2, random() % 4096);
      }
    }
    if (random() % 4) wave.set_sgpr64(kFlatScratch, kScratchWaveBase);
    wave.set_exec(random() % 8 ? random() : 0);
    // Mostly small offsets, some anything.
    auto noise = static_cast<uint32_t>(random());
    for (uint32_t* at = wave.vgpr[0]; at < wave.vgpr[255] + kLanes; ++at) {
      noise = noise * 1664525 + 1013904223;
      *at = noise >> (noise >> 30 == 3 ? 0 : 19);
    }
    wave.mode = Mode{};
    port.emplace(space, nullptr);
    Interpreter interpreter(*port, code);
    wave.memory = &*port;
    wave.state = WaveState::kReady;
    wave.pc = text.address();
    wave.instructions = 0;
    try {
      interpreter.run(wave, 2);
      ++executed;
    } catch (const WaveFault& fault) {
      ASSERT_NE(fault.kind, Fault::Kind::kInternal);
      ++faulted;
    }
    ASSERT_NE(interpreter.describe(text.address()), "");
  }
  EXPECT_GT(executed, 3000u);
  EXPECT_GT(faulted, 1000u);
  for (Encoding encoding : {Encoding::kSop1, Encoding::kSop2, Encoding::kSopK, Encoding::kSopC, Encoding::kSopP,
                            Encoding::kSmem, Encoding::kVop1, Encoding::kVop2, Encoding::kVopC, Encoding::kVop3,
                            Encoding::kDs, Encoding::kGlobal, Encoding::kMubuf}) {
    EXPECT_GT(by_encoding[static_cast<size_t>(encoding)], 20u) << static_cast<int>(encoding);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
