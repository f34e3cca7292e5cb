#include "recorder/profile.h"

#include <algorithm>

namespace kernloop::recorder {

using archive::Json;

void Profile::add(const KernelRecord& kernel, const capture::ProfileMessage& sample) {
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
  const auto known = row.geometries.find(sample.geometry);
  if (known != row.geometries.end()) {
    ++known->second;
  } else if (row.geometries.size() < kMaxGeometries) {
    row.geometries.emplace(sample.geometry, 1);
  } else {
    ++row.other_geometries;
  }
}

Json Profile::to_json(const Row& row) {
  std::vector<uint64_t> sorted = row.samples;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  const uint64_t median =
      sorted.size() % 2 == 1 ? sorted[middle] : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
  Json geometries = Json::array();
  std::vector<std::pair<capture::LaunchGeometry, uint64_t>> variants(row.geometries.begin(), row.geometries.end());
  std::stable_sort(variants.begin(), variants.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [geometry, count] : variants) {
    Json blocks = Json::array();
    for (size_t i = 0; i < 3; ++i) {
      const uint64_t threads = std::max<uint32_t>(geometry.block_threads[i], 1);
      blocks.push_back((geometry.grid_work_items[i] + threads - 1) / threads);
    }
    geometries.push_back({{"grid_blocks", blocks},
                          {"block_threads", geometry.block_threads},
                          {"grid_work_items", geometry.grid_work_items},
                          {"dispatches", count}});
  }
  return {{"name", row.name},
          {"symbol", row.symbol},
          {"code_object", row.code_object},
          {"unit", row.is_wave_instructions ? "wave_instructions" : "duration_ns"},
          {"dispatches", row.count},
          {"total", row.total},
          {"min", row.min},
          {"median", median},
          {"max", row.max},
          {"geometries", geometries},
          {"other_geometries", row.other_geometries}};
}

Json Profile::rows() const {
  std::lock_guard lock(mutex_);
  std::vector<const Row*> sorted;
  for (const auto& [key, row] : rows_) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row* a, const Row* b) { return a->total > b->total; });
  Json rows = Json::array();
  for (const Row* row : sorted) rows.push_back(to_json(*row));
  return rows;
}

}  // namespace kernloop::recorder
