#include "softgpu/engine/checker.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "softgpu/engine/byte_shadow.h"
#include "softgpu/engine/nearby.h"

namespace kernloop::softgpu {

namespace {

// Loads are looked at by dwords, or whole where they are narrower.
uint32_t unit_of(uint32_t bytes) {
  return std::min<uint32_t>(bytes, 4);
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Checker::Checker(Checks checks, const AddressSpace& space, uint64_t entry, Report report)
    : checks_(checks), space_(space), entry_(entry), report_(std::move(report)), mappings_(space.snapshot()) {}

void Checker::begin_workgroup(Workgroup& workgroup) const {
  if (checks_.races || checks_.uninitialized) workgroup.lds_shadow = std::make_unique<LdsShadow>(workgroup.lds_bytes);
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
  report_(WaveFault{.kind = kind,
                    .detail = std::move(detail),
                    .lane = place.lane,
                    .address = place.address,
                    .bytes = place.bytes,
                    .is_write = place.kind != AccessKind::kLoad},
          *wave_);
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
  for_lanes(lanes, [&](unsigned lane) { one_global({static_cast<int32_t>(lane), addresses.at[lane], bytes, kind}); });
  if (kind == AccessKind::kLoad) return;
  // After all lanes have been looked at: what one of them writes is not there when another one reads.
  for_lanes(lanes, [&](unsigned lane) {
    const AddressSpace::Mapping* mapping = mapping_of(addresses.at[lane]);
    if (mapping && mapping->written) mapping->written->mark(addresses.at[lane], bytes);
  });
}

void Checker::scalar(uint64_t address, uint32_t bytes) {
  one_global({-1, address, bytes, AccessKind::kLoad});
}

bool Checker::is_at_odds(const LdsShadow& shadow, const LdsShadow::Access& earlier, AccessKind kind) const {
  return earlier.epoch == shadow.epoch && earlier.wave != wave_->index_in_workgroup &&
         !(earlier.is_atomic && kind == AccessKind::kAtomic);
}

void Checker::check_race(const LdsShadow& shadow, const Place& place) {
  for (uint64_t at = place.address; at < place.address + place.bytes; ++at) {
    const LdsShadow::Byte& byte = shadow.bytes[at];
    const LdsShadow::Access* earlier = nullptr;
    const char* did = "wrote";
    if (is_at_odds(shadow, byte.written, place.kind)) {
      earlier = &byte.written;
    } else if (place.kind != AccessKind::kLoad) {
      did = "read";
      if (is_at_odds(shadow, byte.read, place.kind)) earlier = &byte.read;
      if (is_at_odds(shadow, byte.read_by_other, place.kind)) earlier = &byte.read_by_other;
    }
    if (!earlier) continue;
    report(Fault::Kind::kRace, place,
           "wave " + std::to_string(earlier->wave) + " " + did + " byte " + hex(at) + " of LDS at entry +" +
               hex(earlier->pc - entry_) + ", and there is no barrier in between");
    return;
  }
}

void Checker::check_lds_initialized(const LdsShadow& shadow, const Place& place) {
  const uint32_t unit = unit_of(place.bytes);
  for (uint64_t at = place.address; at < place.address + place.bytes; at += unit) {
    const bool untouched = std::all_of(&shadow.bytes[at], &shadow.bytes[at] + unit,
                                       [](const LdsShadow::Byte& byte) { return byte.written.epoch == 0; });
    if (!untouched) continue;
    report(Fault::Kind::kUninitialized, place,
           "no wave of the workgroup has written the " + std::to_string(unit) + " bytes at " + hex(at) + " of its LDS");
    return;
  }
}

void Checker::touch(LdsShadow& shadow, const Place& place) const {
  const LdsShadow::Access access{shadow.epoch, static_cast<uint16_t>(wave_->index_in_workgroup),
                                 place.kind == AccessKind::kAtomic, wave_->pc};
  for (uint64_t at = place.address; at < place.address + place.bytes; ++at) {
    LdsShadow::Byte& byte = shadow.bytes[at];
    if (place.kind != AccessKind::kLoad) {
      byte.written = access;
      continue;
    }
    if (byte.read.epoch == shadow.epoch && byte.read.wave != access.wave) byte.read_by_other = byte.read;
    byte.read = access;
  }
}

void Checker::lds(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, AccessKind kind) {
  LdsShadow* shadow = wave_->workgroup->lds_shadow.get();
  if (!shadow) return;
  const auto for_places = [&](auto&& look) {
    for_lanes(lanes, [&](unsigned lane) {
      look(Place{static_cast<int32_t>(lane), uint32_t{offsets[lane] + immediate}, bytes, kind});
    });
  };
  if (checks_.uninitialized && kind != AccessKind::kStore)
    for_places([&](const Place& place) { check_lds_initialized(*shadow, place); });
  if (checks_.races) for_places([&](const Place& place) { check_race(*shadow, place); });
  for_places([&](const Place& place) { touch(*shadow, place); });
}

}  // namespace kernloop::softgpu
