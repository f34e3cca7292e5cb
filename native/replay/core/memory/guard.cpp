#include "replay/core/memory/guard.h"

#include <algorithm>

#include "verdict/compare.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kDwordBytes = 4;

// The part of the bytes behind a region that may be closed: it starts at the next dword.
AddressRange from_next_dword(const AddressRange& padding) {
  const uint64_t base = (padding.base + kDwordBytes - 1) / kDwordBytes * kDwordBytes;
  return base >= padding.end() ? AddressRange{padding.end(), 0} : AddressRange{base, padding.end() - base};
}

// The granules next to the mappings that are unmapped; two mappings may share one between them.
std::vector<AddressRange> neighbours_of(const std::vector<Mapping>& mappings, DeviceReplay& device) {
  std::vector<AddressRange> neighbours;
  const auto add = [&](const AddressRange& range) {
    const bool is_mapped = std::any_of(mappings.begin(), mappings.end(), [&](const Mapping& mapping) {
      return mapping.range.base < range.end() && range.base < mapping.range.end();
    });
    if (!is_mapped) neighbours.push_back(range);
  };
  for (const Mapping& mapping : mappings) {
    const uint64_t granule = device.granule(mapping.home);
    if (mapping.range.base >= granule) add({mapping.range.base - granule, granule});
    if (mapping.range.end() <= UINT64_MAX - granule) add({mapping.range.end(), granule});
  }
  return merge_ranges(std::move(neighbours));
}

class FirstDifference final : public EventSink {
 public:
  void emit(const Json& event) override {
    if (event.at("event") == "difference" && difference.is_null()) difference = event;
  }
  Json difference;
};

}  // namespace

Result<uint64_t> close_padding(DeviceReplay& device, const std::vector<AddressRange>& padding) {
  uint64_t closed = 0;
  for (const AddressRange& bytes : padding) {
    const AddressRange range = from_next_dword(bytes);
    if (range.size == 0) continue;
    auto done = device.close_to_kernels(range);
    if (!done) return done.error();
    if (*done) closed += range.size;
  }
  return closed;
}

Status raise_guard(DeviceReplay& device, const Snapshot& snapshot, EventSink& sink) {
  const auto closed = close_padding(device, snapshot.padding());
  if (!closed) return closed.error();
  uint64_t reserved = 0, unreserved = 0;
  for (const AddressRange& neighbour : neighbours_of(snapshot.mappings(), device)) {
    if (intersection({neighbour}, snapshot.closed()) == std::vector{neighbour}) {
      ++reserved;
      continue;
    }
    auto kept = device.keep_unmapped(neighbour);
    if (!kept) return kept.error();
    ++(*kept ? reserved : unreserved);
  }
  uint64_t granule = 0, padding_bytes = 0;
  for (const Mapping& mapping : snapshot.mappings()) granule = std::max(granule, device.granule(mapping.home));
  for (const AddressRange& padding : snapshot.padding()) padding_bytes += padding.size;
  sink.emit({{"event", ReplayEvent::guard},
             {"is_exact", *closed > 0 || padding_bytes == 0},
             {"granule", granule},
             {"padding_bytes", padding_bytes},
             {"closed_bytes", *closed},
             {"neighbours_unmapped", reserved},
             {"neighbours_in_use", unreserved}});
  return Unit{};
}

Result<bool> is_poison_intact(DeviceReplay& device, ContentCache& cache, const Snapshot& snapshot,
                              const Program& program, EventSink& sink) {
  FirstDifference first;
  auto compared = compare_with_post(device, cache, {}, snapshot.padding(), snapshot.poison(), {}, first);
  if (!compared) return compared.error();
  if (program.lens) {
    if (auto beside = compare_margins(device, program.lens->margins, *compared, first); !beside) return beside.error();
  }
  if (compared->differing_bytes == 0) return true;
  const std::string address = first.difference.value("address", "0x0");
  sink.emit({{"event", ReplayEvent::fault},
             {"kind", "out_of_bounds_write"},
             {"kernel", program.launch.kernel_name},
             {"address", address},
             {"bytes", compared->differing_bytes},
             {"near", nearest_region(from_hex_number(address).value_or(0), bounded_memory(snapshot, program))},
             {"text", program.launch.kernel_name + " wrote " + std::to_string(compared->differing_bytes) +
                          " bytes outside of every captured region" + (program.lens ? " and of the lens" : "") +
                          ", the first at " + address}});
  return false;
}

std::vector<Target> bounded_memory(const Snapshot& snapshot, const Program& program) {
  std::vector<Target> memory = snapshot.regions();
  if (!program.lens) return memory;
  for (Target& part : program.lens->targets()) {
    part.name = "lens:" + part.name;
    memory.push_back(std::move(part));
  }
  return memory;
}

Json nearest_region(uint64_t address, const std::vector<Target>& regions) {
  const auto distance = [&](const Target& region) {
    if (address < region.address) return region.address - address;
    return address - region.address < region.size ? 0 : address - region.address - region.size;
  };
  const auto nearest = std::min_element(regions.begin(), regions.end(),
                                        [&](const Target& a, const Target& b) { return distance(a) < distance(b); });
  if (nearest == regions.end()) return nullptr;
  const bool before = address < nearest->address, inside = !before && address - nearest->address < nearest->size;
  Json near = {{"region", nearest->name},
               {"position", before   ? "before"
                            : inside ? "inside"
                                     : "behind"},
               {"distance", inside ? address - nearest->address : distance(*nearest)},
               {"size", nearest->size}};
  if (inside && !intersection(nearest->dropped, {{address - nearest->address, 1}}).empty()) near["dropped"] = true;
  return near;
}

}  // namespace kernloop::replay
