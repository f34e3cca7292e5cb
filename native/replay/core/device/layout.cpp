#include "replay/core/device/layout.h"

#include <algorithm>
#include <map>

namespace kernloop::replay {

Layout lay_out(const std::vector<archive::Region>& regions, uint64_t granule) {
  std::vector<AddressRange> sorted;
  for (const archive::Region& region : regions) sorted.push_back({region.base, region.size});
  std::sort(sorted.begin(), sorted.end(), [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });

  Layout layout;
  uint64_t covered = 0;  // end of the last region in the current mapping
  const auto pad_until = [&](uint64_t end) {
    if (covered < end) layout.padding.push_back({covered, end - covered});
  };
  for (const AddressRange& region : sorted) {
    const uint64_t begin = region.base / granule * granule;
    const uint64_t end = (region.end() + granule - 1) / granule * granule;
    if (!layout.mappings.empty() && begin <= layout.mappings.back().range.end()) {
      AddressRange& mapping = layout.mappings.back().range;
      pad_until(region.base);
      mapping.size = std::max(mapping.end(), end) - mapping.base;
    } else {
      if (!layout.mappings.empty()) pad_until(layout.mappings.back().range.end());
      layout.mappings.push_back({{begin, end - begin}});
      covered = begin;
      pad_until(region.base);
    }
    covered = region.end();
  }
  if (!layout.mappings.empty()) pad_until(layout.mappings.back().range.end());
  return layout;
}

Result<Layout> lay_out(const std::vector<archive::Region>& regions,
                       const std::function<Home(const archive::Region&)>& home_of) {
  std::map<std::pair<archive::RegionClass, std::optional<bool>>, std::pair<uint64_t, std::vector<archive::Region>>>
      homes;
  for (const archive::Region& region : regions) {
    const Home home = home_of(region);
    auto& [granule, members] = homes[{home.kind, home.fine_grained}];
    granule = home.granule;
    members.push_back(region);
  }
  Layout all;
  for (const auto& [home, members] : homes) {
    Layout part = lay_out(members.second, members.first);
    for (const Mapping& mapping : part.mappings) all.mappings.push_back({mapping.range, home.first, home.second});
    all.padding.insert(all.padding.end(), part.padding.begin(), part.padding.end());
  }
  std::sort(all.mappings.begin(), all.mappings.end(),
            [](const Mapping& a, const Mapping& b) { return a.range.base < b.range.base; });
  std::sort(all.padding.begin(), all.padding.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });
  for (size_t i = 1; i < all.mappings.size(); ++i) {
    const AddressRange &before = all.mappings[i - 1].range, &after = all.mappings[i].range;
    if (before.end() <= after.base) continue;
    return Error{"CAPTURE_INVALID",
                 "memory of different kinds of the capture shares the pages at " + to_hex_number(after.base),
                 "capture again"};
  }
  return all;
}

}  // namespace kernloop::replay
