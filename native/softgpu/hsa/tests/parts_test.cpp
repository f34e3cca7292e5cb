// Parts of the runtime that need no runtime.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "softgpu/hsa/device_model.h"
#include "softgpu/hsa/host/options.h"
#include "softgpu/hsa/memory/address_allocator.h"
#include "softgpu/hsa/tools.h"

namespace kernloop::softgpu {
namespace {

TEST(ToolNames, AreSplitAtSpacesUnlessProtected) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_tool_names(""), Names{});
  EXPECT_EQ(split_tool_names("a.so"), Names{"a.so"});
  EXPECT_EQ(split_tool_names("  a.so   b.so "), (Names{"a.so", "b.so"}));
  EXPECT_EQ(split_tool_names("\"/with space/a.so\" b\\ c.so"), (Names{"/with space/a.so", "b c.so"}));
  EXPECT_EQ(split_tool_names("a\\\"b \\"), (Names{"a\"b", "\\"}));
}

// Outside the runtime's own apertures, so that both can be tested in one process.
constexpr Aperture kAperture{0x3000'0000'0000, 64 << 20};

TEST(AddressAllocator, GivesTheSameAddressesForTheSameCalls) {
  auto run = [] {
    AddressAllocator allocator(kAperture);
    std::vector<uint64_t> bases;
    std::vector<Mapping> live;
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
      if (!live.empty() && random() % 3 == 0) {
        const size_t victim = random() % live.size();
        std::swap(live[victim], live.back());
        allocator.give_back(std::move(live.back()));
        live.pop_back();
      } else {
        auto mapping = allocator.take(1 + random() % 40000);
        bases.push_back(mapping->base());
        live.push_back(std::move(*mapping));
      }
    }
    return bases;
  };
  EXPECT_EQ(run(), run());
}

TEST(AddressAllocator, BlocksOfAHugePageOrMoreBeginAtOne) {
  AddressAllocator allocator(Aperture{kAperture.base + kGranule, kAperture.size});
  std::vector<Mapping> live;
  for (const uint64_t size : {kGranule, kHugePage, kGranule, kHugePage - 1, kHugePage + 1, 3 * kHugePage}) {
    auto mapping = allocator.take(size);
    ASSERT_TRUE(mapping) << size;
    if (size > kHugePage - kGranule) {
      EXPECT_EQ(mapping->base() % kHugePage, 0u) << size;
    }
    live.push_back(std::move(*mapping));
  }
  EXPECT_EQ(live[0].base(), kAperture.base + kGranule) << "small blocks go without";
}

TEST(AddressAllocator, BlocksNeverTouch) {
  AddressAllocator allocator(kAperture);
  std::map<uint64_t, Mapping> live;
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(random() % live.size()));
      allocator.give_back(std::move(victim->second));
      live.erase(victim);
      continue;
    }
    auto mapping = allocator.take(1 + random() % 100000);
    if (!mapping) continue;  // full
    ASSERT_EQ(mapping->base() % kGranule, 0u);
    auto above = live.lower_bound(mapping->base());
    if (above != live.end()) {
      ASSERT_LT(mapping->base() + mapping->size(), above->first);
    }
    if (above != live.begin()) {
      ASSERT_LT(std::prev(above)->first + std::prev(above)->second.size(), mapping->base());
    }
    const uint64_t base = mapping->base();
    live.emplace(base, std::move(*mapping));
  }
}

TEST(AddressAllocator, KeepsClearOfExactRequestsAndReusesThemLater) {
  AddressAllocator allocator(kAperture);
  auto wall = allocator.reserve_at(kAperture.base + 8 * kGranule, 16 * kGranule);
  ASSERT_TRUE(wall);
  EXPECT_FALSE(allocator.take_at(kAperture.base + 23 * kGranule, kGranule)) << "inside the reservation";
  EXPECT_EQ(allocator.take(4 * kGranule)->base(), kAperture.base) << "fits in front";
  EXPECT_GE(allocator.take(6 * kGranule)->base(), kAperture.base + 24 * kGranule);
  allocator.give_back(std::move(*wall));
  EXPECT_TRUE(allocator.take_at(kAperture.base + 23 * kGranule, kGranule));
}

TEST(AddressAllocator, RefusesWhatItCannotHold) {
  AddressAllocator allocator(kAperture);
  EXPECT_FALSE(allocator.take(0));
  EXPECT_FALSE(allocator.take(kAperture.size + 1));
  EXPECT_FALSE(allocator.take(UINT64_MAX));
  EXPECT_FALSE(allocator.take_at(kAperture.base + 1, kGranule));
  EXPECT_FALSE(allocator.take_at(kAperture.base, UINT64_MAX));
  auto most = allocator.take(kAperture.size - 4 * kGranule);
  ASSERT_TRUE(most);
  EXPECT_FALSE(allocator.take(8 * kGranule));
}

TEST(Options, ComeFromTheEnvironment) {
  auto options = read_options([](const char* name) -> const char* {
    const std::string wanted = name;
    if (wanted == "KERNLOOP_SOFTGPU_SEED") return "18446744073709551615";
    if (wanted == "KERNLOOP_SOFTGPU_THREADS") return "3";
    return nullptr;
  });
  ASSERT_TRUE(options);
  EXPECT_EQ(options->target, "gfx90a");
  EXPECT_EQ(options->seed, UINT64_MAX);
  EXPECT_EQ(options->threads, 3u);
  EXPECT_EQ(options->max_wave_instructions, 0u);
  EXPECT_FALSE(options->checks);
}

TEST(Options, ATargetThatIsNotExecutedIsRefusedWithThoseThatAre) {
  static const char* target;
  for (const char* wrong : {"gfx90", "GFX90A", " gfx90a", "gfx1201", "nonsense"}) {
    target = wrong;
    const auto refused = read_options(
        [](const char* name) -> const char* { return std::string(name) == "KERNLOOP_SOFTGPU" ? target : nullptr; });
    ASSERT_FALSE(refused) << target;
    EXPECT_EQ(refused.error().code, "UNSUPPORTED_TARGET");
    EXPECT_NE(refused.error().message.find(std::string("KERNLOOP_SOFTGPU=") + target + " "), std::string::npos);
    for (const Isa isa : kExecutedIsas)
      EXPECT_NE(refused.error().hint.find(isa_name(isa)), std::string::npos) << refused.error().hint;
  }
}

const char* checks_of_test = nullptr;
Result<Options> options_with_checks(const char* checks) {
  checks_of_test = checks;
  return read_options([](const char* name) -> const char* {
    return std::string(name) == "KERNLOOP_SOFTGPU_CHECK" ? checks_of_test : nullptr;
  });
}

TEST(Options, NameTheChecksOneByOneOrAllAtOnce) {
  const auto all = options_with_checks("all");
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->checks.bounds && all->checks.uninitialized && all->checks.races && all->checks.waits);
  const auto some = options_with_checks("races,bounds");
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->checks.bounds && some->checks.races);
  EXPECT_FALSE(some->checks.uninitialized);
  for (const char* wrong : {"race", "bounds;races", "1", "bounds,,races"}) {
    const auto refused = options_with_checks(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().hint.find("uninitialized"), std::string::npos);
  }
}

TEST(Options, NameWhatIsToEndADispatchThatGoesOnOtherwise) {
  const auto with = [](const char* text) {
    static const char* fatal;
    fatal = text;
    return read_options(
        [](const char* name) { return std::string(name) == "KERNLOOP_SOFTGPU_FATAL" ? fatal : nullptr; });
  };
  EXPECT_FALSE(with(nullptr)->faults_past_lds);
  EXPECT_TRUE(with("lds")->faults_past_lds);
  const auto refused = with("scratch");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("lds"), std::string::npos);
}

TEST(Options, AWordOfTheTranslatorThatIsNoneIsRefused) {
  static const char* given;
  const auto with = [](const char* text) {
    given = text;
    return read_options(
        [](const char* name) { return std::string(name) == "KERNLOOP_SOFTGPU_TRANSLATE" ? given : nullptr; });
  };
  for (const char* right : {"", "off", "on", "now", "1", "4096"}) EXPECT_TRUE(with(right)) << right;
  for (const char* wrong : {"0", "-1", "yes", "On", "10x", "4294967296"}) {
    const auto refused = with(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message.find(wrong), std::string::npos);
    EXPECT_NE(refused.error().hint.find("off"), std::string::npos);
  }
}

KernelDescriptor kernel(Target target, unsigned vgprs, unsigned agprs = 0) {
  KernelDescriptor descriptor;
  descriptor.target = target;
  descriptor.vgprs = vgprs;
  descriptor.agprs = agprs;
  return descriptor;
}

// Occupancies as ROCm's documentation and LLVM's `Occupancy [waves/SIMD]` remarks give them, by the devices' numbers of
// compute units.
TEST(Residency, IsThatOfTheDevice) {
  const Residency& mi210 = device_model(Isa::kGfx90a).residency;
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 4, 0), 104u * 8);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 64), 4, 0), 104u * 8);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 72), 4, 0), 104u * 7);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 128, 128), 4, 0), 104u * 2);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 1, 0), 104u * 32);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 2, 0), 104u * 16);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 16, 0), 104u * 2);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 4, 16 * 1024), 104u * 4);
  EXPECT_EQ(workgroups_at_once(mi210, kernel(kGfx90a, 32), 4, 40 * 1024), 104u);
  EXPECT_EQ(workgroups_at_once(device_model(Isa::kGfx942).residency, kernel({Isa::kGfx942, 64}, 128), 4, 0), 304u * 4);
  const Residency& rx6800 = device_model(Isa::kGfx1030).residency;
  EXPECT_EQ(workgroups_at_once(rx6800, kernel({Isa::kGfx1030, 32}, 64), 8, 0), 30u * 8);
  EXPECT_EQ(workgroups_at_once(rx6800, kernel({Isa::kGfx1030, 32}, 128), 8, 0), 30u * 4);
  EXPECT_EQ(workgroups_at_once(rx6800, kernel({Isa::kGfx1030, 64}, 128), 4, 0), 30u * 4);
  EXPECT_EQ(workgroups_at_once(device_model(Isa::kGfx1100).residency, kernel({Isa::kGfx1100, 32}, 96), 8, 0), 48u * 8);
  EXPECT_EQ(workgroups_at_once(device_model(Isa::kGfx1100).residency, kernel({Isa::kGfx1100, 32}, 128), 8, 0), 48u * 5);
}

}  // namespace
}  // namespace kernloop::softgpu
