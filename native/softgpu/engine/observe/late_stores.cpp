#include "softgpu/engine/observe/late_stores.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/isa/op_facts.h"

namespace kernloop::softgpu {

namespace {

constexpr size_t kMostOfWorkgroup = 4;
constexpr uint32_t kMostAccesses = 64;  // accesses of the wave after a store

}  // namespace

LateStores::LateStores(uint64_t seed) : state_(mix(seed ^ 0x1a7e)) {}

// Lanes of one store may overlap: the old content is restored in the opposite order.
void LateStores::set_shown(Store& store, bool is_shown) {
  if (store.is_shown == is_shown) return;
  store.is_shown = is_shown;
  for (size_t k = 0; k < store.at.size(); ++k) {
    const size_t piece = is_shown ? k : store.at.size() - 1 - k;
    std::swap_ranges(store.at[piece], store.at[piece] + store.bytes, &store.other[piece * store.bytes]);
  }
}

void LateStores::show(const Workgroup& workgroup) {
  if (shown_ == &workgroup) return;
  shown_ = &workgroup;
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    if ((*store)->workgroup != &workgroup) set_shown(**store, false);
  }
  for (auto& store : stores_) {
    if (store->workgroup == &workgroup) set_shown(*store, true);
  }
}

template <typename P>
void LateStores::arrive_if(P&& has_arrived) {
  if (stores_.empty()) return;
  std::erase_if(stores_, [&](std::unique_ptr<Store>& store) {
    if (!has_arrived(*store)) return false;
    set_shown(*store, true);
    spare_.push_back(std::move(store));
    return true;
  });
}

void LateStores::begin_access(WaveSlot& wave, const Instruction& instruction) {
  is_last_new_ = false;
  if (is_counted_with_stores(instruction)) ++wave.memory_operations;
  arrive_if([&](Store& store) { return store.wave == &wave && ++store.accesses > kMostAccesses; });
}

void LateStores::access(const WaveSlot& wave, const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes,
                        AccessKind kind) {
  if (kind != AccessKind::kStore && stores_.empty()) return;
  uint64_t low = ~uint64_t{0}, high = 0;
  for_lanes(lanes, [&](unsigned lane) {
    low = std::min(low, addresses.at[lane]);
    high = std::max(high, addresses.at[lane] + bytes);
  });
  size_t of_workgroup = 0;
  arrive_if([&](const Store& store) {
    const bool is_own = store.workgroup == wave.workgroup;
    const bool is_met = low < store.high && store.low < high && (is_own || kind == AccessKind::kStore);
    of_workgroup += is_own && !is_met;
    return is_met;
  });
  if (kind != AccessKind::kStore || (state_ = mix(state_)) % 4 == 0) return;
  if (of_workgroup >= kMostOfWorkgroup) {
    bool is_oldest = true;
    arrive_if([&](const Store& store) { return store.workgroup == wave.workgroup && std::exchange(is_oldest, false); });
  }

  if (spare_.empty()) spare_.push_back(std::make_unique<Store>());
  std::unique_ptr<Store> store = std::move(spare_.back());
  spare_.pop_back();
  store->workgroup = wave.workgroup;
  store->wave = &wave;
  store->number = wave.memory_operations;
  store->accesses = 0;
  store->low = low;
  store->high = high;
  store->is_shown = true;
  store->at.clear();
  if (addresses.contiguous) {
    store->bytes = bytes * kLanes;
    store->at.push_back(addresses.host(0));
  } else {
    store->bytes = bytes;
    for_lanes(lanes, [&](unsigned lane) { store->at.push_back(addresses.host(lane)); });
  }
  store->other.resize(store->at.size() * store->bytes);
  for (size_t k = 0; k < store->at.size(); ++k)
    std::memcpy(&store->other[k * store->bytes], store->at[k], store->bytes);
  stores_.push_back(std::move(store));
  is_last_new_ = true;
}

// A store that another workgroup looks at is visible at once: it exposes those that are not.
void LateStores::end_access(bool met_another_workgroup) {
  if (!is_last_new_) return;
  is_last_new_ = false;
  if (!met_another_workgroup) return;
  spare_.push_back(std::move(stores_.back()));
  stores_.pop_back();
}

void LateStores::wait(const WaveSlot& wave, uint64_t outstanding) {
  arrive_if([&](const Store& store) {
    if (store.workgroup != wave.workgroup) return false;
    return store.wave != &wave || store.number + outstanding <= wave.memory_operations;
  });
}

bool LateStores::has_of(const WaveSlot& wave) const {
  return std::any_of(stores_.begin(), stores_.end(), [&](const auto& store) { return store->wave == &wave; });
}

void LateStores::arrive(const WaveSlot& wave) {
  arrive_if([&](const Store& store) { return store.wave == &wave; });
}

void LateStores::arrive_all() {
  arrive_if([](const Store&) { return true; });
}

}  // namespace kernloop::softgpu
