#include "replay/core/session/float_atomics.h"

#include "base/bytes.h"

namespace kernloop::replay {

namespace {

bool is_target(const std::string& isa, const std::string& name) {
  const size_t at = isa.find(name);
  if (at == std::string::npos) return false;
  const size_t end = at + name.size();
  return end == isa.size() || isa[end] == ':';
}

}  // namespace

Status watch_float_atomics(const archive::Manifest& manifest, DeviceReplay& device, Program& program) {
  SoftwareExecution* const execution = device.software_execution();
  const std::string& isa = manifest.device.isa;
  if (execution == nullptr || is_target(isa, "gfx942")) return Unit{};
  std::vector<AddressRange> ranges;
  for (const archive::Region& region : manifest.regions) {
    const bool is_host = region.memory_class == archive::RegionClass::kHost;
    if (!region.fine_grained.value_or(is_host)) continue;
    const char* const effect = region.fine_grained ? "none" : "unknown_memory";
    program.watched.push_back({region.id, {region.base, region.size}, effect});
    ranges.push_back({region.base, region.size});
  }
  return execution->watch_float_atomics(ranges);
}

void tell_float_atomics(const LaunchOutcome& outcome, const Program& program, EventSink& sink) {
  for (const Json& found : outcome.float_atomics) {
    const auto address = from_hex_number(found.value("address", ""));
    if (!address) continue;
    for (const WatchedRegion& region : program.watched) {
      if (*address - region.range.base >= region.range.size) continue;
      sink.emit({{"event", ReplayEvent::float_atomic},
                 {"region", region.id},
                 {"offset_in_target", *address - region.range.base},
                 {"address", found["address"]},
                 {"bytes", found["bytes"]},
                 {"instruction", found["instruction"]},
                 {"workgroup", found["workgroup"]},
                 {"wave", found["wave"]},
                 {"lane", found["lane"]},
                 {"effect", region.effect}});
    }
  }
}

}  // namespace kernloop::replay
