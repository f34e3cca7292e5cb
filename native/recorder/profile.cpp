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

// The finaliser of splitmix64: no period of the app's launches is one of its values.
uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

}  // namespace

// Null if there are too many rows.
Profile::Row* Profile::row_of(const KernelRecord& kernel, const protocol::ProfileMessage& sample) {
  const std::pair key(kernel.code_object_hex(), kernel.symbol);
  if (const auto known = rows_.find(key); known != rows_.end()) return &known->second;
  if (rows_.size() >= limits_.rows) return nullptr;
  Row& row = rows_[key];
  row.name = kernel.demangled;
  row.symbol = kernel.symbol;
  row.code_object = key.first;
  row.is_wave_instructions = sample.is_wave_instructions;
  return &row;
}

// Reservoir sampling with a fixed generator: every value equally likely, every run alike.
void Profile::draw(Row& row, uint64_t value) {
  const bool may_grow =
      row.samples.size() < (samples_ < limits_.samples_of_all ? limits_.samples_of_row : limits_.fewest_samples_of_row);
  // A row that began to draw cannot grow again.
  if (may_grow && row.samples.size() + 1 == row.count) {
    row.samples.push_back(value);
    ++samples_;
    return;
  }
  row.has_few_samples = row.samples.size() < limits_.samples_of_row;
  const uint64_t slot = mixed(row.count * 0x9e3779b97f4a7c15ull) % row.count;
  if (slot < row.samples.size()) row.samples[slot] = value;
}

void Profile::add(const KernelRecord& kernel, const protocol::ProfileMessage& sample) {
  std::lock_guard lock(mutex_);
  Row* const found = row_of(kernel, sample);
  if (!found) {
    ++dispatches_left_out_;
    return;
  }
  Row& row = *found;
  ++row.count;
  row.total += sample.value;
  row.min = std::min(row.min, sample.value);
  row.max = std::max(row.max, sample.value);
  draw(row, sample.value);
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

std::vector<std::string> Profile::notes() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  if (dispatches_left_out_ > 0) {
    notes.push_back("the profile has the first " + std::to_string(limits_.rows) +
                    " kernels: " + std::to_string(dispatches_left_out_) + " dispatches of others are in no figure");
  }
  const auto few =
      std::count_if(rows_.begin(), rows_.end(), [](const auto& row) { return row.second.has_few_samples; });
  if (few > 0) {
    notes.push_back("the profile keeps " + std::to_string(limits_.samples_of_all) + " values: the quantiles of " +
                    std::to_string(few) + " kernels are rough, of no more than some " +
                    std::to_string(limits_.fewest_samples_of_row) + " drawn dispatches each; totals are exact");
  }
  return notes;
}

}  // namespace kernloop::recorder
