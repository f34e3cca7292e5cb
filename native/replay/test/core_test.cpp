// The parts of replay, each alone.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "replay/core/device/layout.h"
#include "replay/core/launch/kernarg.h"
#include "replay/core/lenses/dump.h"
#include "replay/core/memory/stale_pointers.h"
#include "replay/core/session/options.h"
#include "verdict/values/differences.h"
#include "verdict/values/element_inference.h"
#include "verdict/varying.h"

namespace kernloop::replay {
namespace {

archive::Region region(uint64_t base, uint64_t size) {
  archive::Region r;
  r.base = base;
  r.size = size;
  return r;
}

TEST(Layout, RoundsToGranulesAndFindsEveryByteOfPadding) {
  const Layout layout =
      lay_out({region(0x5000, 0x1000), region(0x1010, 0x20), region(0x1040, 0x10), region(0x20ff, 1)}, 0x1000);
  EXPECT_EQ(layout.mappings, (std::vector<Mapping>{{{0x1000, 0x2000}}, {{0x5000, 0x1000}}}));
  EXPECT_EQ(layout.padding,
            (std::vector<AddressRange>{{0x1000, 0x10}, {0x1030, 0x10}, {0x1050, 0x10af}, {0x2100, 0xf00}}));
}

TEST(Layout, CoversEachByteOnceForRandomRegions) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<archive::Region> regions;
    uint64_t at = 0x10000;
    for (int i = 0; i < 12; ++i) {
      at += random() % 3 == 0 ? 0 : random() % 9000;
      const uint64_t size = 1 + random() % 9000;
      regions.push_back(region(at, size));
      at += size;
    }
    const Layout layout = lay_out(regions, 4096);
    std::vector<int> covered(at + 16384, 0);
    for (const auto& r : regions) {
      for (uint64_t a = r.base; a < r.base + r.size; ++a) ++covered[a];
    }
    for (const auto& p : layout.padding) {
      for (uint64_t a = p.base; a < p.end(); ++a) ++covered[a];
    }
    for (const auto& m : layout.mappings) {
      for (uint64_t a = m.range.base; a < m.range.end(); ++a) --covered[a];
    }
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 0), static_cast<int64_t>(covered.size())) << round;
  }
}

TEST(Layout, GivesEachKindOfMemoryItsOwnGranules) {
  using archive::RegionClass;
  const auto home = [](const archive::Region& r) {
    return r.memory_class == RegionClass::kHost ? Home{RegionClass::kHost, 0x1000}
                                                : Home{RegionClass::kDevice, 0x200000};
  };
  std::vector<archive::Region> regions = {region(0x400100, 0x100), region(0x601000, 0x10), region(0x200010, 1)};
  regions[1].memory_class = RegionClass::kHost;
  const auto layout = lay_out(regions, home);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->mappings, (std::vector<Mapping>{{{0x200000, 0x400000}, RegionClass::kDevice},
                                                    {{0x601000, 0x1000}, RegionClass::kHost}}));
  EXPECT_EQ(layout->padding, (std::vector<AddressRange>{
                                 {0x200000, 0x10}, {0x200011, 0x2000ef}, {0x400200, 0x1ffe00}, {0x601010, 0xff0}}));

  regions[1].base = 0x5ff000;  // a page of the granule that device memory needs
  EXPECT_EQ(lay_out(regions, home).error().code, "CAPTURE_INVALID");
}

TEST(Differences, FindsExactRunsAcrossBlocks) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Buffer a(10000), b;
    for (auto& byte : a) byte = static_cast<uint8_t>(random());
    b = a;
    for (int i = 0; i < 20; ++i) b[random() % b.size()] ^= 1 + random() % 255;
    if (round % 2) b[4095] = ~a[4095], b[4096] = ~a[4096];
    std::vector<bool> expected(a.size()), seen(a.size());
    for (size_t i = 0; i < a.size(); ++i) expected[i] = a[i] != b[i];
    size_t last_end = 0;
    for_each_difference(a, b, [&](size_t at, size_t size) {
      EXPECT_TRUE(at > last_end || last_end == 0) << "runs are maximal";
      last_end = at + size;
      for (size_t i = at; i < at + size; ++i) seen[i] = true;
    });
    EXPECT_EQ(seen, expected);
  }
}

TEST(Differences, ListsTheFirstRangesAndCountsAll) {
  Buffer a(100000, 0), b = a;
  for (size_t i = 0; i < 100; ++i) b[i * 1000] = 1, b[i * 1000 + 3] = 1;
  DifferenceCollector found;
  found.compare(0, Bytes(a).first(50000), Bytes(b).first(50000));
  found.compare(50000, Bytes(a).subspan(50000), Bytes(b).subspan(50000));
  EXPECT_EQ(found.ranges(), 100u);
  EXPECT_EQ(found.differing_bytes(), 200u);
  ASSERT_EQ(found.listed().size(), 64u);
  EXPECT_EQ(found.listed()[1].offset, 1000u);
  EXPECT_EQ(found.listed()[1].bytes, 4u);
  EXPECT_EQ(found.listed()[1].differing_bytes, 2u);
  EXPECT_EQ(to_hex(found.listed()[1].first_actual).substr(0, 8), "01000001");
}

TEST(Differences, ComeWithTheBytesBeforeThemOfTheirElement) {
  Buffer a(64), b(64);
  for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<uint8_t>(i);
  b[11] = b[32] = 0xff;
  DifferenceCollector found;
  found.compare(128, a, b);
  ASSERT_EQ(found.listed().size(), 2u);
  EXPECT_EQ(to_hex(found.listed()[0].lead), "08090a");
  EXPECT_EQ(to_hex(found.listed()[1].lead), "");
}

TEST(Differences, AreMappedOverTheWholeTargetInBins) {
  // 100,000 bytes in at most 1,024 bins: of 128 bytes, the last of which is not whole.
  Buffer a(100000, 0), b = a;
  b[127] = b[128] = b[129] = 1;  // one run over the border of two bins
  b[60000] = 1;                  // beyond the first piece, at its place in the target
  b[99999] = 1;
  DifferenceCollector found(a.size());
  found.compare(0, Bytes(a).first(50000), Bytes(b).first(50000));
  found.compare(50000, Bytes(a).subspan(50000), Bytes(b).subspan(50000));
  EXPECT_EQ(found.map().bin_bytes(), 128u);
  std::map<size_t, uint64_t> bins;
  for (size_t i = 0; i < found.map().bins().size(); ++i) {
    if (found.map().bins()[i] > 0) bins[i] = found.map().bins()[i];
  }
  EXPECT_EQ(found.map().bins().size(), 782u);
  EXPECT_EQ(bins, (std::map<size_t, uint64_t>{{0, 1}, {1, 2}, {468, 1}, {781, 1}}));

  DifferenceMap sum(a.size());
  sum.add(DifferenceMap(a.size()));
  EXPECT_TRUE(sum.bins().empty()) << "nothing differs";
  sum.add(found.map());
  sum.add(found.map());
  EXPECT_EQ(sum.bins()[1], 4u);
  EXPECT_EQ(DifferenceMap(UINT64_C(1) << 40).bin_bytes(), UINT64_C(1) << 30) << "of any size so many at most";
}

TEST(Varying, AcceptsOnlyFiniteValuesWithinASpread) {
  EXPECT_TRUE(within_spread(1.0L, 1.0L, 2.0L));
  EXPECT_TRUE(within_spread(3.0L, 1.0L, 2.0L));
  EXPECT_TRUE(within_spread(0.0L, 1.0L, 2.0L));
  EXPECT_FALSE(within_spread(3.1L, 1.0L, 2.0L));
  EXPECT_FALSE(within_spread(12.0L, 1.0L, 2.0L));
  EXPECT_FALSE(within_spread(std::nanl(""), 1.0L, 2.0L));
  EXPECT_FALSE(within_spread(HUGE_VALL, 1.0L, 2.0L));
  EXPECT_FALSE(within_spread(1.0L, 1.0L, 1.0L)) << "what never varied is compared as bytes";
}

TEST(ElementType, ReadsHalvesExactly) {
  const std::pair<uint16_t, Number> cases[] = {
      {0x3c00, 1}, {0xc000, -2}, {0x7bff, 65504}, {0x0001, std::ldexp(1.0L, -24)}, {0x3555, 0.333251953125L}};
  for (const auto& [bits, value] : cases)
    EXPECT_EQ(load_number(ElementType::kF16, reinterpret_cast<const uint8_t*>(&bits)), value);
  const uint16_t infinity = 0x7c00;
  EXPECT_FALSE(is_finite(load_number(ElementType::kF16, reinterpret_cast<const uint8_t*>(&infinity))));
}

TEST(ElementType, KeepsLargeIntegersExactInJson) {
  const uint64_t large = UINT64_MAX - 1;
  const int64_t negative = INT64_MIN + 1;
  const Number a = load_number(ElementType::kU64, reinterpret_cast<const uint8_t*>(&large));
  const Number b = load_number(ElementType::kI64, reinterpret_cast<const uint8_t*>(&negative));
  EXPECT_EQ(number_from_json(number_to_json(ElementType::kU64, a)), a);
  EXPECT_EQ(number_from_json(number_to_json(ElementType::kI64, b)), b);
  EXPECT_EQ(number_to_json(ElementType::kU64, a), "18446744073709551614");
  EXPECT_EQ(number_to_json(ElementType::kI32, -5), -5);
}

TEST(ElementType, KnowsWhatPointersPointTo) {
  EXPECT_EQ(pointee_type("float*"), ElementType::kF32);
  EXPECT_EQ(pointee_type("float const*"), ElementType::kF32);
  EXPECT_EQ(pointee_type("const double * __restrict__"), ElementType::kF64);
  EXPECT_EQ(pointee_type("unsigned int*"), ElementType::kU32);
  EXPECT_EQ(pointee_type("unsigned long long volatile*"), ElementType::kU64);
  EXPECT_EQ(pointee_type("__half*"), ElementType::kF16);
  EXPECT_EQ(pointee_type("__nv_bfloat16 const*"), ElementType::kBf16);
  for (const char* none : {"float**", "void*", "Node*", "float", "", "*"}) EXPECT_FALSE(pointee_type(none)) << none;
}

TEST(ElementType, SplitsParameterLists) {
  EXPECT_EQ(parameter_types("scale(float**, int const*, float)"),
            (std::vector<std::string>{"float**", "int const*", "float"}));
  EXPECT_EQ(parameter_types("void k<float, 4>(std::pair<int, int>*, void (*)(int, float))"),
            (std::vector<std::string>{"std::pair<int, int>*", "void (*)(int, float)"}));
  EXPECT_EQ(parameter_types("(anonymous namespace)::k(int*)"), std::vector<std::string>{"int*"});
  EXPECT_TRUE(parameter_types("fill").empty());
  EXPECT_TRUE(parameter_types("k()").empty());
}

template <typename T>
Observations observe(std::vector<std::vector<T>> samples) {
  Observations seen;
  seen.address = 0x1000;
  for (const auto& sample : samples) {
    Buffer bytes(sample.size() * sizeof(T));
    std::memcpy(bytes.data(), sample.data(), bytes.size());
    seen.samples.push_back(bytes);
  }
  for (const Buffer& other : seen.samples) {
    for_each_difference(seen.samples[0], other, [&](size_t at, size_t size) { seen.varying.push_back({at, size}); });
  }
  std::sort(seen.varying.begin(), seen.varying.end(), [](auto& a, auto& b) { return a.base < b.base; });
  return seen;
}

// Rearranged sums: each sample is off in its last digits.
template <typename T>
std::vector<std::vector<T>> rounding_noise(T scale) {
  std::mt19937 random(5);
  std::vector<std::vector<T>> samples(4, std::vector<T>(16));
  for (size_t i = 0; i < 16; ++i) {
    const T value = scale * (static_cast<T>(1) + static_cast<T>(i) / 3);
    for (auto& sample : samples) {
      sample[i] = value;
      for (unsigned ulps = random() % 6; ulps > 0; --ulps) sample[i] = std::nextafter(sample[i], scale * 1000);
    }
  }
  return samples;
}

TEST(ElementInference, TellsFloatsFromDoubles) {
  for (float scale : {1.0f, 1e-6f, 12345.0f, -3.0f})
    EXPECT_EQ(infer_type(observe(rounding_noise(scale))), ElementType::kF32) << scale;
  for (double scale : {1.0, 1e-6, 12345.0, -3.0})
    EXPECT_EQ(infer_type(observe(rounding_noise(scale))), ElementType::kF64) << scale;
}

TEST(ElementInference, TellsCountersFromFloats) {
  EXPECT_EQ(infer_type(observe<int32_t>({{3, 4, 100}, {4, 3, 101}})), ElementType::kI32);
  EXPECT_EQ(infer_type(observe<int32_t>({{-3, 4}, {-2, 3}})), ElementType::kI32);
  EXPECT_EQ(infer_type(observe<int32_t>({{-1, 4}, {1, 3}})), ElementType::kI32) << "around zero";
  EXPECT_EQ(infer_type(observe<uint32_t>({{0x7fffffff, 4}, {0x80000002, 3}})), ElementType::kU32);
}

TEST(Kernarg, FillsHiddenArgumentsOfAVariantByKind) {
  archive::Manifest manifest;
  manifest.kernel.kernarg_bytes = 16;
  manifest.kernarg.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9};
  manifest.geometry.grid_work_items = {300, 1, 1};
  manifest.geometry.block_threads = {128, 1, 1};
  codeobject::Kernel captured;
  captured.kernarg_bytes = 16;
  captured.args = {{0, 8, "global_buffer", "", "", "", "", ""}, {8, 8, "hidden_global_offset_x", "", "", "", "", ""}};
  codeobject::Kernel variant;
  variant.kernarg_bytes = 32;
  variant.args = {
      {0, 8, "global_buffer", "", "", "", "", ""},           {8, 4, "hidden_block_count_x", "", "", "", "", ""},
      {12, 2, "hidden_group_size_x", "", "", "", "", ""},    {14, 2, "hidden_remainder_x", "", "", "", "", ""},
      {16, 8, "hidden_global_offset_x", "", "", "", "", ""}, {24, 8, "hidden_hostcall_buffer", "", "", "", "", ""}};
  const auto kernarg = build_kernarg(manifest, captured, variant);
  ASSERT_TRUE(kernarg) << kernarg.error().message;
  EXPECT_EQ(to_hex(*kernarg),
            "0102030405060708"
            "02000000"
            "8000"
            "2c00"
            "0909090909090909"
            "0000000000000000");
}

TEST(Kernarg, NamesTheServicesThatNobodyFills) {
  codeobject::Kernel kernel;
  kernel.args = {{0, 8, "global_buffer", "", "", "", "", ""},
                 {8, 8, "hidden_global_offset_x", "", "", "", "", ""},
                 {16, 8, "hidden_hostcall_buffer", "", "", "", "", ""},
                 {24, 8, "hidden_heap_v1", "", "", "", "", ""}};
  Buffer kernarg(32, 0);
  EXPECT_EQ(services_left_null(kernel, kernarg),
            (std::vector<std::string>{"hidden_hostcall_buffer", "hidden_heap_v1"}));
  kernarg[23] = 1;
  EXPECT_EQ(services_left_null(kernel, kernarg), std::vector<std::string>{"hidden_heap_v1"});
}

TEST(Kernarg, KnowsWhichServicesAnAppNeverLeavesNull) {
  codeobject::Kernel kernel;
  kernel.args = {{0, 8, "global_buffer", "", "", "", "", ""},
                 {8, 8, "hidden_multigrid_sync_arg", "", "", "", "", ""},
                 {16, 8, "hidden_hostcall_buffer", "", "", "", "", ""},
                 {24, 8, "hidden_heap_v1", "", "", "", "", ""}};
  Buffer kernarg(32, 0);
  EXPECT_EQ(services_of_apps(kernel, kernarg), (std::vector<uint32_t>{16, 24}));
  kernarg[30] = 1;
  EXPECT_EQ(services_of_apps(kernel, kernarg), std::vector<uint32_t>{16}) << "what is there stays";
}

TEST(Kernarg, RefusesArgumentsThatMoved) {
  archive::Manifest manifest;
  manifest.kernarg.bytes = Buffer(16, 0);
  codeobject::Kernel captured;
  captured.kernarg_bytes = 16;
  captured.args = {{0, 8, "global_buffer", "", "", "", "", ""}, {8, 8, "global_buffer", "", "", "", "", ""}};
  codeobject::Kernel variant = captured;
  variant.args[1] = {8, 4, "by_value", "", "", "", "", ""};
  EXPECT_EQ(build_kernarg(manifest, captured, variant).error().code, "KERNARG_MISMATCH");
  variant = captured;
  variant.args.pop_back();
  EXPECT_FALSE(build_kernarg(manifest, captured, variant));
}

TEST(StalePointers, CountsAlignedValuesInTheRanges) {
  const std::vector<uint64_t> words = {0x5000, 0x4fff, 0x5fff, 0x6000, 0x7008};
  Buffer bytes(words.size() * 8);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  EXPECT_EQ(count_pointers_into({{0x5000, 0x1000}, {0x7000, 0x10}}, 0x1000, bytes), 3u);
  EXPECT_EQ(count_pointers_into({{0x5000, 0x1000}}, 0x1004, bytes), 0u) << "aligned by address, not by offset";
  EXPECT_EQ(count_pointers_into({}, 0, bytes), 0u);
}

TEST(Dump, NamesFilesSafely) {
  const auto variable = [](std::string name, uint64_t address = 0) {
    return Target{true, std::move(name), address, 4, {}, {}};
  };
  const std::vector<Target> all = {{false, "r0", 0, 1, {}, {}},
                                   variable("r0", 0x10),
                                   variable("../../etc/passwd"),
                                   variable("a", 1),
                                   variable("a", 2),
                                   variable(std::string(1000, 'x')),
                                   variable(".hidden")};
  EXPECT_EQ(dump_file_name(all[0], all), "r0.bin");
  EXPECT_EQ(dump_file_name(all[1], all), "r0@0x10.bin");
  EXPECT_EQ(dump_file_name(all[2], all).find('/'), std::string::npos);
  EXPECT_NE(dump_file_name(all[3], all), dump_file_name(all[4], all));
  EXPECT_LT(dump_file_name(all[5], all).size(), 200u);
  EXPECT_NE(dump_file_name(all[6], all)[0], '.');
}

TEST(Options, TakesEveryDocumentedOption) {
  const auto options = parse_options({"--capture",
                                      "c",
                                      "--store",
                                      "a",
                                      "--store",
                                      "b",
                                      "--hsa-runtime",
                                      "lib",
                                      "--code-object",
                                      "v.hsaco",
                                      "--symbol",
                                      "s",
                                      "--iterations",
                                      "3",
                                      "--warmup",
                                      "1",
                                      "--poison",
                                      "0x5A",
                                      "--seed",
                                      "9",
                                      "--threads",
                                      "2",
                                      "--limit-wave-instructions",
                                      "1000",
                                      "--limit-seconds",
                                      "1.5",
                                      "--compare",
                                      "--known-varying",
                                      "f",
                                      "--ignore",
                                      "r0:16:0x20",
                                      "--tolerance",
                                      "r1=f32,ulp=1",
                                      "--dump",
                                      "d",
                                      "--cache",
                                      "cold",
                                      "--device",
                                      "1"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->stores.size(), 2u);
  EXPECT_EQ(options->poison, 0x5a);
  EXPECT_EQ(options->seed, 9u);
  EXPECT_EQ(options->limit_seconds, 1.5);
  EXPECT_EQ(options->cache, CacheState::kCold);
  EXPECT_EQ(options->device, 1u);
  EXPECT_EQ(options->ignored.at(0).offset, 16u);
  EXPECT_EQ(options->ignored.at(0).size, 32u);
  EXPECT_EQ(options->tolerances.at(0).target, "r1");
  EXPECT_EQ(parse_options({"--capture", "c", "--calibrate", "1,2,0x10"})->calibrate, (std::vector<uint64_t>{1, 2, 16}));
  EXPECT_EQ(parse_options({"--describe-device", "cuda", "--device", "2"})->device, 2u) << "needs no capture";
  const std::string digest(64, '0');
  const auto expecting = parse_options({"--capture", "c", "--expect", "a=b=" + digest, "--expect", "d=" + digest});
  ASSERT_TRUE(expecting) << expecting.error().message;
  EXPECT_EQ(expecting->expected, (ExpectedFiles{{"a=b", Digest{}}, {"d", Digest{}}}));
}

// docs/contributing/seams.md has the same options, with the same additions in the brackets of each.
TEST(Options, UsageIsThatOfTheDocumentation) {
  const std::filesystem::path docs = std::filesystem::path(__FILE__).parent_path() / "../../../docs/contributing";
  std::ifstream file(docs / "seams.md");
  std::string documented((std::istreambuf_iterator<char>(file)), {});
  const size_t begin = documented.find("\nkernloop-replay --capture"), end = documented.find("```", begin);
  ASSERT_NE(end, documented.npos);
  documented = documented.substr(begin, end - begin);
  const auto names_in = [](const std::string& text) {
    const std::regex name("--[a-z-]+");
    return std::set<std::string>(std::sregex_token_iterator(text.begin(), text.end(), name), {});
  };
  const std::string usage = parse_options({}).error().hint;
  EXPECT_EQ(names_in(usage), names_in(documented)) << usage;
  EXPECT_TRUE(usage.starts_with("kernloop-replay --capture DIR [--store DIR]… [--expect FILE=SHA256]… ")) << usage;
  for (const char* part :
       {" [--dump DIR [--dump-only NAME]… [--dump-time pre|post]] ", " [--lens FILE --lens-output DIR] ",
        " [--known-varying FILE [--record NAME:OFFSET:SIZE=BYTES]…] ", " [--side-by-side [--order-seed N]] "}) {
    EXPECT_NE(usage.find(part), usage.npos) << part << " is not in\n" << usage;
  }
}

TEST(Options, SaysWhatIsWrong) {
  using Arguments = std::vector<std::string>;
  const auto message = [](const Arguments& arguments) { return parse_options(arguments).error().message; };
  EXPECT_EQ(message({}), "--capture is missing");
  EXPECT_EQ(message({"--capture"}), "--capture needs a value");
  EXPECT_EQ(message({"--capture", "c", "--unknown", "1"}), "unknown option --unknown");
  EXPECT_EQ(message({"--capture", "c", "--poison", "256"}), "--poison does not take \"256\"");
  EXPECT_EQ(message({"--capture", "c", "--dynamic-shared", "0x100000000"}),
            "--dynamic-shared does not take \"0x100000000\"");
  EXPECT_EQ(message({"--capture", "c", "--launch", "cuda"}), "--launch does not take \"cuda\"");
  EXPECT_EQ(message({"--capture", "c", "--dump-time", "post"}), "--dump-only and --dump-time go with --dump");
  EXPECT_EQ(message({"--capture", "c", "--fills", "huge"}), "--fills go into what --overwritten names");
  EXPECT_EQ(message({"--capture", "c", "--compare", "--derive-special"}), "--derive says how many inputs: at least 1");
}

TEST(Options, RefusesWhatItDoesNotUnderstand) {
  using Arguments = std::vector<std::string>;
  for (const Arguments& bad :
       {Arguments{},
        Arguments{"--capture"},
        Arguments{"--capture", "c", "--iterations", "0"},
        Arguments{"--capture", "c", "--iterations", "x"},
        Arguments{"--capture", "c", "--poison", "256"},
        Arguments{"--capture", "c", "--seed", "-1"},
        Arguments{"--capture", "c", "--limit-seconds", "nan"},
        Arguments{"--capture", "c", "--calibrate", "1,,2"},
        Arguments{"--capture", "c", "--ignore", "r0:1"},
        Arguments{"--capture", "c", "--cache", "hot"},
        Arguments{"--describe-device", "abacus"},
        Arguments{"--capture", "c", "--ignore", ":1:1"},
        Arguments{"--capture", "c", "--unknown", "1"},
        Arguments{"--capture", "c", "--calibrate", "1", "--code-object", "v"},
        Arguments{"--capture", "c", "--tolerance", "r0=f32,ulp=1"},
        Arguments{"--capture", "c", "--compare", "--leave-padding"},
        Arguments{"--capture", "c", "--compare", "--derive", "1", "--derive-record", "r0:0:36=0"},
        Arguments{"--capture", "c", "--compare", "--derive", "1", "--derive-record", "r0:0:37=18"},
        Arguments{"--capture", "c", "--compare", "--derive", "1", "--derive-record", "r0:0:67108866=33554433"},
        Arguments{"--capture", "c", "--expect", "f=" + std::string(63, '0')},
        Arguments{"--capture", "c", "--expect", "=" + std::string(64, '0')},
        Arguments{"--capture", "c", "--compare", "--tolerance", "r0=f32"}}) {
    const auto options = parse_options(bad);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, "USAGE");
  }
}

}  // namespace
}  // namespace kernloop::replay
