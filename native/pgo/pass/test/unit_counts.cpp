#include "unit_counts.h"

#include <cstring>
#include <numeric>
#include <utility>

namespace kernloop::pgo_pass {

using nlohmann::json;

namespace {

using Known = std::optional<uint64_t>;

// Lanes of all blocks from those that have a counter: the lanes that enter a block leave it.
std::vector<Known> lanesOfBlocks(const json& blocks, std::vector<Known> known) {
  std::map<std::pair<size_t, size_t>, Known> edges;
  for (size_t from = 0; from < blocks.size(); ++from)
    for (const size_t to : blocks[from]["successors"]) edges[{from, to}] = std::nullopt;

  const auto balance = [&](size_t block, bool out) {
    std::vector<Known*> open;
    uint64_t sum = 0;
    bool any = false;
    for (auto& [ends, count] : edges) {
      if ((out ? ends.first : ends.second) != block) continue;
      any = true;
      if (count) {
        sum += *count;
      } else {
        open.push_back(&count);
      }
    }
    if (!any) return false;
    if (open.empty() && !known[block]) {
      known[block] = sum;
      return true;
    }
    if (open.size() != 1 || !known[block]) return false;
    *open.front() = *known[block] - sum;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t block = 0; block < blocks.size(); ++block) {
      if (block != 0) changed |= balance(block, false);
      changed |= balance(block, true);
    }
  }
  return known;
}

}  // namespace

std::optional<Description> Description::read(std::span<const char> bytes) {
  Description result;
  if (bytes.size() < sizeof result.header) return std::nullopt;
  std::memcpy(&result.header, bytes.data(), sizeof result.header);
  size_t at = result.header.header_bytes;
  const auto take = [&](auto& into, size_t count) {
    using T = std::remove_reference_t<decltype(into[0])>;
    if (at > bytes.size() || count > (bytes.size() - at) / sizeof(T)) return false;
    into.resize(count);
    std::memcpy(into.data(), bytes.data() + at, count * sizeof(T));
    at += count * sizeof(T);
    return true;
  };
  const bool complete = take(result.functions, result.header.functions) &&
                        take(result.counters, result.header.counters) && take(result.classes, result.header.classes);
  return complete && at == bytes.size() ? std::optional(std::move(result)) : std::nullopt;
}

FunctionVisits visitsOf(const json& map, const Description& description, size_t function, const Arrays& arrays) {
  const auto& own = description.functions[function];
  const auto row = [&](std::span<const uint64_t> array, uint32_t index) {
    const uint64_t* first = array.data() + uint64_t{index} * description.header.slots;
    return std::accumulate(first, first + description.header.slots, uint64_t{0});
  };
  const auto uniform = [&](Visits& visits, uint32_t index) {
    const uint64_t lanes = index == Description::none ? visits.lanes : row(arrays.uniform, index);
    (description.header.uniform == 1 ? visits.full : visits.uniform) = lanes;
  };

  FunctionVisits result;
  std::vector<Known> known(map["blocks"].size());
  for (uint32_t i = 0; i < own.counters; ++i) {
    const json& counter = map["counters"][i];
    Visits visits;
    visits.lanes = row(arrays.lanes, own.first_counter + i);
    if (counter["kind"] == "block") {
      known[counter["block"].get<size_t>()] = visits.lanes;
    } else {
      uniform(visits, description.counters[own.first_counter + i].uniform);
      result.selects[static_cast<unsigned>(result.selects.size())] = visits;
    }
  }
  known = lanesOfBlocks(map["blocks"], std::move(known));
  for (size_t block = 0; block < known.size(); ++block) {
    const uint32_t its = own.first_class + map["blocks"][block]["class"].get<uint32_t>();
    Visits visits;
    visits.lanes = known[block].value_or(unknown);
    visits.waves = row(arrays.waves, its);
    uniform(visits, description.classes[its].uniform);
    result.blocks[static_cast<unsigned>(block)] = visits;
  }
  return result;
}

}  // namespace kernloop::pgo_pass
