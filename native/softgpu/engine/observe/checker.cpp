#include "softgpu/engine/observe/checker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "softgpu/engine/memory/byte_shadow.h"
#include "softgpu/engine/memory/nearby.h"
#include "softgpu/engine/observe/late_stores.h"
#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu {

namespace {

// Loads are checked by dwords, or whole if they are narrower.
uint32_t unit_of(uint32_t bytes) {
  return std::min<uint32_t>(bytes, 4);
}

}  // namespace

Checker::Checker(Checks checks, const AddressSpace& space, Services services)
    : checks_(checks), space_(space), services_(std::move(services)), mappings_(space.snapshot()) {
  if (!checks_.races) return;
  races_.emplace(RaceDetector::Services{services_.entry, services_.place, services_.describe,
                                        [this](uint64_t address) {
                                          const AddressSpace::Mapping* mapping = mapping_of(address);
                                          return mapping ? mapping->base : 0;
                                        },
                                        services_.decode, services_.has_split_memory});
}

Checker::~Checker() {
  if (!races_) return;
  for (Fault& race : races_->take_findings()) services_.report(std::move(race));
}

void Checker::begin_workgroup(Workgroup& workgroup) {
  if (checks_.uninitialized) workgroup.lds_shadow = std::make_unique<LdsShadow>(workgroup.lds_bytes);
  if (races_) races_->begin_workgroup(workgroup);
}

const AddressSpace::Mapping* Checker::mapping_of(uint64_t address) {
  for (unsigned attempt = 0; attempt < 2; ++attempt) {
    const auto above = std::upper_bound(mappings_->begin(), mappings_->end(), address,
                                        [](uint64_t value, const auto& mapping) { return value < mapping.base; });
    if (above != mappings_->begin() && address - std::prev(above)->base < std::prev(above)->size) {
      return &*std::prev(above);
    }
    mappings_ = space_.snapshot();  // mapped since
  }
  return nullptr;
}

void Checker::report(Fault::Kind kind, const Place& place, std::string detail) {
  if (!told_.emplace(kind, wave_->pc).second) return;
  services_.report(services_.place(WaveFault{.kind = kind,
                                             .detail = std::move(detail),
                                             .lane = place.lane,
                                             .address = place.address,
                                             .bytes = place.bytes,
                                             .is_write = place.kind != AccessKind::kLoad},
                                   *wave_));
}

void Checker::begin_instruction(WaveSlot& wave, const DecodedInstruction& instruction) {
  std::optional<WaveFault> fault = wave.pending.begin(wave, instruction, services_.entry);
  if (!fault) return;
  if (late_stores) throw *std::move(fault);
  if (!told_.emplace(fault->kind, instruction.address).second) return;
  const uint64_t pc = std::exchange(wave.pc, instruction.address);  // within a run it is the run's start
  services_.report(services_.place(*fault, wave));
  wave.pc = pc;
}

void Checker::check_bounds(const AddressSpace::Mapping& mapping, const Place& place) {
  const uint64_t used = mapping.used ? mapping.used : mapping.size;
  const uint64_t end = place.address + place.bytes - mapping.base;
  if (end <= used) return;
  report(Fault::Kind::kOutOfBounds, place, std::to_string(end - used) + " bytes past the end of " + describe(mapping));
}

void Checker::check_initialized(const AddressSpace::Mapping& mapping, const Place& place) {
  if (!mapping.written || place.kind == AccessKind::kStore) return;
  const uint32_t unit = unit_of(place.bytes);
  for (uint64_t at = place.address; at < place.address + place.bytes; at += unit) {
    bool untouched = true;
    for (uint64_t byte = at; byte < at + unit; ++byte) {
      untouched &=
          !mapping.written->is_marked(byte) && *reinterpret_cast<const volatile uint8_t*>(byte) == ByteShadow::kFiller;
    }
    if (!untouched) continue;
    report(Fault::Kind::kUninitialized, place,
           "nobody has written the " + std::to_string(unit) + " bytes at " + hex(at) + ", " +
               std::to_string(at - mapping.base) + " bytes into " + describe(mapping));
    return;
  }
}

void Checker::one_global(const Place& place) {
  const AddressSpace::Mapping* mapping = mapping_of(place.address);
  if (!mapping) return;
  if (checks_.bounds) check_bounds(*mapping, place);
  if (checks_.uninitialized) check_initialized(*mapping, place);
}

void Checker::global(const LaneAddresses& addresses, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  if (late_stores) late_stores->access(*wave_, addresses, lanes, bytes, kind);
  if (races_) races_->global(addresses, lanes, bytes, kind);
  if (!checks_.bounds && !checks_.uninitialized) return;
  for_lanes(lanes, [&](unsigned lane) { one_global({static_cast<int32_t>(lane), addresses.at[lane], bytes, kind}); });
  if (kind == AccessKind::kLoad) return;
  // Done after all lanes have been checked: bytes that one of them writes are not there when another one reads.
  for_lanes(lanes, [&](unsigned lane) {
    const AddressSpace::Mapping* mapping = mapping_of(addresses.at[lane]);
    if (mapping && mapping->written) mapping->written->mark(addresses.at[lane], bytes);
  });
}

void Checker::scalar(uint64_t address, uint32_t bytes) {
  if (races_) races_->scalar(address, bytes);
  one_global({-1, address, bytes, AccessKind::kLoad});
}

void Checker::check_lds_initialized(const LdsShadow& shadow, const Place& place) {
  const uint32_t unit = unit_of(place.bytes);
  for (uint64_t at = place.address; at < place.address + place.bytes; at += unit) {
    const bool untouched =
        std::all_of(&shadow.written[at], &shadow.written[at] + unit, [](uint8_t written) { return written == 0; });
    if (!untouched) continue;
    report(Fault::Kind::kUninitialized, place,
           "no wave of the workgroup has written the " + std::to_string(unit) + " bytes at " + hex(at) + " of its LDS");
    return;
  }
}

void Checker::lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  if (races_) races_->lds(offsets, immediate, lanes, bytes, kind);
  LdsShadow* shadow = wave_->workgroup->lds_shadow.get();
  if (!checks_.uninitialized || !shadow) return;
  if (kind != AccessKind::kStore) {
    for_lanes(lanes, [&](unsigned lane) {
      check_lds_initialized(*shadow,
                            Place{static_cast<int32_t>(lane), uint32_t{offsets[lane] + immediate}, bytes, kind});
    });
  }
  if (kind == AccessKind::kLoad) return;
  for_lanes(lanes, [&](unsigned lane) {
    std::fill_n(shadow->written.begin() + uint32_t{offsets[lane] + immediate}, bytes, uint8_t{1});
  });
}

}  // namespace kernloop::softgpu
