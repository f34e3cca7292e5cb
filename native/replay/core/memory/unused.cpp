#include "replay/core/memory/unused.h"

#include "verdict/overwritten.h"

namespace kernloop::replay {

std::vector<std::vector<AddressRange>> unused_by(const std::vector<Access>& accesses,
                                                 const std::vector<Target>& targets, uint64_t granule) {
  std::vector<AddressRange> used;
  for (const Access& access : accesses) used.push_back({access.base, access.size});
  used = merge_ranges(std::move(used));
  std::vector<std::vector<AddressRange>> found;
  for (const Target& target : targets) {
    std::vector<AddressRange>& unused = found.emplace_back();
    if (target.is_variable) continue;
    for (const AddressRange& range : without({{target.address, target.size}}, used)) {
      const uint64_t begin = (range.base + granule - 1) / granule * granule, end = range.end() / granule * granule;
      if (begin < end) unused.push_back({begin - target.address, end - begin});
    }
    unused = without(unused, target.dropped);
  }
  return found;
}

}  // namespace kernloop::replay
