// The parts that need no wave: address space, access recorder, permutation, kernel descriptor.
#include <gtest/gtest.h>

#include <array>

#include <algorithm>
#include <numeric>
#include <thread>

#include "softgpu/engine/code/kernel_descriptor.h"
#include "softgpu/engine/observe/access_recorder.h"
#include "softgpu/engine/wave/permutation.h"

namespace kernloop::softgpu {
namespace {

using Access = AddressSpace::Access;

std::vector<std::string> listing(const AddressSpace& space) {
  std::vector<std::string> out;
  const auto snapshot = space.snapshot();
  for (const auto& m : *snapshot) out.push_back(m.label + ":" + std::to_string(m.base) + "+" + std::to_string(m.size));
  return out;
}

TEST(AddressSpaces, ANewMappingReplacesWhatItOverlaps) {
  AddressSpace space;
  space.map(100, 100, Access::kReadWrite, "a");
  space.map(300, 100, Access::kReadWrite, "b");
  space.map(150, 200, Access::kRead, "c");
  EXPECT_EQ(listing(space), (std::vector<std::string>{"a:100+50", "c:150+200", "b:350+50"}));
  space.map(160, 10, Access::kRead, "d");
  EXPECT_EQ(listing(space), (std::vector<std::string>{"a:100+50", "c:150+10", "d:160+10", "c:170+180", "b:350+50"}));
}

TEST(AddressSpaces, UnmappingCutsAndSnapshotsStay) {
  AddressSpace space;
  space.map(0x1000, 0x3000, Access::kReadWrite, "a");
  const auto before = space.snapshot();
  space.unmap(0x2000, 0x1000);
  EXPECT_EQ(listing(space), (std::vector<std::string>{"a:4096+4096", "a:12288+4096"}));
  EXPECT_EQ(before->size(), 1u);
  space.unmap(0, ~uint64_t{0});
  EXPECT_TRUE(space.snapshot()->empty());
  space.map(~uint64_t{0} - 10, 100, Access::kRead, "wraps");
  space.map(5, 0, Access::kRead, "empty");
  EXPECT_TRUE(space.snapshot()->empty());
}

TEST(AccessRecorders, MergeRangesAcrossWordsPagesAndRecorders) {
  AccessRecorder a, b;
  a.read(4096 - 3, 3, 0);
  b.read(4096, 200, 0);
  b.read(10000, 1, 0);
  a.read(10002, 62, 0);
  a.read(10001, 1, 0);
  a.written(64, 64, 0);
  a.written(128, 1, 0);
  a.written(63, 1, 0);
  const AccessSets sets = AccessRecorder::merge({&a, &b});
  ASSERT_EQ(sets.reads.size(), 2u);
  EXPECT_EQ(sets.reads[0].base, 4093u);
  EXPECT_EQ(sets.reads[0].size, 203u);
  EXPECT_EQ(sets.reads[1].base, 10000u);
  EXPECT_EQ(sets.reads[1].size, 64u);
  ASSERT_EQ(sets.writes.size(), 1u);
  EXPECT_EQ(sets.writes[0].base, 63u);
  EXPECT_EQ(sets.writes[0].size, 66u);
}

TEST(AccessRecorders, TellByPageWhichLaneAccessesWhat) {
  const auto pages = [](const std::vector<std::array<uint64_t, 3>>& accesses) {
    AccessRecorder recorder;
    for (const auto& [wave, lane, address] : accesses) {
      recorder.begin_wave(wave);
      recorder.read(address, 4, static_cast<unsigned>(lane));
    }
    std::vector<uint64_t> by_lane;
    for (const AccessSets::Page& page : AccessRecorder::merge({&recorder}).pages) by_lane.push_back(page.by_lane);
    return by_lane;
  };
  const auto usual = pages({{0, 0, 64}, {0, 1, 128}, {1, 0, 8192}});
  ASSERT_EQ(usual.size(), 2u);
  EXPECT_EQ(pages({{1, 0, 8192}, {0, 1, 128}, {0, 0, 64}}), usual) << "in another order";
  const auto exchanged = pages({{0, 1, 64}, {0, 0, 128}, {1, 0, 8192}});
  EXPECT_NE(exchanged[0], usual[0]) << "lanes have exchanged places";
  EXPECT_EQ(exchanged[1], usual[1]) << "of another page";
  EXPECT_NE(pages({{1, 0, 64}, {0, 1, 128}, {1, 0, 8192}})[0], usual[0]) << "another wave";
  EXPECT_NE(pages({{0, 0, 64}, {0, 0, 64}, {0, 1, 128}, {1, 0, 8192}})[0], usual[0]) << "once more";
}

TEST(AccessRecorders, KeepHolesOfOneByte) {
  AccessRecorder recorder;
  for (uint64_t address = 1; address < 1000; address += 2) recorder.written(address, 1, 0);
  const AccessSets sets = AccessRecorder::merge({&recorder});
  ASSERT_EQ(sets.writes.size(), 500u);
  for (size_t k = 0; k < 500; ++k) {
    EXPECT_EQ(sets.writes[k].base, 2 * k + 1);
    EXPECT_EQ(sets.writes[k].size, 1u);
  }
  EXPECT_TRUE(sets.reads.empty());
}

TEST(Permutations, TakeEveryElementOnce) {
  for (uint64_t size : {1, 2, 3, 4, 5, 17, 64, 100, 1000}) {
    for (uint64_t seed : {1, 2, 77}) {
      const Permutation order(size, seed);
      std::vector<uint64_t> seen(size);
      for (uint64_t k = 0; k < size; ++k) seen[k] = order(k);
      std::sort(seen.begin(), seen.end());
      for (uint64_t k = 0; k < size; ++k) ASSERT_EQ(seen[k], k) << size << " " << seed;
    }
  }
  const Permutation huge(uint64_t{1} << 60, 5);
  EXPECT_LT(huge(12345), uint64_t{1} << 60);
  EXPECT_NE(huge(1), huge(2));
}

struct Descriptor {
  uint8_t bytes[64] = {};
  template <typename T>
  void set(unsigned offset, T value) {
    std::memcpy(bytes + offset, &value, sizeof value);
  }
};

TEST(KernelDescriptors, DecideRegistersAndMode) {
  Descriptor d;
  d.set<int64_t>(16, -256);
  d.set<uint32_t>(48, 9u | 1u << 12 | 2u << 14 | 3u << 18 | 1u << 23);  // 80 registers
  d.set<uint32_t>(44, 11);                                              // AGPRs begin at 48
  d.set<uint32_t>(52, 1u | 8u << 1 | 5u << 7 | 1u << 11);
  d.set<uint16_t>(56, 1u | 1u << 3 | 1u << 5);
  KernelDescriptor kernel;
  std::string error;
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0x10000, Isa::kGfx90a, &kernel, &error)) << error;
  EXPECT_EQ(kernel.entry, 0x10000u - 256);
  EXPECT_EQ(kernel.vgprs, 48u);
  EXPECT_EQ(kernel.agprs, 32u);
  EXPECT_EQ(kernel.mode.round_f32, 1);
  EXPECT_EQ(kernel.mode.round_f64_f16, 2);
  EXPECT_EQ(kernel.mode.denorm_f32, 0);
  EXPECT_EQ(kernel.mode.denorm_f64_f16, 3);
  EXPECT_FALSE(kernel.mode.dx10_clamp);
  EXPECT_TRUE(kernel.mode.ieee);
  EXPECT_TRUE(kernel.workgroup_id[0]);
  EXPECT_FALSE(kernel.workgroup_id[1]);
  EXPECT_TRUE(kernel.workgroup_id[2]);
  EXPECT_EQ(kernel.work_item_ids, 1u);
}

TEST(KernelDescriptors, OfGfx1030ChooseTheWaveSizeAndWithItTheGranuleOfRegisters) {
  Descriptor d;
  d.set<uint32_t>(48, 9u | 7u << 29);  // WGP mode, memory order, forward progress
  d.set<uint32_t>(52, 0u);
  KernelDescriptor kernel;
  std::string error;
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx1030, &kernel, &error)) << error;
  EXPECT_EQ(kernel.target, kGfx1030Wave64);
  EXPECT_EQ(kernel.vgprs, 40u);
  d.set<uint16_t>(56, 1u << 10);
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx1030, &kernel, &error)) << error;
  EXPECT_EQ(kernel.target, kGfx1030);
  EXPECT_EQ(kernel.vgprs, 80u);
  d.set<uint32_t>(44, 1);
  EXPECT_FALSE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx1030, &kernel, &error));
  EXPECT_NE(error.find("shared"), std::string::npos);
  d.set<uint32_t>(44, 0x3f << 4);  // gfx1100: how much code is prefetched
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx1100, &kernel, &error)) << error;
  EXPECT_EQ(kernel.target, kGfx1100);
  EXPECT_EQ(kernel.vgprs, 80u);
  d.set<uint32_t>(44, 1 << 11);
  EXPECT_FALSE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx1100, &kernel, &error));
  EXPECT_NE(error.find("traps"), std::string::npos);
}

TEST(KernelDescriptors, TellWhatARuntimeIsAskedEvenOfKernelsThatAreRefused) {
  Descriptor d;
  d.set<uint32_t>(0, 1040);
  d.set<uint32_t>(4, 48);
  d.set<uint32_t>(8, 24);
  d.set<int64_t>(16, 512);
  d.set<uint16_t>(56, 1u << 11 | 1u << 10);  // a dynamic stack; wave32, which gfx90a refuses
  KernelDescriptor kernel;
  std::string error;
  for (const Isa isa : {Isa::kGfx1030, Isa::kGfx90a}) {
    EXPECT_EQ(KernelDescriptor::parse(d.bytes, 0x1000, isa, &kernel, &error), isa == Isa::kGfx1030);
    EXPECT_EQ(kernel.group_segment_bytes, 1040u);
    EXPECT_EQ(kernel.private_segment_bytes, 48u);
    EXPECT_EQ(kernel.kernarg_bytes, 24u);
    EXPECT_TRUE(kernel.dynamic_stack);
    EXPECT_EQ(kernel.entry, 0x1200u);
  }
}

TEST(KernelDescriptors, PreloadArgumentsOnGfx90aOnly) {
  Descriptor d;
  d.set<uint32_t>(8, 32);
  d.set<int64_t>(16, 512);
  d.set<uint32_t>(52, 10u << 1);
  d.set<uint16_t>(56, 1u << 3);
  KernelDescriptor kernel;
  std::string error;
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0x1000, Isa::kGfx90a, &kernel, &error)) << error;
  EXPECT_EQ(kernel.first_instruction(), 0x1200u);
  d.set<uint16_t>(58, 8u | 0u << 7);
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0x1000, Isa::kGfx90a, &kernel, &error)) << error;
  EXPECT_EQ(kernel.preloaded_dwords, 8u);
  EXPECT_EQ(kernel.entry, 0x1200u);
  EXPECT_EQ(kernel.first_instruction(), 0x1300u);
  d.set<uint16_t>(58, 3u | 5u << 7);
  ASSERT_TRUE(KernelDescriptor::parse(d.bytes, 0x1000, Isa::kGfx90a, &kernel, &error)) << error;
  EXPECT_EQ(kernel.preloaded_dwords, 3u);
  EXPECT_EQ(kernel.first_preloaded_dword, 5u);
  EXPECT_FALSE(KernelDescriptor::parse(d.bytes, 0x1000, Isa::kGfx1030, &kernel, &error));
  EXPECT_NE(error.find("preloaded"), std::string::npos);
}

TEST(KernelDescriptors, RefuseWhatThisDeviceCannotDo) {
  const auto error_of = [](auto change) {
    Descriptor d;
    d.set<uint32_t>(52, 16u << 1);
    change(d);
    KernelDescriptor kernel;
    std::string error;
    EXPECT_FALSE(KernelDescriptor::parse(d.bytes, 0, Isa::kGfx90a, &kernel, &error));
    return error;
  };
  EXPECT_NE(error_of([](Descriptor& d) { d.set<uint16_t>(56, 1u << 10); }).find("wave32"), std::string::npos);
  // Two SGPRs hold the address of 32 bytes of arguments.
  const auto error_of_preload = [&](unsigned length, unsigned offset) {
    return error_of([&](Descriptor& d) {
      d.set<uint32_t>(8, 32);
      d.set<uint16_t>(56, 1u << 3);
      d.set<uint16_t>(58, static_cast<uint16_t>(length | offset << 7));
    });
  };
  EXPECT_NE(error_of_preload(15, 0).find("14 of its user SGPRs are free"), std::string::npos);
  EXPECT_NE(error_of_preload(127, 0).find("14 of its user SGPRs are free"), std::string::npos);
  EXPECT_NE(error_of_preload(9, 0).find("all of them are 32 bytes"), std::string::npos);
  EXPECT_NE(error_of_preload(8, 1).find("from dword 1 on, but all of them are 32 bytes"), std::string::npos);
  EXPECT_NE(error_of_preload(1, 511).find("from dword 511 on, but all of them are 32 bytes"), std::string::npos);
  EXPECT_NE(error_of([](Descriptor& d) { d.set<uint32_t>(48, 1u << 20); }).find("privileged"), std::string::npos);
  EXPECT_NE(error_of([](Descriptor& d) { d.set<uint32_t>(52, 16u << 1 | 1u << 24); }).find("exceptions"),
            std::string::npos);
  EXPECT_NE(error_of([](Descriptor& d) {
              d.set<uint32_t>(52, 3u << 1);
              d.set<uint16_t>(56, 1);
            }).find("user SGPRs"),
            std::string::npos);
}

}  // namespace
}  // namespace kernloop::softgpu
