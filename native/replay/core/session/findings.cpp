#include "replay/core/session/findings.h"

#include "base/bytes.h"

namespace kernloop::replay {

namespace {

std::optional<uint64_t> number_in(const Json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return from_hex_number(found->get<std::string>());
}

// Relative to the load base of the code object it is in.
void add_code_place(Json& access, const Program& program) {
  const auto pc = number_in(access, "pc");
  if (!pc) return;
  for (const LoadedCodeObject& object : program.code_objects) {
    if (!object.code.base || *pc - *object.code.base >= object.info.memory_bytes) continue;
    access["code_object"] = object.info.sha256.hex();
    access["offset"] = to_hex_number(*pc - *object.code.base);
  }
}

void add_target(Json& event, uint64_t address, const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    if (address - target.address >= target.size) continue;
    event[target.kind()] = target.name;
    event["offset_in_target"] = address - target.address;
  }
}

}  // namespace

void tell_findings(const LaunchOutcome& outcome, const Program& program, const Snapshot& snapshot, EventSink& sink) {
  if (!outcome.adverse_wave_instructions) return;
  for (const Json& finding : outcome.findings) {
    Json event = finding;
    event["event"] = ReplayEvent::finding;
    add_code_place(event, program);
    if (const auto other = event.find("other"); other != event.end()) add_code_place(*other, program);
    const auto address = number_in(event, "address");
    const bool in_lds = event.value("in_lds", false);
    if (address && !in_lds) {
      add_target(event, *address, snapshot.regions());
      add_target(event, *address, program.variables);
    }
    sink.emit(event);
  }
  sink.emit({{"event", ReplayEvent::adverse}, {"wave_instructions", *outcome.adverse_wave_instructions}});
}

void tell_past_lds(const Json& past_lds, const Program& program, EventSink& sink) {
  for (Json event : past_lds) {
    event["event"] = ReplayEvent::past_lds;
    add_code_place(event, program);
    sink.emit(event);
  }
}

}  // namespace kernloop::replay
