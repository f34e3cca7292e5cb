// Synthetic arrays that threads fill at claimed places: their record, results that pass, and results that fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

#include "archive/test/temporary_directory.h"
#include "verdict/free_arrays.h"
#include "verdict/free_order.h"
#include "verdict/given_records.h"
#include "verdict/values/record_strides.h"

namespace kernloop::replay {
namespace {

using Order = std::vector<uint32_t>;  // order[place] = item
using Random = std::mt19937_64;

// Every item is claimed by itself.
Order loose_order(uint32_t count, Random& random) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// Waves claim runs of items: of one length, or each of its own.
Order chunked_order(uint32_t count, uint32_t shortest, uint32_t longest, Random& random) {
  Random lengths(7);  // the same waves in each replay
  std::vector<std::pair<uint32_t, uint32_t>> chunks;
  for (uint32_t at = 0; at < count;) {
    const uint32_t length = std::min<uint32_t>(count - at, shortest + lengths() % (longest - shortest + 1));
    chunks.push_back({at, length});
    at += length;
  }
  std::shuffle(chunks.begin(), chunks.end(), random);
  Order order;
  for (const auto& [first, length] : chunks) {
    for (uint32_t i = 0; i < length; ++i) order.push_back(first + i);
  }
  return order;
}

struct Item {
  float key;
  uint32_t value;
};
Item item(uint32_t i) {
  return {static_cast<float>((i * 2654435761u) >> 12) * 0.25f, i};
}

// Memory of several targets, as one replay leaves it.
using Memory = std::vector<Buffer>;

ContentSource source_of(const Memory& memory) {
  return [&memory](size_t target, uint64_t offset, std::span<uint8_t> into) -> Status {
    EXPECT_LE(offset + into.size(), memory[target].size());
    std::copy_n(memory[target].begin() + static_cast<ptrdiff_t>(offset), into.size(), into.begin());
    return Unit{};
  };
}

template <typename T>
void put(Buffer& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Calibrates replays of a kernel, as the self-check does, and judges others by the calibration.
class FreeOrderTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kItems = 1000;
  static constexpr uint8_t kBefore = 0x11;
  static constexpr uint64_t kBase = 0x400000000000, kApart = 0x100000000;

  // A kernel's effect: memory of all its arrays, for items in the given order.
  using Kernel = std::function<Memory(const Order&)>;
  using Orders = std::function<Order(Random&)>;

  void calibrate(const Kernel& kernel, const Orders& orders, const std::string& name, int replays = 8) {
    kernel_ = kernel;
    samples_.clear();
    for (int i = 0; i <= replays; ++i) samples_.push_back(kernel(orders(random_)));
    archive::Manifest manifest;
    manifest.kernel.name = name;
    targets_.clear();
    for (size_t t = 0; t < samples_.front().size(); ++t) {
      Target target;
      target.name = "r" + std::to_string(t);
      target.address = kBase + t * kApart;
      target.size = samples_.front()[t].size();
      targets_.push_back(target);
      for (const uint64_t offset : t < pointers_.size() ? pointers_[t] : std::vector<uint64_t>{0}) {
        archive::KernargSlot slot;
        slot.offset = static_cast<uint32_t>(manifest.kernarg.bytes.size());
        slot.size = 8;
        slot.kind = "global_buffer";
        slot.region = target.name;
        manifest.kernarg.bytes.resize(slot.offset + 8);
        put(manifest.kernarg.bytes, slot.offset, target.address + offset);
        manifest.kernarg.slots.push_back(slot);
      }
    }
    std::vector<ContentSource> sources;
    for (const Memory& sample : samples_) sources.push_back(source_of(sample));
    std::vector<FreeArray> arrays;
    left_.assign(targets_.size(), {});
    for (size_t t = 0; t < targets_.size(); ++t) {
      left_[t] = varying_bytes(t);
      const auto taken = take_free_arrays(manifest, targets_, t, sources, left_[t]);
      ASSERT_TRUE(taken) << taken.error().message;
      arrays.insert(arrays.end(), taken->begin(), taken->end());
    }
    const ContentSource before = [this](size_t target, uint64_t offset, std::span<uint8_t> into) -> Status {
      if (target < before_.size()) return source_of(before_)(target, offset, into);
      return std::fill(into.begin(), into.end(), kBefore), Unit{};
    };
    const auto ranges = varying_ranges(arrays, sources, before, targets_);
    ASSERT_TRUE(ranges) << ranges.error().message;
    ranges_ = *ranges;
  }

  OrderVerdict judge(const Memory& memory) {
    const auto orders = free_orders(ranges_, targets_);
    EXPECT_TRUE(orders) << orders.error().message;
    EXPECT_FALSE(orders->empty()) << "no free order was found";
    OrderVerdict worst = OrderVerdict::kSame;
    for (const FreeOrder& order : *orders) {
      const auto judged = judge_order(order, ranges_, targets_, source_of(samples_.front()), source_of(memory));
      EXPECT_TRUE(judged) << judged.error().message;
      worst = std::max(worst, judged->verdict);
      event_ = to_json(order, ranges_, targets_, *judged);
    }
    return worst;
  }
  OrderVerdict judge(const Order& order) { return judge(kernel_(order)); }

  std::vector<AddressRange> varying_bytes(size_t target) const {
    std::vector<AddressRange> all;
    for (const Memory& sample : samples_) {
      for (uint64_t at = 0; at < sample[target].size(); ++at) {
        if (sample[target][at] != samples_.front()[target][at]) all.push_back({at, 1});
      }
    }
    return merge_ranges(std::move(all));
  }

  Random random_{2026};
  Kernel kernel_;
  std::vector<std::vector<uint64_t>> pointers_;  // by target; else one to its begin
  Memory before_;                                // the dispatch; else kBefore everywhere
  std::vector<Memory> samples_;
  std::vector<Target> targets_;
  std::vector<std::vector<AddressRange>> left_;
  std::vector<VaryingRange> ranges_;
  archive::Json event_;
};

// out[p] = KV{x[i], i}, in an allocation with room behind.
Memory records(const Order& order) {
  Memory memory(1, Buffer(order.size() * 8 + 1000, 0x11));
  for (size_t place = 0; place < order.size(); ++place) put(memory[0], place * 8, item(order[place]));
  return memory;
}
Memory swapped_fields(const Order& order) {
  Memory memory = records(order);
  for (size_t place = 0; place < order.size(); ++place) {
    put(memory[0], place * 8, item(order[place]).value);
    put(memory[0], place * 8 + 4, item(order[place]).key);
  }
  return memory;
}
Memory mispaired(const Order& order) {
  Memory memory = records(order);
  for (size_t place = 0; place < order.size(); ++place) put(memory[0], (place ^ 1) * 8 + 4, item(order[place]).value);
  return memory;
}

constexpr const char* kStructs = "compact(KV*)";

TEST_F(FreeOrderTest, HoldsRecordsTogetherHoweverTheirPlacesAreClaimed) {
  for (const auto& [name, orders] : std::vector<std::pair<const char*, Orders>>{
           {"loose", [](Random& random) { return loose_order(kItems, random); }},
           {"chunks of many lengths", [](Random& random) { return chunked_order(kItems, 9, 61, random); }}}) {
    SCOPED_TRACE(name);
    calibrate(records, orders, kStructs);
    for (int i = 0; i < 20; ++i) {
      const Order other = loose_order(kItems, random_);
      EXPECT_EQ(judge(other), OrderVerdict::kSame) << "another way to claim places";
      EXPECT_EQ(judge(swapped_fields(other)), OrderVerdict::kDifferent);
      EXPECT_EQ(judge(mispaired(other)), OrderVerdict::kDifferent);
      Memory lost = records(other), twice = lost, shifted = lost;
      put(lost[0], 8 * (i + 3), Item{-1, 0});
      EXPECT_EQ(judge(lost), OrderVerdict::kDifferent);
      put(twice[0], 8 * (i + 3), item(other[i + 4]));
      EXPECT_EQ(judge(twice), OrderVerdict::kDifferent);
      std::rotate(shifted[0].begin(), shifted[0].begin() + 4, shifted[0].begin() + kItems * 8);
      EXPECT_EQ(judge(shifted), OrderVerdict::kDifferent) << "records that begin in the middle";
    }
    EXPECT_EQ(event_["arrays"][0]["record_bytes"], 8);
  }
}

TEST_F(FreeOrderTest, NeitherPassesNorFailsWhatWavesOfOneLengthLeaveOpen) {
  // 64 records of 8 bytes at a time: records of any power of two are consistent with that.
  const auto waves = [](Random& random) { return chunked_order(1024, 64, 64, random); };
  calibrate(records, waves, kStructs);
  EXPECT_EQ(judge(waves(random_)), OrderVerdict::kSame);
  const Order other = loose_order(1024, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kUnknown);
  EXPECT_NE(judge(swapped_fields(other)), OrderVerdict::kSame);
  EXPECT_NE(judge(mispaired(waves(random_))), OrderVerdict::kSame);
  Memory lost = records(other);
  put(lost[0], 80, Item{-1, 0});
  EXPECT_EQ(judge(lost), OrderVerdict::kDifferent);

  // The user knows.
  const std::vector<VaryingRange> found = ranges_;
  ASSERT_TRUE(apply_records({{"r0", 0, 1 << 20, 8}}, ranges_));
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(swapped_fields(other)), OrderVerdict::kDifferent);
  EXPECT_EQ(judge(mispaired(other)), OrderVerdict::kDifferent);
  ranges_ = found;
  const auto refuted = apply_records({{"r0", 0, 1 << 20, 24}}, ranges_);
  ASSERT_FALSE(refuted);
  EXPECT_EQ(refuted.error().code, "RECORD_REFUTED");
}

TEST_F(FreeOrderTest, TakesTheLengthOfAVectorFromTheSignature) {
  const auto waves = [](Random& random) { return chunked_order(1024, 64, 64, random); };
  calibrate(records, waves, "compact(HIP_vector_type<float, 2u>*)");
  EXPECT_EQ(judge(loose_order(1024, random_)), OrderVerdict::kSame);
  EXPECT_EQ(judge(mispaired(loose_order(1024, random_))), OrderVerdict::kDifferent);
  for (const auto& [type, bytes] :
       std::vector<std::pair<const char*, uint64_t>>{{"float4*", 16},
                                                     {"float3 const*", 12},
                                                     {"const double2 *", 16},
                                                     {"HIP_vector_type<unsigned char, 4u>*", 4},
                                                     {"ulonglong2* __restrict__", 16}}) {
    EXPECT_EQ(vector_bytes(type), bytes) << type;
  }
  for (const char* type : {"KV*", "float5*", "int*", "*", "", "HIP_vector_type<KV, 4u>*", "HIP_vector_type<float"})
    EXPECT_EQ(vector_bytes(type), std::nullopt) << type;
}

// Threads that write scalars, one each.
Memory scalars(const Order& order) {
  Memory memory(1, Buffer(order.size() * 4 + 512, 0xa5));
  for (size_t place = 0; place < order.size(); ++place) put(memory[0], place * 4, item(order[place]).key);
  return memory;
}

TEST_F(FreeOrderTest, LetsScalarsComeInAnyOrder) {
  calibrate(
      scalars, [](Random& random) { return chunked_order(kItems, 5, 40, random); }, "compact(float*)");
  const Order other = loose_order(kItems, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  Memory wrong = scalars(other);
  put(wrong[0], 40, 0.5f);
  EXPECT_EQ(judge(wrong), OrderVerdict::kDifferent);
  // Triples behind a pointer to scalars are records all the same.
  const auto triples = [](const Order& order) {
    Memory memory(1, Buffer(order.size() * 12 + 64, 0xa5));
    for (size_t place = 0; place < order.size(); ++place) {
      for (uint32_t j = 0; j < 3; ++j) put(memory[0], place * 12 + 4 * j, item(order[place] * 3 + j).key);
    }
    return memory;
  };
  calibrate(
      triples, [](Random& random) { return loose_order(300, random); }, "compact(float*)");
  EXPECT_EQ(judge(loose_order(300, random_)), OrderVerdict::kSame);
  Memory turned = triples(loose_order(300, random_));
  for (uint32_t i = 0; i < 300; ++i)
    std::rotate(turned[0].begin() + i * 12, turned[0].begin() + i * 12 + 4, turned[0].begin() + i * 12 + 12);
  EXPECT_EQ(judge(turned), OrderVerdict::kUnknown) << "never a pass, though a signature of scalars proves no records";
}

// keys[p], vals[p ^ swap], in allocations of their own or one after the other.
Memory two_arrays(const Order& order, uint32_t swap = 0) {
  Memory memory(2, Buffer(order.size() * 4 + 256, 0));
  for (size_t place = 0; place < order.size(); ++place) {
    put(memory[0], place * 4, item(order[place]).key);
    put(memory[1], (place ^ swap) * 4, item(order[place]).value * 3 + 5);
  }
  return memory;
}
Memory one_slab(const Order& order, uint32_t swap = 0) {
  const Memory two = two_arrays(order, swap);
  Memory memory(1, two[0]);
  memory[0].resize(order.size() * 4);
  memory[0].insert(memory[0].end(), two[1].begin(), two[1].begin() + static_cast<ptrdiff_t>(order.size() * 4));
  return memory;
}

TEST_F(FreeOrderTest, PermutesArraysThatOneAtomicOrdersByOnePermutation) {
  const auto kernel = [](const Order& order) { return two_arrays(order); };
  for (const Orders& orders :
       std::vector<Orders>{[](Random& random) { return loose_order(kItems, random); },
                           [](Random& random) { return chunked_order(kItems, 9, 61, random); }}) {
    calibrate(kernel, orders, "compact(float*, int*)");
    for (int i = 0; i < 20; ++i) {
      const Order other = loose_order(kItems, random_);
      EXPECT_EQ(judge(other), OrderVerdict::kSame);
      EXPECT_EQ(judge(two_arrays(other, 1)), OrderVerdict::kDifferent);
      Memory shifted = two_arrays(other);
      std::rotate(shifted[1].begin(), shifted[1].begin() + 4, shifted[1].begin() + kItems * 4);
      EXPECT_EQ(judge(shifted), OrderVerdict::kDifferent);
    }
  }
}

TEST_F(FreeOrderTest, TellsArraysApartThatLieInOneAllocation) {
  const auto kernel = [](const Order& order) { return one_slab(order); };
  const auto orders = [](Random& random) { return chunked_order(kItems, 9, 61, random); };
  pointers_ = {{0, kItems * 4}};
  calibrate(kernel, orders, "compact(float*, int*)");
  const Order other = loose_order(kItems, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(one_slab(other, 1)), OrderVerdict::kDifferent);
  Memory exchanged = one_slab(other);
  std::rotate(exchanged[0].begin(), exchanged[0].begin() + kItems * 4, exchanged[0].end());
  EXPECT_EQ(judge(exchanged), OrderVerdict::kDifferent) << "keys in the place of values";

  pointers_ = {{0}};  // buffer[p] and buffer[n + p]
  calibrate(kernel, orders, "compact(int*)");
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(one_slab(other, 1)), OrderVerdict::kDifferent);
  EXPECT_EQ(judge(exchanged), OrderVerdict::kDifferent);
}

TEST_F(FreeOrderTest, CompletesArraysOfWhichSomeRecordsAreEqualByChance) {
  // Few values: at both ends, and in between, the same ones often recur.
  const auto kernel = [](const Order& order) {
    Memory memory = two_arrays(order);
    for (size_t place = 0; place < order.size(); ++place) put(memory[1], place * 4, order[place] % 50 == 0 ? 1u : 0u);
    return memory;
  };
  calibrate(
      kernel, [](Random& random) { return loose_order(kItems, random); }, "compact(float*, int*)");
  for (int i = 0; i < 20; ++i) {
    const Order other = loose_order(kItems, random_);
    EXPECT_EQ(judge(other), OrderVerdict::kSame);
    Memory wrong = kernel(other);
    const size_t marked = std::find(other.begin(), other.end(), 100u) - other.begin();
    put(wrong[1], marked * 4, 0u);
    put(wrong[1], (marked + 1) % kItems * 4, 1u);
    EXPECT_EQ(judge(wrong), OrderVerdict::kDifferent);
  }
}

TEST_F(FreeOrderTest, DoesNotKnowWhereRecordsBelongThatEveryReplayHadInTheSamePlaces) {
  // The first block of a grid comes first in every replay, and the last one last.
  const auto orders = [](Random& random) {
    const Order order = chunked_order(kItems, 9, 61, random);
    Order all(kItems + 80);
    std::iota(all.begin(), all.begin() + 40, kItems);
    std::copy(order.begin(), order.end(), all.begin() + 40);
    std::iota(all.end() - 40, all.end(), kItems + 40);
    return all;
  };
  calibrate(records, orders, kStructs);
  EXPECT_EQ(judge(orders(random_)), OrderVerdict::kSame);
  const Order other = loose_order(kItems + 80, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kUnknown);
  EXPECT_EQ(judge(mispaired(other)), OrderVerdict::kDifferent);
  EXPECT_EQ(judge(swapped_fields(other)), OrderVerdict::kDifferent);
  ASSERT_TRUE(apply_records({{"r0", 0, 1 << 20, 8}}, ranges_));
  EXPECT_EQ(judge(other), OrderVerdict::kSame) << "the user says that they belong to it";
  EXPECT_EQ(judge(mispaired(other)), OrderVerdict::kDifferent);
}

TEST_F(FreeOrderTest, KeepsArraysOfDifferentOrdersApart) {
  Random second(5);
  const auto kernel = [&second](const Order& order) {
    Memory memory = two_arrays(order);
    memory[1] = two_arrays(loose_order(kItems, second))[1];
    return memory;
  };
  calibrate(
      kernel, [](Random& random) { return loose_order(kItems, random); }, "compact(float*, int*)");
  EXPECT_EQ(judge(loose_order(kItems, random_)), OrderVerdict::kSame);
  EXPECT_EQ(free_orders(ranges_, targets_)->size(), 2u);
}

// perm[i] = p; out[p] = x[i]
Memory with_places(const Order& order, uint32_t swap = 0) {
  Memory memory = two_arrays(order);
  for (uint32_t place = 0; place < order.size(); ++place) put(memory[1], order[place] * 4, place ^ swap);
  return memory;
}

TEST_F(FreeOrderTest, FollowsPlacesIntoTheArrayThatTheyAreOf) {
  calibrate([](const Order& order) { return with_places(order); },
            [](Random& random) { return loose_order(kItems, random); }, "compact(float*, int*)");
  const Order other = loose_order(kItems, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(with_places(other, 1)), OrderVerdict::kDifferent) << "a permutation, but of other places";
  EXPECT_EQ(free_orders(ranges_, targets_)->size(), 1u);
}

// Rows of a sparse matrix: out[atomicAdd(&cursor[row(i)], 1)] = item i. Targets: columns, values, cursors.
constexpr uint32_t kRows = 60, kRowItems = 900;
uint32_t row_of(uint32_t i) {
  return (i * 2654435761u >> 16) % kRows;
}
std::vector<uint32_t> rows_begin() {
  std::vector<uint32_t> begins(kRows + 1, 0);
  for (uint32_t i = 0; i < kRowItems; ++i) ++begins[row_of(i) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}
// `stray`: an item in another row.
Memory rows(const Order& order, uint32_t stray, bool downwards = false) {
  Memory memory(3, Buffer(kRowItems * 4, 0));
  const std::vector<uint32_t> begins = rows_begin();
  std::vector<uint32_t> cursors(begins.begin(), begins.end() - 1);
  if (downwards) std::copy(begins.begin() + 1, begins.end(), cursors.begin());
  for (const uint32_t i : order) {
    uint32_t& cursor = cursors[row_of(i ^ stray)];
    const uint32_t place = downwards ? --cursor : cursor++;
    put(memory[0], place * 4, item(i).key);
    put(memory[1], place * 4, item(i).value * 3 + 5);
  }
  memory[2].assign(kRows * 4, 0);
  std::memcpy(memory[2].data(), cursors.data(), kRows * 4);
  return memory;
}

TEST_F(FreeOrderTest, KeepsRowsApartThatCursorsClaim) {
  for (const bool downwards : {false, true}) {
    const std::vector<uint32_t> begins = rows_begin();
    before_ = Memory(3, Buffer(kRowItems * 4, 0));
    before_[2].assign(kRows * 4, 0);
    std::memcpy(before_[2].data(), begins.data() + downwards, kRows * 4);
    calibrate([downwards](const Order& order) { return rows(order, 0, downwards); },
              [](Random& random) { return loose_order(kRowItems, random); }, "fill(int*, float*, int*)");
    const Order other = loose_order(kRowItems, random_);
    EXPECT_EQ(judge(other), OrderVerdict::kSame);
    EXPECT_EQ(event_["arrays"][0]["spans"], kRows) << event_;
    // Each row has as many items, and each pair is as before, but in a neighbour's row.
    EXPECT_EQ(judge(rows(other, 1, downwards)), OrderVerdict::kDifferent);
    ASSERT_TRUE(apply_records({{"r0", 0, 1 << 20, 4}}, ranges_));
    EXPECT_EQ(judge(other), OrderVerdict::kSame);
    EXPECT_EQ(judge(rows(other, 1, downwards)), OrderVerdict::kDifferent);
  }
}

// out[cell * 32 + atomicAdd(&count[cell], 1)] = i
Memory cells(const Order& order, uint32_t stray) {
  Memory memory(2, Buffer(kRows * 32 * 4, 0));
  std::vector<uint32_t> counts(kRows, 0);
  for (const uint32_t i : order) {
    const uint32_t cell = row_of(i ^ stray);
    put(memory[0], (cell * 32 + counts[cell]++) * 4, i + 1);
  }
  memory[1].assign(kRows * 4, 0);
  std::memcpy(memory[1].data(), counts.data(), kRows * 4);
  return memory;
}

TEST_F(FreeOrderTest, KeepsCellsOfOneCapacityApart) {
  before_ = Memory(2, Buffer(kRows * 32 * 4, 0));
  before_[1].assign(kRows * 4, 0);
  calibrate([](const Order& order) { return cells(order, 0); },
            [](Random& random) { return loose_order(kRowItems, random); }, "bin(int*, int*)");
  const Order other = loose_order(kRowItems, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(cells(other, 1)), OrderVerdict::kDifferent);
}

TEST_F(FreeOrderTest, GivesUpWhereCountersSayNothingOfALargeArray) {
  // Half a million places, and two numbers beside them that would fit a million capacities, none of them well.
  constexpr uint32_t kPlaces = 500000;
  const auto kernel = [](const Order& order) {
    Memory memory(2, Buffer(kPlaces * 16, 0));
    for (uint32_t place = 0; place < order.size(); ++place) put(memory[0], place * 4, order[place] + 1);
    memory[1].assign(12, 0);
    put(memory[1], 0, 300000u);
    put(memory[1], 8, 450000u);
    return memory;
  };
  before_ = Memory(2, Buffer(kPlaces * 16, 0));
  before_[1].assign(12, 0);
  calibrate(
      kernel, [](Random& random) { return loose_order(kPlaces, random); }, "compact(int*, int*)", 3);
  EXPECT_EQ(judge(loose_order(kPlaces, random_)), OrderVerdict::kSame);
  EXPECT_FALSE(event_["arrays"][0].contains("spans"));
}

// Two lists, from either end of one array; `wrong` goes to the other one, as often as back.
Memory both_ends(const Order& order, bool wrong) {
  Memory memory(2, Buffer(order.size() * 4, 0));
  uint32_t counts[2] = {0, 0};
  for (const uint32_t i : order) {
    const bool second = ((i ^ wrong) & 1) != 0 && i % 8 < 6;
    const size_t place = second ? order.size() - 1 - counts[1] : counts[0];
    ++counts[second];
    put(memory[0], place * 4, i + 1);
  }
  memory[1].assign(8, 0);
  std::memcpy(memory[1].data(), counts, 8);
  return memory;
}

TEST_F(FreeOrderTest, KeepsListsApartThatGrowFromBothEnds) {
  before_ = Memory(2, Buffer(kItems * 4, 0));
  before_[1].assign(8, 0);
  calibrate([](const Order& order) { return both_ends(order, false); },
            [](Random& random) { return loose_order(kItems, random); }, "part(int*, int*)");
  const Order other = loose_order(kItems, random_);
  EXPECT_EQ(judge(other), OrderVerdict::kSame);
  EXPECT_EQ(judge(both_ends(other, true)), OrderVerdict::kDifferent);
}

TEST_F(FreeOrderTest, FindsNoBordersWhereOneCounterClaimsAll) {
  // A histogram of the same items beside it, whose bins add up to the places.
  const auto kernel = [](const Order& order) {
    Memory memory = two_arrays(order);
    std::vector<uint32_t> counts(kRows, 0);
    for (const uint32_t i : order) ++counts[row_of(i)];
    memory.push_back(Buffer(kRows * 4));
    std::memcpy(memory[2].data(), counts.data(), kRows * 4);
    memory.push_back(Buffer(4));
    put(memory[3], 0, static_cast<uint32_t>(order.size()));
    return memory;
  };
  before_ = Memory(4, Buffer(kItems * 4 + 256, 0));
  before_[2].assign(kRows * 4, 0);
  before_[3].assign(4, 0);
  calibrate(
      kernel, [](Random& random) { return chunked_order(kItems, 9, 61, random); }, "compact(float*, int*, int*, int*)");
  EXPECT_EQ(judge(loose_order(kItems, random_)), OrderVerdict::kSame);
  EXPECT_FALSE(event_["arrays"][0].contains("spans"));
}

TEST_F(FreeOrderTest, FindsRecordsBehindAHeader) {
  const auto kernel = [](const Order& order) {
    Memory memory(1, Buffer(12 + order.size() * 24 + 100, 0));
    put(memory[0], 0, static_cast<uint32_t>(order.size()));
    for (size_t place = 0; place < order.size(); ++place) {
      for (uint32_t j = 0; j < 6; ++j)
        put(memory[0], 12 + place * 24 + 4 * j, j == 2 ? 7 : item(order[place] * 6 + j).value);
    }
    return memory;
  };
  calibrate(
      kernel, [](Random& random) { return loose_order(kItems, random); }, "push(Queue*)");
  EXPECT_EQ(judge(loose_order(kItems, random_)), OrderVerdict::kSame);
  EXPECT_EQ(event_["arrays"][0]["record_bytes"], 24) << event_;
  Memory wrong = kernel(loose_order(kItems, random_));
  std::swap_ranges(wrong[0].begin() + 12, wrong[0].begin() + 16, wrong[0].begin() + 12 + 24);
  EXPECT_EQ(judge(wrong), OrderVerdict::kDifferent) << "the first fields of two records";
}

TEST_F(FreeOrderTest, LeavesToRangesWhatIsNoPermutation) {
  int replay = 0;
  calibrate(
      [&replay](const Order& order) {
        Memory memory = scalars(order);
        put(memory[0], 400, static_cast<float>(++replay));
        return memory;
      },
      [](Random& random) { return loose_order(kItems, random); }, "compact(float*)");
  EXPECT_TRUE(ranges_.empty());
  EXPECT_EQ(left_[0], varying_bytes(0));
}

TEST_F(FreeOrderTest, ComesBackFromAFileAsItWasWritten) {
  calibrate([](const Order& order) { return with_places(order); },
            [](Random& random) { return loose_order(kItems, random); }, "compact(float*, int*)");
  archive::Json list = archive::Json::array();
  for (const VaryingRange& range : ranges_) list.push_back(to_json(range));
  EXPECT_TRUE(list[1].contains("indexes")) << list;
  const archive::TemporaryDirectory folder;
  std::ofstream(folder.path() / "selfcheck.json") << archive::Json({{"varying", list}}).dump();
  const auto read = read_varying(folder.path() / "selfcheck.json", targets_);
  ASSERT_TRUE(read) << read.error().message;
  archive::Json again = archive::Json::array();
  for (const VaryingRange& range : *read) again.push_back(to_json(range));
  EXPECT_EQ(again, list);
  ranges_ = *read;
  EXPECT_EQ(judge(with_places(loose_order(kItems, random_), 1)), OrderVerdict::kDifferent);
}

TEST(RecordStridesTest, AgreesWithSortingRecordsOfEveryLength) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const uint64_t record = 1 + random() % 20, count = 5 + random() % 20, header = random() % 9;
    Buffer first(header + record * count + random() % 9);
    for (uint8_t& byte : first) byte = static_cast<uint8_t>(random() % 7);
    Arrangements seen{{first}, first.size(), 0};
    for (int replay = 0; replay < 3; ++replay) {
      const Order order = loose_order(static_cast<uint32_t>(count), random);
      Buffer other = first;
      for (uint64_t i = 0; i < count; ++i)
        std::copy_n(first.begin() + static_cast<ptrdiff_t>(header + order[i] * record), record,
                    other.begin() + static_cast<ptrdiff_t>(header + i * record));
      for (uint64_t at = 0; at < first.size(); ++at) {
        if (first[at] == other[at]) continue;
        seen.begin = std::min(seen.begin, at), seen.end = std::max(seen.end, at + 1);
      }
      seen.samples.push_back(std::move(other));
    }
    if (seen.begin >= seen.end) continue;
    std::vector<uint64_t> expected, got;
    for (uint64_t bytes = 1; bytes <= std::min<uint64_t>(kLongestRecord, first.size()); ++bytes) {
      bool consistent = false;
      for (uint64_t phase = 0; phase < bytes && !consistent; ++phase) {
        const uint64_t begin = seen.begin - (seen.begin + bytes - phase) % bytes;
        if (begin > seen.begin) continue;  // wrapped
        const uint64_t n = (seen.end - begin + bytes - 1) / bytes;
        if (begin + n * bytes > first.size()) continue;
        const auto sorted = [&](const Buffer& sample) {
          std::vector<std::string> parts;
          for (uint64_t i = 0; i < n; ++i)
            parts.emplace_back(sample.begin() + begin + i * bytes, sample.begin() + begin + (i + 1) * bytes);
          std::sort(parts.begin(), parts.end());
          return parts;
        };
        consistent = std::all_of(seen.samples.begin(), seen.samples.end(),
                                 [&](const Buffer& sample) { return sorted(sample) == sorted(first); });
      }
      if (consistent) expected.push_back(bytes);
    }
    for (const Stride& stride : consistent_strides(seen, 1, static_cast<int64_t>(header))) got.push_back(stride.bytes);
    EXPECT_EQ(got, expected) << "records of " << record << " bytes behind " << header;
    EXPECT_NE(std::find(got.begin(), got.end(), record), got.end());
  }
}

}  // namespace
}  // namespace kernloop::replay
