#include "replay/core/session/proof.h"

#include <algorithm>

#include "verdict/free_order.h"

namespace kernloop::replay {

namespace {

// Overlay of the values that launches began with.
Overlay overlay(Fill fill, const Target& target) {
  if (fill == Fill::kCaptured || target.overwritten.empty()) return {};
  return [fill, &target](uint64_t offset, std::span<uint8_t> pre) { poison(fill, target, offset, pre, {}); };
}

// Offsets that are not compared, sorted and disjoint.
std::vector<AddressRange> left_out_of(const Target& target, const std::vector<VaryingRange>& varying) {
  std::vector<AddressRange> left_out = unjudged_in(target, varying);
  left_out.insert(left_out.end(), target.ignored.begin(), target.ignored.end());
  return merge_ranges(std::move(left_out));
}

std::string describe_place(const Target& target, const ElementTolerance& part) {
  if (part.size == target.size) return target.name;
  return target.name + " at offset " + std::to_string(part.offset) + " (" + std::to_string(part.size) + " bytes)";
}

// The first array that its tolerance would let pass with the values before the launch; none if there is no such
// array. An array that the captured code leaves alone proves nothing.
Result<std::optional<std::string>> find_indiscernible(Run& run) {
  const auto is_exact = [](const ElementTolerance& tolerance) { return tolerance.bounds.exact; };
  for (const Target& target : run.targets) {
    if (std::all_of(target.tolerances.begin(), target.tolerances.end(), is_exact)) continue;
    const std::vector<AddressRange> left_out = left_out_of(target, run.varying);
    std::vector<Discernible> all(target.tolerances.size());
    for (const Fill fill : run.options.fills) {
      const auto some = count_discernible_bytes(run.cache, target, left_out, overlay(fill, target));
      if (!some) return some.error();
      for (size_t i = 0; i < all.size(); ++i) {
        all[i].differing += (*some)[i].differing;
        all[i].noticed += (*some)[i].noticed;
      }
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].differing > 0 && all[i].noticed == 0)
        return std::optional(describe_place(target, target.tolerances[i]));
    }
  }
  return std::optional<std::string>();
}

// Whether what varies in a target lets it pass unchanged, with every fill.
Result<bool> passes_all(Run& run, size_t target_index) {
  const Target& target = run.targets[target_index];
  const std::vector<Fill>& fills = run.options.fills;
  for (const Fill fill : fills) {
    // Targets that begin with other values prove all that the app's own values would.
    if (fill == Fill::kCaptured && !target.overwritten.empty() && fills.size() > 1) continue;
    const auto passes = passes_unchanged(run.cache, run.targets, target_index, run.varying, overlay(fill, target));
    if (!passes || !*passes) return passes;
  }
  return true;
}

}  // namespace

Result<uint64_t> changed_bytes(Run& run, const std::vector<VaryingRange>& varying) {
  uint64_t changed = 0;
  for (const Target& target : run.targets) {
    if (target.is_variable) continue;
    auto count = count_changed_bytes(run.cache, target.pre, target.post, left_out_of(target, varying));
    if (!count) return count;
    changed += *count;
  }
  for (const archive::ModuleVariable& variable : run.reader.manifest().module_variables) {
    Target named;
    named.is_variable = true;
    named.name = variable.name;
    auto count = count_changed_bytes(run.cache, pre_of(variable), post_of(variable), unjudged_in(named, varying));
    if (!count) return count;
    changed += *count;
  }
  return changed;
}

Result<std::optional<std::string>> why_unproven(Run& run, uint64_t changed_bytes, uint64_t rewritten_bytes) {
  std::optional<std::string> reason;
  if (changed_bytes + rewritten_bytes == 0) return reason;
  const auto judged = replay::changed_bytes(run, run.varying);
  if (!judged) return judged.error();
  if (*judged + rewritten_bytes == 0) {
    return std::optional<std::string>(
        "its outcome depends on the order of waves: what the kernel changed are places and links that come out "
        "otherwise in every replay, and nothing else that could be judged");
  }
  const auto indiscernible = find_indiscernible(run);
  if (!indiscernible) return indiscernible.error();
  if (*indiscernible) {
    reason = "the tolerance is so wide that " + **indiscernible +
             " as it was before the dispatch passes too: a variant that leaves it alone would not be noticed";
  }
  for (size_t t = 0; t < run.targets.size(); ++t) {
    const auto passes = passes_all(run, t);
    if (!passes) return passes.error();
    if (*passes) {
      reason = "what varies in " + run.targets[t].name +
               " varies so much that memory as it was before the dispatch passes too: a variant that leaves it alone "
               "would not be noticed";
    }
  }
  return reason;
}

}  // namespace kernloop::replay
