#include "recorder/profile.h"

#include <algorithm>

namespace kernloop::recorder {

using archive::Json;

namespace {

// Unknown values are left out.
void add_resources(Json& json, const protocol::LaunchResources& resources) {
  const auto add = [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  };
  add("registers_per_thread", resources.registers_per_thread);
  add("static_shared_bytes", resources.static_shared_bytes);
  add("dynamic_shared_bytes", resources.dynamic_shared_bytes);
  add("local_bytes_per_thread", resources.local_bytes_per_thread);
  add("resident_blocks_per_multiprocessor", resources.resident_blocks_per_multiprocessor);
  add("occupancy_percent", resources.occupancy_percent);
}

// Between the two nearest ranks of a list that is not empty.
uint64_t quantile(const std::vector<uint64_t>& sorted, uint64_t percent) {
  const uint64_t position = (sorted.size() - 1) * percent;
  const uint64_t low = sorted[position / 100], high = sorted[std::min(position / 100 + 1, sorted.size() - 1)];
  return low + static_cast<uint64_t>(static_cast<double>(high - low) * static_cast<double>(position % 100) / 100);
}

}  // namespace

void Profile::add(const KernelRecord& kernel, const protocol::ProfileMessage& sample) {
  std::lock_guard lock(mutex_);
  Row& row = rows_[{kernel.code_object_hex(), kernel.symbol}];
  if (row.count == 0) {
    row.name = kernel.demangled;
    row.symbol = kernel.symbol;
    row.code_object = kernel.code_object_hex();
    row.is_wave_instructions = sample.is_wave_instructions;
  }
  ++row.count;
  row.total += sample.value;
  row.min = std::min(row.min, sample.value);
  row.max = std::max(row.max, sample.value);
  if (row.samples.size() < kMaxSamples) {
    row.samples.push_back(sample.value);
  } else {
    // Reservoir sampling with a fixed generator: every sample equally likely, every run alike.
    const uint64_t slot = (row.count * 0x9e3779b97f4a7c15ull >> 11) % row.count;
    if (slot < kMaxSamples) row.samples[slot] = sample.value;
  }
  if (sample.end_ns != 0) {
    if (launches_.size() < kMaxLaunches) {
      launches_.push_back({&row, sample.start_ns, sample.end_ns, sample.device, sample.stream});
    } else {
      ++launches_left_out_;
    }
  }
  const auto known = row.geometries.find(sample.geometry);
  if (known != row.geometries.end()) {
    ++known->second.dispatches;
  } else if (row.geometries.size() < kMaxGeometries) {
    row.geometries.emplace(sample.geometry, Variant{1, sample.resources});
  } else {
    ++row.other_geometries;
  }
}

Json Profile::to_json(const Row& row) {
  std::vector<uint64_t> sorted = row.samples;
  std::sort(sorted.begin(), sorted.end());
  // The most frequent first: the row's own figures are from it.
  std::vector<std::pair<protocol::LaunchGeometry, Variant>> variants(row.geometries.begin(), row.geometries.end());
  std::stable_sort(variants.begin(), variants.end(),
                   [](const auto& a, const auto& b) { return a.second.dispatches > b.second.dispatches; });
  Json geometries = Json::array();
  for (const auto& [geometry, variant] : variants) {
    Json entry = {{"grid_blocks", geometry.grid_blocks},
                  {"block_threads", geometry.block_threads},
                  {"grid_work_items", geometry.grid_work_items},
                  {"dispatches", variant.dispatches}};
    add_resources(entry, variant.resources);
    geometries.push_back(std::move(entry));
  }
  Json json = {{"name", row.name},
               {"symbol", row.symbol},
               {"code_object", row.code_object},
               {"unit", row.is_wave_instructions ? "wave_instructions" : "duration_ns"},
               {"dispatches", row.count},
               {"total", row.total},
               {"min", row.min},
               {"p10", quantile(sorted, 10)},
               {"median", quantile(sorted, 50)},
               {"p90", quantile(sorted, 90)},
               {"max", row.max},
               {"geometries", geometries},
               {"other_geometries", row.other_geometries}};
  if (!variants.empty()) add_resources(json, variants.front().second.resources);
  return json;
}

std::vector<const Profile::Row*> Profile::sorted() const {
  std::vector<const Row*> sorted;
  for (const auto& [key, row] : rows_) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row* a, const Row* b) { return a->total > b->total; });
  return sorted;
}

Json Profile::rows() const {
  std::lock_guard lock(mutex_);
  Json rows = Json::array();
  for (const Row* row : sorted()) rows.push_back(to_json(*row));
  return rows;
}

Json Profile::launches() const {
  std::lock_guard lock(mutex_);
  std::map<const Row*, size_t> places;
  for (const Row* row : sorted()) places.emplace(row, places.size());
  Json rows = Json::array();
  for (const Launch& launch : launches_) {
    // Text: a double does not hold 64 bits.
    rows.push_back({{"kernel", places.at(launch.row)},
                    {"start_ns", std::to_string(launch.start_ns)},
                    {"end_ns", std::to_string(launch.end_ns)},
                    {"device", launch.device},
                    {"stream", launch.stream}});
  }
  return {{"rows", rows}, {"left_out", launches_left_out_}};
}

}  // namespace kernloop::recorder
