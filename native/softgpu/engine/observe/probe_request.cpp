// "kernloop.probes/1": the requested probes, as lib/probe passes them. All of it is checked.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "softgpu/engine/observe/probes.h"

namespace kernloop::softgpu {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostEntries = 64;  // per kind
constexpr uint64_t kMostRecordBytes = 4096, kMostCapacity = (uint64_t{1} << 32) - 2;

struct Problem {
  std::string text;
};

const Json& member(const Json& of, const char* name, const std::string& where) {
  if (!of.is_object() || !of.contains(name)) throw Problem{where + " has no " + name};
  return of[name];
}

std::string text_of(const Json& of, const char* name, const std::string& where) {
  const Json& value = member(of, name, where);
  if (!value.is_string()) throw Problem{where + ": " + name + " is no text"};
  return value.get<std::string>();
}

uint64_t number_of(const Json& of, const char* name, uint64_t most, const std::string& where) {
  const Json& value = member(of, name, where);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    throw Problem{where + ": " + name + " is no number up to " + std::to_string(most)};
  return value.get<uint64_t>();
}

const Json& list_of(const Json& of, const char* name, const std::string& where) {
  const Json& value = member(of, name, where);
  if (!value.is_array() || value.empty() || value.size() > kMostEntries)
    throw Problem{where + ": " + name + " is no list of 1 to 64"};
  return value;
}

const std::map<std::string_view, ProbeValue> kValues = {
    {"clock", ProbeValue::kClock}, {"start", ProbeValue::kStart},         {"elapsed", ProbeValue::kElapsed},
    {"cu", ProbeValue::kCu},       {"workgroup", ProbeValue::kWorkgroup}, {"wave", ProbeValue::kWave},
    {"lane", ProbeValue::kLane},   {"thread", ProbeValue::kThread},       {"lanes", ProbeValue::kLanes},
    {"pc", ProbeValue::kPc},       {"address", ProbeValue::kAddress},     {"bytes", ProbeValue::kBytes}};

// valu has the matrix instructions in it, as everywhere that instructions are counted.
const std::map<std::string_view, std::vector<InstructionClass>> kInstructions = {
    {"valu", {InstructionClass::kValu, InstructionClass::kMfma}},
    {"mfma", {InstructionClass::kMfma}},
    {"salu", {InstructionClass::kSalu}},
    {"smem", {InstructionClass::kSmem}},
    {"branch", {InstructionClass::kBranch}},
    {"barrier", {InstructionClass::kBarrier}},
    {"memory", {InstructionClass::kVectorMemory}},
    {"other", {InstructionClass::kOther}},
    {"any",
     {InstructionClass::kOther, InstructionClass::kValu, InstructionClass::kMfma, InstructionClass::kSalu,
      InstructionClass::kSmem, InstructionClass::kBranch, InstructionClass::kBarrier,
      InstructionClass::kVectorMemory}}};

const std::map<std::string_view, std::vector<ProbeSpace>> kSpaces = {
    {"global", {ProbeSpace::kGlobal}},
    {"lds", {ProbeSpace::kLds}},
    {"scratch", {ProbeSpace::kScratch}},
    {"scalar", {ProbeSpace::kScalar}},
    {"any", {ProbeSpace::kGlobal, ProbeSpace::kLds, ProbeSpace::kScratch, ProbeSpace::kScalar}}};

const std::map<std::string_view, std::vector<AccessKind>> kKinds = {
    {"load", {AccessKind::kLoad}},
    {"store", {AccessKind::kStore}},
    {"atomic", {AccessKind::kAtomic}},
    {"any", {AccessKind::kLoad, AccessKind::kStore, AccessKind::kAtomic}}};

constexpr std::string_view kInstruction = "instruction:", kMemory = "memory:";

// False if there is no such event.
bool add_event(std::string_view name, ProbeEvents& events) {
  if (name == "kernel-start") return events.add_start(), true;
  if (name == "kernel-end") return events.add_end(), true;
  if (name.starts_with(kInstruction)) {
    const auto found = kInstructions.find(name.substr(kInstruction.size()));
    if (found == kInstructions.end()) return false;
    for (const InstructionClass one : found->second) events.add(one);
    return true;
  }
  const size_t colon = name.rfind(':');
  if (!name.starts_with(kMemory) || colon < kMemory.size()) return false;
  const auto spaces = kSpaces.find(name.substr(kMemory.size(), colon - kMemory.size()));
  const auto kinds = kKinds.find(name.substr(colon + 1));
  if (spaces == kSpaces.end() || kinds == kKinds.end()) return false;
  for (const ProbeSpace space : spaces->second) {
    for (const AccessKind kind : kinds->second) events.add(space, kind);
  }
  return true;
}

bool knows_addresses(const ProbeEvents& events) {
  if (events.has_start() || events.has_end()) return false;
  for (unsigned one = 0; one < ProbeEvents::kClasses; ++one) {
    if (events.has(static_cast<InstructionClass>(one))) return false;
  }
  return true;
}

ProbeMap parse_map(const Json& json) {
  ProbeMap map;
  map.name = text_of(json, "name", "a map");
  const std::string where = "map " + map.name, level = text_of(json, "level", where);
  if (level != "thread" && level != "warp") throw Problem{where + ": level is neither thread nor warp"};
  map.is_of_threads = level == "thread";
  map.record_bytes = static_cast<uint32_t>(number_of(json, "record_bytes", kMostRecordBytes, where));
  map.capacity = number_of(json, "capacity", kMostCapacity, where);
  if (map.record_bytes == 0) throw Problem{where + ": a record has no bytes"};
  return map;
}

ProbeField parse_field(const Json& json, const ProbeMap& map, const ProbeEvents& events, const std::string& where) {
  ProbeField field;
  field.offset = static_cast<uint32_t>(number_of(json, "offset", map.record_bytes, where));
  field.bytes = static_cast<uint32_t>(number_of(json, "bytes", 8, where));
  if ((field.bytes != 4 && field.bytes != 8) || field.offset + field.bytes > map.record_bytes)
    throw Problem{where + ": a field is neither of 4 nor of 8 bytes, or lies outside of the record"};
  const Json& value = member(json, "value", where);
  if (value.is_number_unsigned()) {
    field.constant = value.get<uint64_t>();
    return field;
  }
  const auto known = value.is_string() ? kValues.find(value.get_ref<const std::string&>()) : kValues.end();
  if (known == kValues.end()) throw Problem{where + ": no event knows " + value.dump()};
  field.value = known->second;
  const bool is_of_access = field.value == ProbeValue::kAddress || field.value == ProbeValue::kBytes;
  if (is_of_access && !knows_addresses(events))
    throw Problem{where + ": only an access to memory knows " + value.dump()};
  const bool is_of_lane = field.value == ProbeValue::kLane || field.value == ProbeValue::kThread;
  if (is_of_lane && !map.is_of_threads) throw Problem{where + ": a record of a wave has no " + value.dump()};
  return field;
}

Probe parse_probe(const Json& json, const std::vector<ProbeMap>& maps) {
  Probe probe;
  probe.name = text_of(json, "name", "a probe");
  const std::string where = "probe " + probe.name, map = text_of(json, "map", where);
  while (probe.map < maps.size() && maps[probe.map].name != map) ++probe.map;
  if (probe.map == maps.size()) throw Problem{where + ": there is no map " + map};
  const std::string action = text_of(json, "action", where);
  if (action != "save" && action != "add") throw Problem{where + ": action is neither save nor add"};
  probe.adds = action == "add";
  for (const Json& event : list_of(json, "at", where)) {
    if (!event.is_string() || !add_event(event.get_ref<const std::string&>(), probe.events))
      throw Problem{where + ": nothing happens at " + event.dump()};
  }
  const bool is_scalar = probe.events.has(ProbeSpace::kScalar, AccessKind::kLoad);
  if (is_scalar && maps[probe.map].is_of_threads)
    throw Problem{where + ": a scalar access is a wave's, and the map is of threads"};
  for (const Json& field : list_of(json, "fields", where))
    probe.fields.push_back(parse_field(field, maps[probe.map], probe.events, where));
  return probe;
}

}  // namespace

std::unique_ptr<const ProbeProgram> ProbeProgram::parse(const std::string& text, std::string* problem) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    if (text_of(json, "schema", "the request") != "kernloop.probes/1")
      throw Problem{"the request is no kernloop.probes/1"};
    auto program = std::make_unique<ProbeProgram>();
    for (const Json& map : list_of(json, "maps", "the request")) program->maps.push_back(parse_map(map));
    for (const Json& one : list_of(json, "probes", "the request")) {
      program->probes.push_back(parse_probe(one, program->maps));
      program->events |= program->probes.back().events;
    }
    for (const Probe& one : program->probes) {
      for (const Probe& other : program->probes) {
        if (one.map == other.map && one.adds != other.adds)
          throw Problem{"map " + program->maps[one.map].name + ": one probe saves to it and another adds to it"};
      }
    }
    return program;
  } catch (const Problem& found) {
    *problem = found.text;
    return nullptr;
  }
}

}  // namespace kernloop::softgpu
