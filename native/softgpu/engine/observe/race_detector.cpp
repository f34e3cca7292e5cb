#include "softgpu/engine/observe/race_detector.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/workgroup.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu {

namespace {

constexpr size_t kMostFindings = 100;

std::string name_of(const uint32_t id[3]) {
  return "(" + std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " + std::to_string(id[2]) + ")";
}

}  // namespace

void RaceDetector::begin_workgroup(Workgroup& workgroup) {
  if (!workgroup.races) workgroup.races = std::make_unique<GroupRaces>();
  GroupRaces& group = *workgroup.races;
  group.serial = order_.add(workgroup.id);
  group.begin = group.barrier = group.released = now_;
  group.lds.resize((workgroup.lds_bytes + 3) / 4);
  for (WaveSlot* wave : workgroup.waves) {
    wave->races = {};
    wave->races.known = now_;
  }
}

void RaceDetector::barrier(Workgroup& workgroup) {
  GroupRaces& group = *workgroup.races;
  group.barrier = now_;
  group.done.resize(workgroup.waves.size());
  for (const WaveSlot* wave : workgroup.waves) {
    const bool is_done = !sees_waits_ || wave->state == WaveState::kDone;
    group.done[wave->index_in_workgroup] = {is_done ? now_ : wave->races.lgkm.done(),
                                            is_done ? now_ : wave->races.stores.done()};
  }
}

void RaceDetector::wait(WaveSlot& wave, const MemoryWaits& waits) {
  if (waits.stores != MemoryWaits::kAny) release(wave);
  wave.races.lgkm.wait(waits.lgkm);
  wave.races.stores.wait(waits.stores);
}

void RaceDetector::pass_grid_barrier(WaveSlot& wave) {
  order_.learn_all(wave.workgroup->races->serial, grid_barrier_);
  wave.races.known = std::max(wave.races.known, grid_barrier_);
}

void RaceDetector::begin_access(WaveSlot& wave, const Instruction& instruction) {
  wave_ = &wave;
  instruction_ = &instruction;
  group_ = wave.workgroup->races.get();
  written_ = read_ = other_ = {};
  look_.reset();
  if (now_ == std::numeric_limits<uint32_t>::max()) {
    group_ = nullptr;  // nothing is looked at any more
    return;
  }
  ++now_;
  if (instruction.encoding == Encoding::kDs || instruction.encoding == Encoding::kFlat) wave.races.lgkm.issue(now_);
  if (is_counted_with_stores(instruction)) wave.races.stores.issue(now_);
  if (log_.size() < kLog && log_.size() <= now_) log_.resize(std::min<size_t>(kLog, std::max<size_t>(4096, now_ * 2)));
  log_[now_ % kLog] = {.group = group_->serial,
                       .wave = static_cast<uint16_t>(wave.index_in_workgroup),
                       .pc = static_cast<int32_t>(static_cast<int64_t>(wave.pc - services_.entry) / 4),
                       .released = sees_waits_ ? group_->released : now_};
}

void RaceDetector::end_access() {
  if (!group_) return;
  for (const auto& [serial, time] : seen_) {
    if (serial == group_->serial) {
      wave_->races.known = std::max(wave_->races.known, time);
    } else {
      order_.learn(group_->serial, {serial, time, event(time).released}, now_);
    }
  }
  seen_.clear();
  for (const Suspect& suspect : suspects_) settle(suspect);
  suspects_.clear();
}

RaceDetector::How RaceDetector::how_of(AccessKind kind, uint64_t places) {
  How how = kind == AccessKind::kAtomic ? How::kAtomic : kind == AccessKind::kStore ? How::kStore : How::kLoad;
  // All lanes load the same addresses as just before. A single lane may do so by its arithmetic.
  WaveRaces& last = wave_->races;
  waits_ = kind == AccessKind::kLoad && last.last_load_pc == wave_->pc && last.last_load_places == places;
  last.last_load_pc = kind == AccessKind::kLoad ? wave_->pc : 0;
  last.last_load_places = places;
  if (how == How::kLoad && (instruction_->is_past_caches() || waits_)) how = How::kWaitingLoad;
  // An instruction that loads from global memory into LDS stores, too.
  Event& now = log_[now_ % kLog];
  now.how = std::max(now.how, how);
  const bool may_be_private = instruction_->encoding == Encoding::kFlat || instruction_->encoding == Encoding::kMubuf;
  if (kind != AccessKind::kLoad && may_be_private) stores_.insert(wave_->pc);
  return how;
}

RaceDetector::Relation RaceDetector::find_relation(uint32_t time, bool has_arrived) const {
  if (time == 0 || now_ - time >= kLog) return Relation::kNone;
  const Event& then = event(time);
  if (then.group == group_->serial) {
    if (then.wave == wave_->index_in_workgroup) return Relation::kSameWave;
    const bool is_ordered = time <= wave_->races.known || (time <= group_->barrier && !find_missing_wait(time));
    return is_ordered ? Relation::kOrdered : Relation::kUnordered;
  }
  if (!order_.find(then.group)) return Relation::kNone;
  const bool knows = then.how == How::kStore && !has_arrived ? order_.knows_stores(group_->serial, then.group, time)
                                                             : order_.knows(group_->serial, then.group, time);
  return knows ? Relation::kOrdered : Relation::kUnordered;
}

const char* RaceDetector::find_missing_wait(uint32_t time) const {
  const Event& then = event(time);
  if (then.group != group_->serial || time > group_->barrier) return nullptr;
  const GroupRaces::Done& done = group_->done[then.wave];
  if (then.by_lgkmcnt && time > done.lgkm) return "s_waitcnt lgkmcnt(0)";
  if (then.by_stores && time > done.stores) return "s_waitcnt_vscnt null, 0x0";
  return nullptr;
}

inline RaceDetector::Relation RaceDetector::relation(uint32_t time, Memo& memo) {
  if (time != memo.time) memo = {time, find_relation(time)};
  return memo.relation;
}

// The last write to the cell was a store that nothing orders before this access, or an atomic on its way that only a
// barrier could.
bool RaceDetector::is_unordered_store(const RaceCell& cell) {
  if (relation(cell.written, written_) != Relation::kUnordered) return false;
  if (event(cell.written).how != How::kStore && !find_missing_wait(cell.written)) return false;
  return !cell.has_arrived || find_relation(cell.written, true) == Relation::kUnordered;
}

// An access that sees another wave's store orders that store before later ones.
void RaceDetector::see(RaceCell& cell) {
  const Relation to_writer = relation(cell.written, written_);
  if (to_writer != Relation::kUnordered) return;
  const uint32_t serial = event(cell.written).group;
  for (auto& [seen, time] : seen_) {
    if (seen != serial) continue;
    time = std::max(time, cell.written);
    return;
  }
  seen_.emplace_back(serial, cell.written);
}

void RaceDetector::load(const Span& at, uint8_t bytes, int32_t lane, uint32_t size) {
  RaceCell& cell = *at.cells;
  if ((cell.written_bytes & bytes) && is_unordered_store(cell)) {
    if (const WaitLoop* const loop = find_wait(wave_->pc, at, cell.written)) {
      see(cell);
      cell.has_arrived = true;
      if (!cell.is_waited_for) excuse(at, *loop, describe(at, bytes, lane, size, false, cell.written, true));
      return;
    }
    if (!cell.is_waited_for && !cell.is_equal) report(describe(at, bytes, lane, size, false, cell.written, true));
  }
  // A count that others raise by atomics: each of those saw the earlier ones.
  const bool may_wait = (cell.written_bytes & bytes) && relation(cell.written, written_) == Relation::kUnordered;
  if (may_wait && event(cell.written).how == How::kAtomic && find_wait(wave_->pc, at, cell.written)) see(cell);
  if (cell.read == now_) {
    cell.read_bytes |= bytes;
    return;
  }
  const Relation to_reader = relation(cell.read, read_);
  if (to_reader == Relation::kOrdered || to_reader == Relation::kUnordered) {
    cell.read_by_other = cell.read;
    cell.other_bytes = cell.read_bytes;
  }
  cell.read = now_;
  cell.read_bytes = bytes;
}

void RaceDetector::store(const Span& at, uint8_t bytes, int32_t lane, uint32_t size) {
  RaceCell& cell = *at.cells;
  const auto is_at_odds = [&](uint32_t time, uint8_t earlier_bytes, Memo& memo) {
    if (relation(time, memo) != Relation::kUnordered) return false;
    return !cell.is_waited_for && (earlier_bytes & bytes) != 0;
  };
  const auto suspect = [&](uint32_t earlier, bool earlier_wrote) {
    uint32_t before;
    std::memcpy(&before, at.host, sizeof before);
    suspects_.push_back({at, before, bytes, earlier, earlier_wrote, lane, size});
  };
  if (is_at_odds(cell.written, cell.written_bytes, written_) && is_unordered_store(cell))
    return suspect(cell.written, true);
  if (is_at_odds(cell.read, cell.read_bytes, read_)) return suspect(cell.read, false);
  if (is_at_odds(cell.read_by_other, cell.other_bytes, other_)) return suspect(cell.read_by_other, false);
  cell.written_bytes = cell.written == now_ ? cell.written_bytes | bytes : bytes;
  cell.written = now_;
  cell.is_equal = cell.has_arrived = false;
}

// After the store: unchanged bytes count as not written.
void RaceDetector::settle(const Suspect& suspect) {
  uint32_t after;
  std::memcpy(&after, suspect.at.host, sizeof after);
  uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (suspect.bytes >> byte & 1) mask |= 0xffu << 8 * byte;
  }
  RaceCell& cell = *suspect.at.cells;
  if (((after ^ suspect.before) & mask) == 0) {
    cell.is_equal |= suspect.earlier_wrote;
    return;
  }
  if (!cell.is_waited_for) {
    const uint64_t earlier_pc = pc_of(event(suspect.earlier));
    const WaitLoop* const loop = suspect.earlier_wrote ? nullptr : find_wait(earlier_pc, suspect.at, suspect.earlier);
    Finding finding =
        describe(suspect.at, suspect.bytes, suspect.lane, suspect.size, true, suspect.earlier, suspect.earlier_wrote);
    if (loop) {
      excuse(suspect.at, *loop, std::move(finding));
    } else {
      report(std::move(finding));
    }
  }
  cell.written = now_;
  cell.written_bytes = suspect.bytes;
  cell.is_equal = cell.has_arrived = false;
}

// Findings at this address are no races.
void RaceDetector::excuse(const Span& at) {
  if (at.cells->is_waited_for) return;
  at.cells->is_waited_for = true;
  std::erase_if(findings_, [&](const Finding& finding) {
    const bool is_there = finding.in_lds == at.in_lds && finding.dword == at.address &&
                          (!at.in_lds || finding.group == group_->serial) && finding.fault.stale_cache.empty();
    if (is_there) told_.erase(finding.key);
    return is_there;
  });
}

void RaceDetector::excuse(const Span& at, const WaitLoop& loop, Finding finding) {
  excuse(at);
  if (loop.stores.empty() || doubts_.size() >= kMostFindings) return;
  const bool is_new = std::none_of(doubts_.begin(), doubts_.end(),
                                   [&](const Doubt& doubt) { return doubt.finding.key == finding.key; });
  if (is_new) doubts_.push_back({std::move(finding), loop.stores});
}

const WaitLoop* RaceDetector::find_wait(uint64_t pc, const Span& at, uint32_t other) {
  const WaitLoop* const loop = event(other).group == group_->serial ? wait_loops_.find(pc) : nullptr;
  if (!loop || !loop->in_lds) return loop;
  const uint64_t first = loop->in_lds->address & ~3u, end = uint64_t{loop->in_lds->address} + loop->in_lds->bytes;
  return at.in_lds && at.address >= first && at.address < end ? loop : nullptr;
}

void RaceDetector::look(uint64_t places) {
  const StaleLooks::Since since = wave_->races.looks.look(*instruction_, wave_->pc, places, now_);
  const bool may_be_stale = std::min(since.of_unit, since.of_array) != StaleLooks::kNever;
  if (may_be_stale && wait_loops_.find(wave_->pc)) look_ = since;
}

void RaceDetector::look_at(const Span& at, uint8_t bytes, int32_t lane, uint32_t size) {
  const RaceCell& cell = *at.cells;
  // FLAT: other lanes may load from LDS.
  if (at.in_lds || !(cell.written_bytes & bytes)) return;
  if (relation(cell.written, written_) != Relation::kUnordered) return;
  const bool same_group = event(cell.written).group == group_->serial;
  const bool hides_from_unit = cell.written > look_->of_unit && (!same_group || services_.has_split_memory);
  const bool hides_from_array = cell.written > look_->of_array && !same_group;
  if (!hides_from_unit && !hides_from_array) return;
  const char* const cache = cache_name(instruction_->isa, hides_from_unit ? kCacheOfUnit : kCacheOfArray);
  report(describe(at, bytes, lane, size, false, cell.written, true, cache));
}

inline void RaceDetector::dword(const Span& at, uint8_t bytes, int32_t lane, uint32_t size, How how) {
  RaceCell& cell = *at.cells;
  if (look_) look_at(at, bytes, lane, size);
  // From an earlier workgroup, in the same storage.
  if (at.in_lds && cell.written <= group_->begin && cell.read <= group_->begin) cell = {};
  switch (how) {
    case How::kLoad:
      return load(at, bytes, lane, size);
    case How::kStore:
      return store(at, bytes, lane, size);
    case How::kWaitingLoad:
      see(cell);
      cell.has_arrived = true;
      if (waits_) excuse(at);
      return;
    case How::kAtomic:
      see(cell);
      cell.written = now_;
      cell.written_bytes = bytes;
      cell.is_equal = false;
      return;
  }
}

void RaceDetector::range(bool in_lds, uint64_t address, uint32_t bytes, int32_t lane, uint32_t lane_bytes, How how) {
  const uint64_t end = address + bytes;
  for (uint64_t at = address & ~uint64_t{3}; at < end;) {
    // Loops as long as the cells are contiguous.
    RaceCell* cells =
        in_lds ? &group_->lds[at / 4] : shadow_.page(at / RaceShadow::kPageBytes) + at % RaceShadow::kPageBytes / 4;
    const uint64_t until = in_lds ? end : std::min(end, (at / RaceShadow::kPageBytes + 1) * RaceShadow::kPageBytes);
    uint8_t* host = in_lds ? wave_->workgroup->lds + at : reinterpret_cast<uint8_t*>(at);
    for (; at < until; at += 4, ++cells, host += 4) {
      const uint64_t from = std::max(at, address) - at, to = std::min(at + 4, end) - at;
      const auto mask = static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
      const int32_t at_lane =
          lane < 0 ? lane : lane + static_cast<int32_t>((std::max(at, address) - address) / lane_bytes);
      dword({cells, host, at, in_lds}, mask, at_lane, lane_bytes, how);
    }
  }
}

void RaceDetector::global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  if (!group_ || lanes == 0) return;
  uint64_t places = lanes;
  for_lanes(lanes, [&](unsigned lane) { places = mix(places ^ addresses.at[lane]); });
  const How how = how_of(kind, places);
  if (kind == AccessKind::kLoad && !instruction_->lds) look(places);
  log_[now_ % kLog].by_stores = how == How::kStore && services_.has_split_memory;
  if (addresses.contiguous) return range(false, addresses.at[0], bytes * kLanes, 0, bytes, how);
  for_lanes(lanes,
            [&](unsigned lane) { range(false, addresses.at[lane], bytes, static_cast<int32_t>(lane), bytes, how); });
}

void RaceDetector::scalar(uint64_t address, uint32_t bytes) {
  if (!group_) return;
  waits_ = false;
  range(false, address, bytes, -1, bytes, instruction_->glc ? How::kWaitingLoad : How::kLoad);
}

void RaceDetector::lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  if (!group_ || lanes == 0) return;
  uint64_t places = mix(lanes) ^ kSharedApertureBase;
  for_lanes(lanes, [&](unsigned lane) { places = mix(places ^ uint32_t{offsets[lane] + immediate}); });
  const How how = how_of(kind, places);
  // Loads into LDS are counted elsewhere.
  log_[now_ % kLog].by_lgkmcnt = how >= How::kStore && !instruction_->lds;
  for_lanes(lanes, [&](unsigned lane) {
    const uint32_t begin = offsets[lane] + immediate;
    if ((begin | bytes) % 4 != 0) return range(true, begin, bytes, static_cast<int32_t>(lane), bytes, how);
    for (uint32_t at = begin; at < begin + bytes; at += 4) {
      RaceCell& cell = group_->lds[at / 4];
      const bool again = how == How::kLoad && cell.read == now_ && cell.read_bytes == 0xf;  // by another lane
      if (!again) dword({&cell, wave_->workgroup->lds + at, at, true}, 0xf, static_cast<int32_t>(lane), bytes, how);
    }
  });
}

RaceDetector::Finding RaceDetector::describe(const Span& at, uint8_t bytes, int32_t lane, uint32_t size, bool is_write,
                                             uint32_t earlier, bool earlier_wrote, const char* stale_cache) const {
  const Event& then = event(earlier);
  const uint64_t earlier_pc = pc_of(then);
  Fault fault = services_.place(WaveFault{.kind = Fault::Kind::kRace,
                                          .detail = {},
                                          .lane = lane,
                                          .address = at.address + static_cast<unsigned>(__builtin_ctz(bytes)),
                                          .bytes = size,
                                          .is_write = is_write},
                                *wave_);
  Fault::Other other;
  const RaceOrder::Group* group = order_.find(then.group);
  std::copy_n(group->id, 3, other.workgroup);
  other.wave = then.wave;
  other.pc = earlier_pc;
  other.pc_offset = earlier_pc - services_.entry;
  other.instruction = services_.describe(earlier_pc);
  other.is_write = earlier_wrote;
  fault.in_lds = at.in_lds;
  const bool same_group = then.group == group_->serial;
  if (stale_cache) {
    fault.stale_cache = stale_cache;
  } else if (const char* const missing = find_missing_wait(earlier)) {
    fault.missing_wait = missing;
  }
  fault.detail =
      "wave " + std::to_string(then.wave) + (same_group ? "" : " of workgroup " + name_of(group->id)) + " " +
      (earlier_wrote ? "wrote" : "read") + " byte " + hex(fault.address) + (at.in_lds ? " of LDS" : "") +
      " at entry +" + hex(other.pc_offset) + ", and " +
      (stale_cache ? "the load that waits for it may find the value before it for ever in the " + fault.stale_cache
       : !fault.missing_wait.empty()
           ? "the barrier in between does not order the two: `" + fault.missing_wait + "` is missing before it"
       : same_group ? "there is no barrier in between"
                    : "nothing orders the two");
  fault.other = std::move(other);
  const std::tuple key(wave_->pc, earlier_pc, at.in_lds ? 0 : services_.allocation(at.address));
  return {std::move(fault), at.in_lds, at.address, group_->serial, key};
}

void RaceDetector::report(Finding finding) {
  if (findings_.size() < kMostFindings && told_.insert(finding.key).second) findings_.push_back(std::move(finding));
}

std::vector<Fault> RaceDetector::take_findings() {
  std::vector<Fault> faults;
  for (Doubt& doubt : doubts_) {
    const bool stores =
        std::any_of(doubt.stores.begin(), doubt.stores.end(), [&](uint64_t pc) { return stores_.contains(pc); });
    if (stores) report(std::move(doubt.finding));
  }
  for (Finding& finding : findings_) faults.push_back(std::move(finding.fault));
  doubts_.clear();
  findings_.clear();
  return faults;
}

}  // namespace kernloop::softgpu
