#include "softgpu/engine/observe/probes.h"

#include <algorithm>
#include <limits>

#include "softgpu/engine/code/code_run.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kMostBytes = uint64_t{16} << 30;  // per map

template <typename T>
std::unique_ptr<T, FreeMemory> zeroed(uint64_t count) {
  return std::unique_ptr<T, FreeMemory>(static_cast<T*>(std::calloc(std::max<uint64_t>(count, 1), sizeof(T))));
}

uint64_t largest(uint32_t bytes) {
  return bytes == 8 ? std::numeric_limits<uint64_t>::max() : std::numeric_limits<uint32_t>::max();
}

void store(uint8_t* at, uint32_t bytes, uint64_t value) {
  value = std::min(value, largest(bytes));
  std::memcpy(at, &value, bytes);
}

void add(uint8_t* at, uint32_t bytes, uint64_t value) {
  uint64_t before = 0;
  std::memcpy(&before, at, bytes);
  store(at, bytes, value > largest(bytes) - before ? largest(bytes) : before + value);
}

}  // namespace

bool ProbeProgram::ends_run(const DecodedInstruction& instruction) const {
  return events.has(instruction.counted_as) || (events.has_accesses() && accesses_memory(instruction));
}

std::string ProbeStore::allocate(const ProbeProgram& program, const ProbedGrid& grid, ProbeResults* results) {
  program_ = &program;
  grid_ = grid;
  results_ = results;
  results->wave_size = grid.wave_size;
  results->maps.clear();
  for (const ProbeMap& map : program.maps) {
    ProbedMap probed;
    probed.name = map.name;
    const unsigned __int128 units =
        static_cast<unsigned __int128>(grid.workgroups) * (map.is_of_threads ? grid.threads() : grid.waves());
    const unsigned __int128 unit_bytes = static_cast<unsigned __int128>(map.capacity) * map.record_bytes;
    if (units > kMostBytes / 4 || unit_bytes > kMostBytes || units * unit_bytes > kMostBytes)
      return "probe map " + map.name + " would have more than 16 GiB";
    probed.units = static_cast<uint64_t>(units);
    probed.unit_bytes = static_cast<uint64_t>(unit_bytes);
    probed.records = zeroed<uint8_t>(probed.units * probed.unit_bytes);
    probed.counts = zeroed<uint32_t>(probed.units);
    if (!probed.records || !probed.counts) return "the host has no memory for probe map " + map.name;
    results->maps.push_back(std::move(probed));
  }
  return {};
}

Prober::Prober(ProbeStore& store)
    : store_(store),
      program_(store.program()),
      grid_(store.grid()),
      worker_(store.next_worker()),
      tallies_(store.program().maps.size()) {}

void Prober::add_to_results() {
  for (size_t k = 0; k < tallies_.size(); ++k) {
    store_.map(k).kept += tallies_[k].kept;
    store_.map(k).dropped += tallies_[k].dropped;
  }
}

void Prober::begin_workgroup(const Workgroup& workgroup) {
  for (WaveSlot* wave : workgroup.waves) wave->probes = {.lanes = wave->exec()};
}

void Prober::begin_slice(WaveSlot& wave) {
  wave_ = &wave;
  slice_start_ = wave.instructions;
  if (wave.probes.has_begun) return;
  wave.probes.has_begun = true;
  wave.probes.start = executed_;
  if (!program_.events.has_start()) return;
  for (const Probe& probe : program_.probes) {
    if (probe.events.has_start()) fire(probe, wave.probes.lanes, nullptr);
  }
}

void Prober::end_slice(WaveSlot& wave) {
  if (wave.state == WaveState::kDone && program_.events.has_end()) {
    for (const Probe& probe : program_.probes) {
      if (probe.events.has_end()) fire(probe, wave.probes.lanes, nullptr);
    }
  }
  executed_ += wave.instructions - slice_start_;
}

void Prober::instruction(const DecodedInstruction& instruction) {
  for (const Probe& probe : program_.probes) {
    if (probe.events.has(instruction.counted_as)) fire(probe, wave_->exec() & wave_->probes.lanes, nullptr);
  }
}

// Lanes that the wave did not begin with belong to no work-item: functions save registers for them, too.
void Prober::access(ProbeSpace space, AccessKind kind, const uint64_t* addresses, uint64_t lanes, uint32_t bytes) {
  lanes &= wave_->probes.lanes;
  if (lanes == 0 || !program_.events.has(space, kind)) return;
  const Access access{addresses, bytes, false};
  for (const Probe& probe : program_.probes) {
    if (probe.events.has(space, kind)) fire(probe, lanes, &access);
  }
}

void Prober::lds(AccessKind kind, const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes) {
  if (!program_.events.has(ProbeSpace::kLds, kind)) return;
  uint64_t addresses[kLanes];
  for_lanes(lanes, [&](unsigned lane) { addresses[lane] = uint32_t{offsets[lane] + immediate}; });
  access(ProbeSpace::kLds, kind, addresses, lanes, bytes);
}

void Prober::scalar(uint64_t address, uint32_t bytes) {
  if (!program_.events.has(ProbeSpace::kScalar, AccessKind::kLoad)) return;
  const Access access{&address, bytes, true};
  for (const Probe& probe : program_.probes) {
    if (probe.events.has(ProbeSpace::kScalar, AccessKind::kLoad)) fire(probe, wave_->exec(), &access);
  }
}

void Prober::fire(const Probe& probe, uint64_t lanes, const Access* access) {
  const uint64_t workgroup = wave_->workgroup->ordinal;
  if (!program_.maps[probe.map].is_of_threads) {
    return write(probe, workgroup * grid_.waves() + wave_->index_in_workgroup, -1, lanes, access);
  }
  for_lanes(lanes, [&](unsigned lane) {
    write(probe, workgroup * grid_.threads() + thread_of(lane), static_cast<int>(lane), lanes, access);
  });
}

void Prober::write(const Probe& probe, uint64_t unit, int lane, uint64_t lanes, const Access* access) {
  ProbedMap& map = store_.map(probe.map);
  const ProbeMap& asked = program_.maps[probe.map];
  Tally& tally = tallies_[probe.map];
  uint32_t& count = map.counts.get()[unit];
  uint8_t* record = map.records.get() + unit * map.unit_bytes;
  if (probe.adds) {
    if (count == 0) {
      count = 1;
      ++(asked.capacity > 0 ? tally.kept : tally.dropped);
    }
    if (asked.capacity == 0) return;
    for (const ProbeField& field : probe.fields)
      add(record + field.offset, field.bytes, value_of(field, lane, lanes, access));
    return;
  }
  const uint32_t at = count;
  if (count != std::numeric_limits<uint32_t>::max()) ++count;
  if (at >= asked.capacity) {
    ++tally.dropped;
    return;
  }
  ++tally.kept;
  record += uint64_t{at} * asked.record_bytes;
  for (const ProbeField& field : probe.fields)
    store(record + field.offset, field.bytes, value_of(field, lane, lanes, access));
}

uint64_t Prober::value_of(const ProbeField& field, int lane, uint64_t lanes, const Access* access) const {
  const auto active = static_cast<uint64_t>(__builtin_popcountll(lanes));
  switch (field.value) {
    case ProbeValue::kConstant:
      return field.constant;
    case ProbeValue::kClock:
      return clock();
    case ProbeValue::kStart:
      return wave_->probes.start;
    case ProbeValue::kElapsed:
      return clock() - wave_->probes.start;
    case ProbeValue::kCu:
      return worker_;
    case ProbeValue::kWorkgroup:
      return wave_->workgroup->ordinal;
    case ProbeValue::kWave:
      return wave_->index_in_workgroup;
    case ProbeValue::kLane:
      return static_cast<uint64_t>(lane);
    case ProbeValue::kThread:
      return thread_of(static_cast<unsigned>(lane));
    case ProbeValue::kLanes:
      return active;
    case ProbeValue::kPc:
      return wave_->pc;
    case ProbeValue::kAddress:
      return access->is_scalar ? *access->addresses : access->addresses[lane < 0 ? __builtin_ctzll(lanes) : lane];
    case ProbeValue::kBytes:
      return lane >= 0 || access->is_scalar ? access->bytes : access->bytes * active;
  }
  return 0;
}

// A partial workgroup's waves hold its work-items densely, by its own size; their numbers are those of a whole
// workgroup.
uint64_t Prober::thread_of(unsigned lane) const {
  const uint64_t linear = uint64_t{wave_->index_in_workgroup} * grid_.wave_size + lane;
  uint64_t size[2];
  for (unsigned k = 0; k < 2; ++k) {
    const uint64_t begin = uint64_t{wave_->workgroup->id[k]} * grid_.workgroup_size[k];
    size[k] = std::min<uint64_t>(grid_.workgroup_size[k], grid_.grid_size[k] - begin);
  }
  const uint64_t x = linear % size[0], y = linear / size[0] % size[1], z = linear / size[0] / size[1];
  return (z * grid_.workgroup_size[1] + y) * grid_.workgroup_size[0] + x;
}

}  // namespace kernloop::softgpu
