#include "archive/manifest/dropped.h"

#include <algorithm>
#include <map>

#include "archive/files/file.h"
#include "archive/manifest/fields.h"

namespace kernloop::archive {

namespace {

constexpr uint64_t kMaxDroppedFile = 256u << 20;
constexpr size_t kMaxDropped = 1u << 20;  // per region

using DroppedOfRegions = std::vector<std::vector<DroppedBytes>>;

Error bad_dropped(const std::filesystem::path& file, const std::string& why) {
  return {"USAGE", file.string() + ": " + why, "--dropped names ranges of the regions of this capture"};
}

bool is_inside(const DroppedBytes& range, uint64_t size) {
  return range.bytes > 0 && range.bytes <= size && range.offset <= size - range.bytes;
}

DroppedBytes read_range(const Json& json, const std::string& path) {
  Fields fields(json, path);
  return {fields.number<uint64_t>("offset"), fields.number<uint64_t>("bytes")};
}

// Sorted, and what touches is one.
std::vector<DroppedBytes> joined(std::vector<DroppedBytes> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<DroppedBytes> all;
  for (const DroppedBytes& range : ranges) {
    if (all.empty() || all.back().offset + all.back().bytes < range.offset) {
      all.push_back(range);
    } else {
      DroppedBytes& last = all.back();
      last.bytes = std::max(last.offset + last.bytes, range.offset + range.bytes) - last.offset;
    }
  }
  return all;
}

}  // namespace

std::vector<DroppedBytes> dropped_of(const Region& region) {
  std::vector<DroppedBytes> dropped;
  const auto list = region.extra.find(kDropped);
  if (list == region.extra.end()) return dropped;
  const std::string what = "region " + region.id + ": dropped ";
  if (!list->is_array() || list->size() > kMaxDropped) throw ManifestProblem{what + "is no list that can be"};
  for (const Json& json : *list) {
    const DroppedBytes range = read_range(json, "region " + region.id + ".dropped");
    const uint64_t from = dropped.empty() ? 0 : dropped.back().offset + dropped.back().bytes;
    if (!is_inside(range, region.size) || range.offset < from)
      throw ManifestProblem{what + "has a range that is empty, out of order, or outside of the region"};
    dropped.push_back(range);
  }
  return dropped;
}

uint64_t dropped_bytes_of(const Manifest& manifest) {
  uint64_t bytes = 0;
  for (const Region& region : manifest.regions) {
    for (const DroppedBytes& range : dropped_of(region)) bytes += range.bytes;
  }
  return bytes;
}

Result<DroppedOfRegions> read_dropped(const std::filesystem::path& file, const Manifest& manifest) {
  DroppedOfRegions all;
  std::map<std::string, size_t> index;
  for (const Region& region : manifest.regions) {
    index[region.id] = all.size();
    all.push_back(dropped_of(region));
  }
  auto text = read_text(file, kMaxDroppedFile);
  if (!text) return text.error();
  auto json = parse_json(*text, file.string());
  if (!json) return json.error();
  try {
    for (const Json& item : Fields(*json, "").array(kDropped)) {
      const DroppedBytes range = read_range(item, kDropped);
      const std::string id = Fields(item, kDropped).text("region");
      const auto found = index.find(id);
      if (found == index.end()) return bad_dropped(file, "it names a region that the capture does not have: " + id);
      if (!is_inside(range, manifest.regions[found->second].size))
        return bad_dropped(file, "a range is empty or ends beyond " + id);
      all[found->second].push_back(range);
    }
  } catch (const ManifestProblem& problem) {
    return bad_dropped(file, problem.what);
  }
  for (std::vector<DroppedBytes>& ranges : all) ranges = joined(std::move(ranges));
  return all;
}

}  // namespace kernloop::archive
