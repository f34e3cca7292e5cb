// Arrays that hold the same records in another order in each replay, as a calibration recorded them. Judged are whole
// records, each as often as before; arrays that one permutation orders are judged as one array of all their parts.
#pragma once

#include <string>
#include <vector>

#include "verdict/target.h"
#include "verdict/values/order_search.h"
#include "verdict/varying.h"

namespace kernloop::replay {

// Judgement of a calibration's arrays; `sources`: the app's result first, then each replay; `before`: content before
// the dispatch.
Result<std::vector<VaryingRange>> varying_ranges(const std::vector<FreeArray>& arrays,
                                                 const std::vector<ContentSource>& sources, const ContentSource& before,
                                                 const std::vector<Target>& targets);

// Ranges that are judged together. Indices refer to the lists of varying ranges and of targets that it was made from.
struct FreeOrder {
  std::vector<size_t> ranges;
  std::vector<FoundLayout> layouts;
  std::vector<FoundLink> links;
  std::string unexamined;  // reason why its records are unknown, if they are
};

// Fails with a message that names the malformed part.
Result<std::vector<FreeOrder>> free_orders(const std::vector<VaryingRange>& ranges, const std::vector<Target>& targets);

enum class OrderVerdict : uint8_t {
  kSame,
  kUnknown,  // the same elements, but not in all the records that the self-check's replays held
  kDifferent
};

struct JudgedOrder {
  OrderVerdict verdict = OrderVerdict::kSame;
  std::string reason;                                   // for kUnknown
  std::vector<std::pair<size_t, AddressRange>> beyond;  // bytes of targets around the ranges, which that is about too
};
Result<JudgedOrder> judge_order(const FreeOrder& order, const std::vector<VaryingRange>& ranges,
                                const std::vector<Target>& targets, const ContentSource& expected,
                                const ContentSource& actual);

// Whether a replay that left all of `target` as it was before, and everything else as the app did, would pass.
Result<bool> passes_free_orders_unchanged(ContentCache& cache, const std::vector<Target>& targets, size_t target,
                                          const std::vector<VaryingRange>& ranges);

ContentSource pre_of_targets(ContentCache& cache, const std::vector<Target>& targets);
ContentSource post_of_targets(ContentCache& cache, const std::vector<Target>& targets);
ContentSource memory_of_targets(Memory& memory, const std::vector<Target>& targets);

// Fields of a `free_order` event.
archive::Json to_json(const FreeOrder& order, const std::vector<VaryingRange>& ranges,
                      const std::vector<Target>& targets, const JudgedOrder& judged);

}  // namespace kernloop::replay
