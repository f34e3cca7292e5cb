#include "replay/core/session/steps/steps.h"
#include "verdict/untouched.h"

namespace kernloop::replay {

namespace {

using RangesByTarget = std::vector<std::vector<AddressRange>>;

// Finds the bytes that every launch overwrote and none read, and bytes that none touched.
class FindOverwritten final : public Step {
 public:
  explicit FindOverwritten(Run& run) : run_(run) {}

  void after_launch() override {
    const std::vector<Target>& targets = run_.targets;
    auto untouched = untouched_by(run_.last.accesses, targets);
    auto overwritten = overwritten_by(run_.last.accesses, targets);
    for (size_t t = 0; t < targets.size(); ++t) {
      if (run_.options.overwritten) {
        untouched[t] = intersection(untouched[t], targets[t].untouched);
        overwritten[t] = intersection(overwritten[t], targets[t].overwritten);
      }
      if (overwritten_) {
        untouched[t] = intersection(untouched[t], untouched_[t]);
        overwritten[t] = intersection(overwritten[t], (*overwritten_)[t]);
      }
    }
    untouched_ = std::move(untouched);
    overwritten_ = std::move(overwritten);
  }

  Status report() override {
    if (!overwritten_) return Unit{};
    const std::vector<Target>& targets = run_.targets;
    // Bytes that are read and then written with the value they held: a repeated launch cannot show that a variant
    // leaves them out.
    const auto written = written_by(run_.last.accesses, targets);
    for (size_t t = 0; t < targets.size(); ++t) {
      const Target& target = targets[t];
      const uint64_t bytes = total_bytes(without(written[t], (*overwritten_)[t]));
      if (bytes > 0 && target.pre.content->chunks == target.post.content->chunks)
        run_.sink.emit({{"event", ReplayEvent::reread}, {target.kind(), target.name}, {"bytes", bytes}});
    }
    for (size_t t = 0; t < targets.size(); ++t)
      emit_rows(ReplayEvent::overwritten, targets[t], (*overwritten_)[t], run_.sink);
    for (size_t t = 0; t < targets.size(); ++t) emit_rows(ReplayEvent::untouched, targets[t], untouched_[t], run_.sink);
    return Unit{};
  }

 private:
  Run& run_;
  std::optional<RangesByTarget> overwritten_;  // once there was a launch
  RangesByTarget untouched_;                   // likewise
};

}  // namespace

std::unique_ptr<Step> find_overwritten_step(Run& run) {
  return std::make_unique<FindOverwritten>(run);
}

}  // namespace kernloop::replay
