#include "replay/core/session/target_marks.h"

#include <algorithm>

#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

Target* target_named(std::vector<Target>& targets, const std::string& name) {
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](const Target& candidate) { return candidate.name == name; });
  return found != targets.end() ? &*found : nullptr;
}

Error bad_tolerance(const ElementTolerance& tolerance, const std::string& why) {
  return {"USAGE", "--tolerance of " + tolerance.target + " at offset " + std::to_string(tolerance.offset) + ": " + why,
          "give NAME[:OFFSET:SIZE]=TYPE,… of a captured region or module variable"};
}

}  // namespace

Status mark_ignored(const std::vector<IgnoredBytes>& ignored, std::vector<Target>& targets) {
  for (const IgnoredBytes& bytes : ignored) {
    Target* target = target_named(targets, bytes.region);
    if (!target || target->is_variable || bytes.offset > target->size || bytes.size > target->size - bytes.offset) {
      return Error{"USAGE", "--ignore names bytes of " + bytes.region + " that the capture does not have",
                   "give REGION:OFFSET:SIZE of a captured region"};
    }
    target->ignored.push_back({bytes.offset, bytes.size});
  }
  for (Target& target : targets) target.ignored = without(merge_ranges(std::move(target.ignored)), target.dropped);
  return Unit{};
}

Status mark_tolerances(const std::vector<ElementTolerance>& tolerances, std::vector<Target>& targets) {
  for (ElementTolerance tolerance : tolerances) {
    Target* target = target_named(targets, tolerance.target);
    if (!target) return bad_tolerance(tolerance, "the capture has no such region or variable");
    if (tolerance.offset > target->size) return bad_tolerance(tolerance, "it begins beyond the end");
    if (tolerance.size == UINT64_MAX) tolerance.size = target->size - tolerance.offset;
    if (tolerance.size > target->size - tolerance.offset) return bad_tolerance(tolerance, "it ends beyond the end");
    if (tolerance.offset % size_of(tolerance.type) != 0)
      return bad_tolerance(tolerance, "its offset is no multiple of the element's size");
    target->tolerances.push_back(tolerance);
  }
  for (Target& target : targets) {
    std::vector<ElementTolerance>& list = target.tolerances;
    std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < list.size(); ++i) {
      if (list[i].offset < list[i - 1].offset + list[i - 1].size)
        return bad_tolerance(list[i], "it overlaps another one");
    }
  }
  return Unit{};
}

}  // namespace kernloop::replay
