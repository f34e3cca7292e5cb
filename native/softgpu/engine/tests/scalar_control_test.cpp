// Scalar operands, program flow, MODE, relative registers and scalar memory.
#include <set>

#include "softgpu/engine/tests/scalar_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

TEST_F(Scalars, ReadConstantsAndSpecialSources) {
  run("literal_source");
  EXPECT_EQ(wave.sgpr64(4), 0x80000001u) << "a literal of a b64 operand is zero-extended";
  run("negative_source");
  EXPECT_EQ(wave.sgpr64(4), u64(-5));
  wave.set_exec(0xff00ff00ff00ff00);
  wave.set_sgpr64(0, 0x0ff00ff00ff00ff0);
  run("exec_source");
  EXPECT_EQ(wave.sgpr64(4), 0x0f000f000f000f00u);
  for (bool scc : {false, true}) {
    wave.scc = scc;
    run("scc_source");
    EXPECT_EQ(wave.sgpr[4], u32{scc});
  }
  for (u64 vcc : {u64{0}, u64{1} << 40}) {
    wave.set_vcc(vcc);
    run("vccz_source");
    EXPECT_EQ(wave.sgpr[4], u32{vcc == 0});
  }
  wave.set_exec(0);
  run("execz_source");
  EXPECT_EQ(wave.sgpr[4], 1u);
  run("shared_base_source");
  EXPECT_EQ(wave.sgpr64(4), kSharedApertureBase);
  run("private_limit_source");
  EXPECT_EQ(wave.sgpr64(4), kPrivateApertureBase + 0xffffffff);
}

TEST_F(Scalars, CallReturnAndLoop) {
  wave.sgpr[4] = 5;
  run("call_and_return");
  EXPECT_EQ(wave.sgpr[5], 106u);
  EXPECT_EQ(wave.sgpr[4], 7u);
  wave.sgpr[0] = 10;
  run("count_down");
  EXPECT_EQ(wave.sgpr[4], 55u);
  EXPECT_EQ(counters.branches, 10u);
  EXPECT_EQ(counters.wave_instructions, 1 + 10 * 4 + 1u);
  EXPECT_EQ(fault_kind("jump_misaligned"), Fault::Kind::kMisaligned);
}

TEST_F(Scalars, ReadAndWriteTheModeRegister) {
  wave.mode = Mode{};
  run("read_mode");
  EXPECT_EQ(wave.sgpr[4], 0x3f0u);
  run("write_denormals");
  EXPECT_EQ(wave.mode.denorm_f32, 0);
  EXPECT_EQ(wave.mode.denorm_f64_f16, 3);
  wave.sgpr[0] = 0xfffffff6;  // only the field's 4 bits count
  run("write_rounding");
  EXPECT_EQ(wave.mode.round_f32, 2);
  EXPECT_EQ(wave.mode.round_f64_f16, 1);
  run("read_mode_field");
  EXPECT_EQ(wave.sgpr[4], 0xcu);
  EXPECT_TRUE(wave.mode.ieee);
  EXPECT_EQ(fault_kind("write_exceptions"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("write_trap_status"), Fault::Kind::kUnsupportedInstruction);
  run("read_bases");
  EXPECT_EQ(u64{wave.sgpr[4]} << 48, kSharedApertureBase);
}

// HIP's __smid() reads it: a kernel that finds it 0 everywhere knows that it is alone.
TEST_F(Scalars, AreOnOneComputeUnitUnlessTheMachineIsInUse) {
  const auto place = [&](uint32_t seed, uint64_t ordinal, uint32_t index) {
    workgroup.ordinal = ordinal;
    wave.index_in_workgroup = index;
    wave.clock = seed == 0 ? WaveClock{} : WaveClock::of_machine_in_use(seed, ordinal, index);
    run("read_hardware_id");
    return wave.sgpr[4];
  };
  const auto unit = [](uint32_t id) { return id & 0xff00; };
  EXPECT_EQ(place(0, 5, 3), 3u);
  std::set<uint32_t> units;
  for (uint64_t ordinal = 0; ordinal < 200; ++ordinal) {
    const uint32_t first = place(7, ordinal, 0), second = place(7, ordinal, 1);
    ASSERT_EQ(unit(first), unit(second)) << "waves of a workgroup share their compute unit";
    ASSERT_NE(first, second) << "and no slot of it";
    ASSERT_EQ(place(7, ordinal, 0), first) << "the seed decides";
    ASSERT_LT(first >> 8 & 0xf, 13u);
    units.insert(unit(first));
  }
  EXPECT_GT(units.size(), 60u);
  EXPECT_NE(unit(place(7, 0, 0)) | unit(place(7, 1, 0)) << 16, unit(place(8, 0, 0)) | unit(place(8, 1, 0)) << 16);
}

TEST_F(Scalars, RefuseWhatThisDeviceDoesNotDo) {
  run("sendmsg_interrupt");
  run("debug_trap");
  EXPECT_EQ(fault_kind("sendmsg_gs"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("store_scalar"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Scalars, MoveRegistersRelativeToM0) {
  for (unsigned k = 0; k < 102; ++k) wave.sgpr[k] = 1000 + k;
  wave.sgpr[kM0] = 50;
  run("s_movrels_b32");
  EXPECT_EQ(wave.sgpr[4], 1050u);
  run("s_movreld_b32");
  EXPECT_EQ(wave.sgpr[54], 1000u);
  wave.sgpr[kM0] = 60;
  run("s_movrels_b64");
  EXPECT_EQ(wave.sgpr64(4), 1061ull << 32 | 1060);
  wave.sgpr[kM0] = 200;
  EXPECT_EQ(fault_kind("s_movrels_b32"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Scalars, IndexVectorRegisters) {
  for (unsigned row = 0; row < 256; ++row) std::fill_n(wave.vgpr[row], kLanes, row);
  wave.sgpr[0] = 0xabcd0005;  // bits 7:0 are the index
  run("index_source");
  EXPECT_EQ(wave.vgpr[1][7], 13u);
  EXPECT_EQ(wave.vgpr[2][7], 8u) << "off again";
  wave.sgpr[0] = 20;
  wave.set_exec(2);
  run("index_destination");
  EXPECT_EQ(wave.vgpr[28][1], 13u);
  EXPECT_EQ(wave.vgpr[28][0], 28u) << "lane 0 is not active";
  wave.sgpr[0] = 250;
  EXPECT_EQ(fault_kind("index_source"), Fault::Kind::kUnsupportedInstruction);
  wave.sgpr[0] = 1;
  EXPECT_EQ(fault_kind("index_unsupported"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Scalars, LoadThroughTheScalarCache) {
  Array<u32> data(space, 64);
  for (u32 k = 0; k < 64; ++k) data[k] = 100 + k;
  wave.set_sgpr64(0, data.address() + 2);  // the two lowest bits are ignored
  run("s_load_dword");
  EXPECT_EQ(wave.sgpr[4], 100u);
  wave.set_sgpr64(0, data.address());
  run("s_load_dwordx4");
  EXPECT_EQ(wave.sgpr[4], 102u);
  EXPECT_EQ(wave.sgpr[7], 105u);
  run("s_load_dwordx16");
  EXPECT_EQ(wave.sgpr[16], 100u);
  EXPECT_EQ(wave.sgpr[31], 115u);
  wave.sgpr[2] = 40;
  run("s_load_soffset");
  EXPECT_EQ(wave.sgpr[4], 110u);
  EXPECT_EQ(fault_kind("s_load_negative"), Fault::Kind::kMemoryAccess);
  wave.set_sgpr64(0, data.address() + 8);
  run("s_load_negative");
  EXPECT_EQ(wave.sgpr[4], 101u);
  wave.set_sgpr64(0, data.address() + 64 * 4 - 60);
  EXPECT_EQ(fault_kind("s_load_dwordx16"), Fault::Kind::kMemoryAccess);
}

TEST_F(Scalars, ReadZeroPastTheEndOfABuffer) {
  Array<u32> data(space, 64);
  for (u32 k = 0; k < 64; ++k) data[k] = 100 + k;
  wave.set_sgpr64(4, data.address());
  wave.sgpr[6] = 16;  // bytes
  wave.sgpr[7] = 0;
  run("s_buffer_load_dwordx4");
  EXPECT_EQ(wave.sgpr[16], 102u);
  EXPECT_EQ(wave.sgpr[17], 103u);
  EXPECT_EQ(wave.sgpr[18], 0u);
  EXPECT_EQ(wave.sgpr[19], 0u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
