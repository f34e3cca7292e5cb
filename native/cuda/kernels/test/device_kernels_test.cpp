// The kernels and their launcher, run on the host, against straightforward oracles: PointerScan, memcmp and loops.
#include "cuda/kernels/device_kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "capture/core/pointer_scan.h"
#include "cuda/kernels/device_kernels_params.h"
#include "cuda/test/host_driver.h"

namespace kernloop::cuda {
namespace {

// Memory between pages that cannot be touched.
class Arena {
 public:
  explicit Arena(size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    all_ = static_cast<uint8_t*>(
        mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    mprotect(begin(), bytes_, PROT_READ | PROT_WRITE);
  }
  ~Arena() { munmap(all_, bytes_ + 2 * kPage); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  uint8_t* begin() const { return all_ + kPage; }
  uint8_t* end() const { return begin() + bytes_; }
  void fill_random(uint64_t seed) const {
    std::mt19937_64 random(seed);
    for (uint8_t* at = begin(); at < end(); ++at) *at = static_cast<uint8_t>(random());
  }

 private:
  static constexpr size_t kPage = 4096;
  uint8_t* all_;
  size_t bytes_;
};

CUdeviceptr address_of(const uint8_t* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

class DeviceKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    host_driver_state() = {};
    host_access() = {};
    reload({});
  }
  void TearDown() override {
    kernels_.reset();
    EXPECT_EQ(host_access().misaligned, 0u);
    EXPECT_EQ(host_access().outside, 0u);
    EXPECT_EQ(host_driver_state().modules, 0);
    EXPECT_EQ(host_driver_state().streams, 0);
    EXPECT_EQ(host_driver_state().buffers, 0);
    EXPECT_EQ(host_driver_state().contexts_pushed, 0);
  }
  void reload(LaunchLimits limits) {
    kernels_.reset();
    host_access().allowed.clear();
    auto loaded = DeviceKernels::load(driver_, limits);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    kernels_ = std::move(loaded.value());
    host_driver_state().launches.clear();
  }

  // The kernels may reach these, and the launcher's own memory.
  static void allow(std::initializer_list<std::pair<const uint8_t*, uint64_t>> ranges) {
    host_access().allowed.clear();
    for (const auto& [memory, bytes] : ranges) host_access().allowed.push_back({address_of(memory), bytes});
    for (const auto& [memory, bytes] : host_driver_state().pinned)
      host_access().allowed.push_back({reinterpret_cast<CUdeviceptr>(memory), bytes});
  }

  std::vector<Checksum128> checksums(const uint8_t* base, uint64_t bytes, uint64_t chunk_bytes) {
    allow({{base, bytes}});
    std::vector<Checksum128> result((bytes + chunk_bytes - 1) / chunk_bytes);
    const Status status = kernels_->checksums(address_of(base), bytes, chunk_bytes, result);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return result;
  }
  static std::vector<Checksum128> expected_checksums(const uint8_t* base, uint64_t bytes, uint64_t chunk_bytes) {
    std::vector<Checksum128> result;
    for (uint64_t at = 0; at < bytes; at += chunk_bytes)
      result.push_back(checksum_on_host({base + at, std::min(chunk_bytes, bytes - at)}));
    return result;
  }

  std::vector<uint32_t> found(const uint8_t* base, uint64_t bytes, const std::vector<AddressRange>& targets) {
    allow({{base, bytes}});
    std::vector<uint32_t> hits;
    const Status status = kernels_->find_pointers(address_of(base), bytes, targets, &hits);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return hits;
  }
  static std::vector<uint32_t> expected_hits(const uint8_t* base, uint64_t bytes,
                                             const std::vector<AddressRange>& targets) {
    capture::AllocationList list;
    for (const AddressRange& target : targets) {
      capture::Allocation allocation;
      allocation.base = target.base;
      allocation.size = target.size;
      list.push_back(allocation);
    }
    std::set<uint32_t> hits;
    capture::PointerScan scan(list);
    scan.feed({base, bytes}, [&](size_t index) { hits.insert(static_cast<uint32_t>(index)); });
    return {hits.begin(), hits.end()};
  }

  const Driver driver_ = host_driver();
  std::unique_ptr<DeviceKernels> kernels_;
};

using Checksums = DeviceKernelsTest;

TEST_F(Checksums, AreThoseOfTheHostForEveryAlignmentAndLength) {
  const Arena arena(16384);
  arena.fill_random(1);
  for (uint64_t start = 0; start < 17; ++start) {
    for (const uint64_t bytes : {1, 8, 15, 16, 17, 32, 47, 48, 49, 64, 100, 1000, 4096, 10007}) {
      for (const uint64_t chunk : {16, 48, 4096, 1 << 20}) {
        EXPECT_EQ(checksums(arena.begin() + start, bytes, chunk),
                  expected_checksums(arena.begin() + start, bytes, chunk))
            << start << " " << bytes << " " << chunk;
      }
    }
  }
}

TEST_F(Checksums, LoadNothingBeforeOrAfterTheRange) {
  const Arena arena(4096);
  arena.fill_random(2);
  for (uint64_t cut = 0; cut < 40; ++cut) {
    EXPECT_EQ(checksums(arena.begin(), 4096 - cut, 256), expected_checksums(arena.begin(), 4096 - cut, 256));
    EXPECT_EQ(checksums(arena.begin() + cut, 4096 - cut, 256),
              expected_checksums(arena.begin() + cut, 4096 - cut, 256));
  }
}

TEST_F(Checksums, DoNotDependOnSlicesAndLaunches) {
  const Arena arena(3 << 20);
  arena.fill_random(3);
  const uint64_t bytes = (3 << 20) - 5;
  for (const uint64_t chunk : {1 << 14, 100 * 1024 + 16, 1 << 20, 4 << 20}) {
    const auto expected = expected_checksums(arena.begin() + 3, bytes - 3, chunk);
    for (const LaunchLimits limits : {LaunchLimits{}, LaunchLimits{1 << 16, 7, 64}, LaunchLimits{16, 1, 64}}) {
      reload(limits);
      EXPECT_EQ(checksums(arena.begin() + 3, bytes - 3, chunk), expected) << chunk << " " << limits.bytes;
    }
  }
  EXPECT_GT(host_driver_state().launches["kernloop_checksums"], 100);
}

TEST_F(Checksums, OfNothingAreNone) {
  EXPECT_TRUE(checksums(nullptr, 0, 4096).empty());
}

TEST_F(Checksums, RefuseWhatTheyCannotDo) {
  std::vector<Checksum128> one(1), two(2);
  EXPECT_EQ(kernels_->checksums(4096, 4096, 100, one).error().code, "INTERNAL_ERROR");
  EXPECT_EQ(kernels_->checksums(4096, 4096, 0, one).error().code, "INTERNAL_ERROR");
  EXPECT_EQ(kernels_->checksums(4096, 4096, 4096, two).error().code, "INTERNAL_ERROR");
  EXPECT_EQ(kernels_->checksums(~0ull - 100, 4096, 4096, one).error().code, "INTERNAL_ERROR");
}

using Pointers = DeviceKernelsTest;

const std::vector<AddressRange> kTargets = {
    {0x7f0000000000, 0x200},      {0x7f0000000200, 0x1000}, {0x7f0000010007, 0x31},  // one that is not aligned
    {0x7f0000200000, 0x40000000}, {0x7f0100000000, 1},      {0x7f01000000f0, 0x10},
};

// Values around every edge of the targets, plain and tagged.
std::vector<uint64_t> interesting_values() {
  std::vector<uint64_t> values = {0, ~0ull, 1ull << 48, 0x7f0000000000ull << 8, 0xffff'7f00'0000'0000, 0x7efffffffff8};
  for (const AddressRange& target : kTargets)
    for (const uint64_t address : {target.base - 16, target.base - 1, target.base, target.base + 1, target.base + 8,
                                   target.base + 16, target.base + target.size / 2, target.end() - 1, target.end()})
      for (const uint64_t tag : {0x0000ull, 0x0001ull, 0x8000ull, 0xffffull}) values.push_back(address | tag << 48);
  return values;
}

TEST_F(Pointers, FollowTheRulesOfPointerScanAtEveryOffset) {
  const Arena arena(4096);
  size_t hits = 0, misses = 0;
  for (const uint8_t background : {0x00, 0xff, 0x7f}) {
    for (const uint64_t value : interesting_values()) {
      std::memset(arena.begin(), background, 4096);
      for (const uint64_t start : {0, 1, 5, 8, 13}) {
        for (uint64_t at = 0; at < 48; ++at) {
          uint8_t* base = arena.begin() + start;
          std::memcpy(base + at, &value, 8);
          const auto expected = expected_hits(base, 64, kTargets);
          ASSERT_EQ(found(base, 64, kTargets), expected) << std::hex << value << " at " << at << " from " << start;
          ++(expected.empty() ? misses : hits);
          std::memset(base + at, background, 8);
        }
      }
    }
  }
  EXPECT_GT(hits, 10000u);
  EXPECT_GT(misses, 10000u);
}

TEST_F(Pointers, EndWithTheRegion) {
  const Arena arena(4096);
  const uint64_t value = kTargets[1].base;
  for (uint64_t start = 0; start < 16; ++start) {
    for (uint64_t bytes = 0; bytes < 70; ++bytes) {
      // Two values just inside the region, and two that are half outside.
      std::memset(arena.begin(), 0, 256);
      uint8_t* base = arena.begin() + 64 + start;
      std::memcpy(base - 1, &value, 8);
      std::memcpy(base + bytes - 7, &value, 8);
      ASSERT_EQ(found(base, bytes, kTargets), expected_hits(base, bytes, kTargets)) << start << " " << bytes;
      std::memset(arena.begin(), 0, 256);
      std::memcpy(base + bytes - 8, &value, 8);
      ASSERT_EQ(found(base, bytes, kTargets), expected_hits(base, bytes, kTargets)) << start << " " << bytes;
      // All that can be read is the region.
      ASSERT_TRUE(found(arena.begin(), start, kTargets).empty());
      uint8_t* last = arena.end() - bytes;
      std::memset(last, 0, bytes);
      if (bytes >= 8) std::memcpy(last + bytes - 8, &value, 8);
      ASSERT_EQ(found(last, bytes, kTargets), expected_hits(last, bytes, kTargets)) << bytes;
    }
  }
}

// Aligned slots count from the start of the region, also in its later pieces.
TEST_F(Pointers, AreFoundAcrossPieces) {
  const Arena arena(8192);
  const uint64_t tagged = (kTargets[3].base + 0x1230) | 0xabcdull << 48, plain = kTargets[3].base + 0x1235;
  for (const uint64_t piece : {16, 32, 48, 4096}) {
    reload({piece, 65536, 2});
    for (const uint64_t start : {0, 4, 8, 9}) {
      for (uint64_t at = 0; at + 8 <= 200; ++at) {
        for (const uint64_t value : {tagged, plain}) {
          uint8_t* base = arena.begin() + start;
          std::memset(arena.begin(), 0, 256);
          std::memcpy(base + at, &value, 8);
          ASSERT_EQ(found(base, 200, kTargets), expected_hits(base, 200, kTargets)) << piece << " " << at;
        }
      }
    }
  }
}

TEST_F(Pointers, AreTaggedInsideOfATargetOnlyWhereAskedFor) {
  const Arena arena(4096);
  std::memset(arena.begin(), 0, 4096);
  const uint64_t inside = (kTargets[3].base + 0x1230) | 0xabcdull << 48, start = kTargets[2].base | 0xabcdull << 48;
  std::memcpy(arena.begin() + 64, &inside, 8);
  std::memcpy(arena.begin() + 129, &start, 8);
  allow({{arena.begin(), 4096}});
  std::vector<uint32_t> hits;
  EXPECT_TRUE(kernels_->find_pointers(address_of(arena.begin()), 4096, kTargets, &hits, true).ok());
  EXPECT_EQ(hits, (std::vector<uint32_t>{2, 3}));
  EXPECT_TRUE(kernels_->find_pointers(address_of(arena.begin()), 4096, kTargets, &hits, false).ok());
  EXPECT_EQ(hits, (std::vector<uint32_t>{2}));
}

// Random ranges, and memory with values that land in and around them.
TEST_F(Pointers, AreThoseOfPointerScanInRandomMemory) {
  std::mt19937_64 random(7);
  const Arena arena(1 << 16);
  for (const size_t count : {1, 2, 3, 511, 512, 513, 1025, 3000}) {
    std::vector<AddressRange> targets;
    const uint64_t unit = count % 2 == 0 ? 256 : 1;
    uint64_t at = 0x7f0000000000 + random() % 1000 * unit;
    for (size_t i = 0; i < count; ++i) {
      targets.push_back({at, (1 + random() % 64) * unit});
      at = targets.back().end() + random() % 64 * unit;  // often adjacent
    }
    arena.fill_random(random());
    for (size_t i = 0; i < count / 3 + 1; ++i) {
      const AddressRange& target = targets[random() % targets.size()];
      const uint64_t tag = random() % 3 == 0 ? random() << 48 : 0;
      const uint64_t value = (target.base + random() % (target.size + unit)) | tag;
      std::memcpy(arena.begin() + random() % ((1 << 16) - 8), &value, 8);
    }
    for (const uint32_t pass : {65536u, 100u, 1u}) {
      if (count / pass > 600) continue;
      reload({4ull << 30, 65536, pass});
      for (const uint64_t start : {0, 3}) {
        const uint8_t* base = arena.begin() + start;
        EXPECT_EQ(found(base, (1 << 16) - 8, targets), expected_hits(base, (1 << 16) - 8, targets))
            << count << " " << pass;
      }
    }
  }
}

TEST_F(Pointers, FindTargetsThatCoverEverything) {
  const Arena arena(4096);
  arena.fill_random(8);
  const std::vector<AddressRange> all = {{0, 1ull << 47}, {1ull << 47, 1ull << 47}};
  EXPECT_EQ(found(arena.begin(), 4096, all), expected_hits(arena.begin(), 4096, all));
  std::memset(arena.begin(), 0, 4096);
  EXPECT_EQ(found(arena.begin(), 4096, all), (std::vector<uint32_t>{0}));
}

// Addresses have 48 bits: higher ones cannot be distinguished from tags, and are never found.
TEST_F(Pointers, DoNotReachAbove48Bits) {
  const Arena arena(4096);
  const uint64_t value = (1ull << 48) + 64;
  std::memcpy(arena.begin(), &value, 8);
  const std::vector<AddressRange> above = {{(1ull << 48) - 4096, 8192}, {(1ull << 48) + 65536, 4096}};
  EXPECT_EQ(found(arena.begin(), 16, above), expected_hits(arena.begin(), 16, above));
  const uint64_t below = (1ull << 48) - 64;
  std::memcpy(arena.begin(), &below, 8);
  EXPECT_EQ(found(arena.begin(), 16, above), (std::vector<uint32_t>{0}));
}

// More than 2^32 times 64 KiB: what a first look at the middle bits of an address cannot count.
TEST_F(Pointers, FindTargetsLargerThanAllAddresses) {
  const Arena arena(4096);
  const std::vector<AddressRange> huge = {{0x1000, 1ull << 50}};
  for (const uint64_t value : {0x1000ull, 0x123456789abcull, 0xffffffffffffull}) {
    std::memcpy(arena.begin() + 8, &value, 8);
    EXPECT_EQ(found(arena.begin(), 64, huge), (std::vector<uint32_t>{0})) << value;
  }
}

TEST_F(Pointers, IgnoreEmptyTargetsAndKeepTheIndices) {
  const Arena arena(4096);
  const std::vector<AddressRange> targets = {{0x1000, 0}, {0x2000, 16}, {0x2010, 0}, {0x2010, 16}};
  const uint64_t value = 0x2010;
  std::memcpy(arena.begin() + 8, &value, 8);
  EXPECT_EQ(found(arena.begin(), 4096, targets), (std::vector<uint32_t>{3}));
  EXPECT_TRUE(found(arena.begin(), 4096, {}).empty());
}

TEST_F(Pointers, NeedSortedDisjointTargets) {
  std::vector<uint32_t> hits;
  for (const auto& [one, two] : {std::pair(AddressRange{0x2000, 16}, AddressRange{0x1000, 16}),
                                 std::pair(AddressRange{0x1000, 16}, AddressRange{0x100f, 16}),
                                 std::pair(AddressRange{0x1000, ~0ull}, AddressRange{0x2000, 16})}) {
    const AddressRange targets[] = {one, two};
    EXPECT_EQ(kernels_->find_pointers(4096, 0, targets, &hits).error().code, "INTERNAL_ERROR");
  }
}

using Ranges = DeviceKernelsTest;

// Differences of nothing, one byte, some, all; at every alignment of both sides.
TEST_F(Ranges, AreComparedAndRestoredExactly) {
  const Arena here(1 << 16), there(1 << 16);
  std::mt19937_64 random(9);
  for (const LaunchLimits limits : {LaunchLimits{}, LaunchLimits{48, 65536, 64}, LaunchLimits{20000, 65536, 64}}) {
    reload(limits);
    for (uint64_t trial = 0; trial < 600; ++trial) {
      const uint64_t start = random() % 33, other = random() % 33;
      const uint64_t bytes = trial % 3 == 0 ? random() % 40 : trial % 3 == 1 ? random() % 3000 : random() % 65000;
      if (limits.bytes == 48 && bytes > 3000) continue;
      here.fill_random(trial / 100);
      uint8_t* destination = here.begin() + start;
      uint8_t* source = there.begin() + other;
      std::memcpy(source, destination, bytes);
      if (bytes != 0) {
        const uint64_t changes = trial % 4 == 0 ? 0 : trial % 4 == 1 ? 1 : trial % 4 == 2 ? 20 : 2 * bytes;
        for (uint64_t i = 0; i < changes; ++i) source[random() % bytes] ^= static_cast<uint8_t>(random());
      }
      uint64_t differing = 0, first = UINT64_MAX;
      for (uint64_t i = bytes; i-- > 0;)
        if (destination[i] != source[i]) ++differing, first = i;
      std::vector<uint8_t> expected(here.begin(), here.end());
      std::copy(source, source + bytes, expected.begin() + static_cast<long>(start));

      allow({{destination, bytes}, {source, bytes}});
      Comparison comparison;
      ASSERT_TRUE(kernels_->compare(address_of(destination), address_of(source), bytes, &comparison).ok());
      ASSERT_EQ(comparison.differing_bytes, differing) << start << " " << other << " " << bytes;
      ASSERT_TRUE(differing == 0 || comparison.first_difference == first);
      uint64_t changed = 0;
      ASSERT_TRUE(kernels_->restore(address_of(destination), address_of(source), bytes, &changed).ok());
      ASSERT_EQ(changed, differing);
      // Bytes beside the range were not touched.
      ASSERT_EQ(std::memcmp(here.begin(), expected.data(), expected.size()), 0)
          << start << " " << other << " " << bytes;
    }
  }
}

TEST_F(Ranges, AreRestoredToTheirVeryEnds) {
  const Arena here(4096), there(4096);
  for (uint64_t cut = 0; cut < 40; ++cut) {
    for (uint64_t shift = 0; shift < 3; ++shift) {
      here.fill_random(cut);
      there.fill_random(cut + 1);
      const uint64_t bytes = 4096 - cut - shift;
      uint64_t changed = 0;
      ASSERT_TRUE(
          kernels_->restore(address_of(here.begin() + cut), address_of(there.end() - bytes), bytes, &changed).ok());
      ASSERT_EQ(std::memcmp(here.begin() + cut, there.end() - bytes, bytes), 0);
    }
  }
}

// Pages that are equal are not written, even if they are read-only.
TEST_F(Ranges, AreWrittenOnlyWhereTheyDiffer) {
  const Arena here(8192), there(8192);
  here.begin()[5] = 1;
  mprotect(here.begin() + 4096, 4096, PROT_READ);
  uint64_t changed = 0;
  ASSERT_TRUE(kernels_->restore(address_of(here.begin()), address_of(there.begin()), 8192, &changed).ok());
  EXPECT_EQ(changed, 1u);
}

TEST_F(Ranges, ThatOverlapAreNotRestored) {
  uint64_t changed;
  EXPECT_EQ(kernels_->restore(0x1000, 0x1fff, 0x1000, &changed).error().code, "INTERNAL_ERROR");
  EXPECT_EQ(kernels_->restore(0x1fff, 0x1000, 0x1000, &changed).error().code, "INTERNAL_ERROR");
}

TEST_F(Ranges, AreFilledWithThePatternFromTheirStart) {
  const Arena arena(4096);
  const uint64_t pattern = 0x0123456789ABCDEF;
  for (const uint64_t limit : {16, 48, 4096}) {
    reload({limit, 65536, 64});
    for (uint64_t start = 0; start < 20; ++start) {
      for (const uint64_t bytes : {0, 1, 7, 15, 16, 17, 31, 64, 1001}) {
        std::memset(arena.begin(), 0x55, 2048);
        std::vector<uint8_t> expected(2048, 0x55);
        for (uint64_t i = 0; i < bytes; ++i) expected[start + i] = static_cast<uint8_t>(pattern >> (8 * (i % 8)));
        allow({{arena.begin() + start, bytes}});
        ASSERT_TRUE(kernels_->fill(address_of(arena.begin() + start), bytes, pattern).ok());
        ASSERT_EQ(std::memcmp(arena.begin(), expected.data(), 2048), 0) << start << " " << bytes;
      }
    }
  }
}

TEST_F(Ranges, AreReadWholeAndNoFurther) {
  const Arena arena(4096);
  for (uint64_t cut = 0; cut < 20; ++cut) {
    allow({{arena.begin() + cut, 4096 - cut}});
    EXPECT_TRUE(kernels_->touch(address_of(arena.begin() + cut), 4096 - cut).ok());
    allow({{arena.begin(), 4096 - cut}});
    EXPECT_TRUE(kernels_->touch(address_of(arena.begin()), 4096 - cut).ok());
  }
  allow({{arena.begin(), 4096}});
  EXPECT_TRUE(kernels_->flush_l2(address_of(arena.begin()), 4096).ok());
  EXPECT_EQ(arena.begin()[4095], 0);
}

using Failures = DeviceKernelsTest;

TEST_F(Failures, NameWhatTheDriverSaid) {
  Comparison comparison;
  for (const char* name : {"kernloop_compare", "cuStreamSynchronize"}) {
    host_driver_state().failing = name;
    const Arena arena(4096);
    const Status status = kernels_->compare(address_of(arena.begin()), address_of(arena.begin()), 64, &comparison);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, "DEVICE_ERROR");
    EXPECT_NE(status.error().message.find("kernloop_compare"), std::string::npos);
    EXPECT_NE(status.error().message.find("CUDA_ERROR_INVALID_VALUE"), std::string::npos);
  }
}

// A second stream in use slows a program of one stream.
TEST_F(DeviceKernelsTest, InTheCallersStreamNoOtherIsMade) {
  kernels_.reset();
  static int callers, used, others;
  used = others = 0;
  Driver driver = host_driver();
  static const auto launch = driver.cuLaunchKernel;
  driver.cuLaunchKernel = [](CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                             unsigned tz, unsigned shared, CUstream stream, void** parameters, void** extra) {
    ++(stream == reinterpret_cast<CUstream>(&callers) ? used : others);
    return launch(kernel, x, y, z, tx, ty, tz, shared, stream, parameters, extra);
  };
  const auto loaded = DeviceKernels::load(driver, {}, reinterpret_cast<CUstream>(&callers));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(host_driver_state().streams, 0);
  EXPECT_GT(used, 0);
  EXPECT_EQ(others, 0);
}

TEST_F(Failures, WhileLoadingLeaveNothingBehind) {
  kernels_.reset();
  for (const char* name : {"cuCtxGetCurrent", "cuModuleGetFunction", "cuMemHostAlloc", "kernloop_touch"}) {
    host_driver_state().failing = name;
    EXPECT_FALSE(DeviceKernels::load(driver_).ok()) << name;
    EXPECT_EQ(host_driver_state().modules + host_driver_state().streams + host_driver_state().buffers, 0) << name;
  }
}

// A device on which a kernel does nothing.
TEST_F(Failures, ToComputeRightShowAtOnce) {
  kernels_.reset();
  Driver driver = host_driver();
  driver.cuLaunchKernel = [](CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                             void**, void**) { return CUDA_SUCCESS; };
  const auto loaded = DeviceKernels::load(driver);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, "CUDA_KERNELS_WRONG");
}

}  // namespace
}  // namespace kernloop::cuda
