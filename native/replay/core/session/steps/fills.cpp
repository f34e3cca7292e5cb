#include <algorithm>

#include "replay/core/session/steps/steps.h"
#include "verdict/untouched.h"

namespace kernloop::replay {

namespace {

// Puts other values into the bytes that the captured code overwrites unread: the iterations begin with the first fill,
// and one more launch with each of the others.
class Fills final : public Step {
 public:
  explicit Fills(Run& run) : run_(run) {}

  Status prepare() override {
    const Options& options = run_.options;
    if (auto read = read_overwritten(*options.overwritten, run_.targets, options.expected); !read) return read;
    leave_unjudged_untouched(run_.varying, run_.targets);
    return Unit{};
  }

  Result<bool> launch_again(Judgement& judgement) override {
    const std::vector<Fill>& fills = run_.options.fills;
    for (size_t i = 1; i < fills.size() && judgement.total.differing_bytes == 0; ++i) {
      auto completed = run_.launch_once_more(fills[i], judgement.total);
      if (!completed || !*completed) return completed;
    }
    return true;
  }

  Status conclude(Judgement& judgement) override {
    if (auto counted = count(judgement.rewritten); !counted) return counted;
    judgement.facts["overwritten_bytes"] = judgement.rewritten.bytes;
    judgement.facts["rewritten_bytes"] = judgement.rewritten.unchanged;
    if (run_.last.fill == Fill::kCaptured || judgement.total.differing_bytes == 0) return Unit{};
    const auto unwritten = count_unwritten(run_.last.fill, run_.device, run_.cache, run_.targets);
    if (!unwritten) return unwritten.error();
    judgement.facts["fill"] = name_of(run_.last.fill);
    judgement.facts["unwritten_bytes"] = *unwritten;
    return Unit{};
  }

 private:
  Status count(Rewritten& all) const {
    const auto& fills = run_.options.fills;
    if (std::all_of(fills.begin(), fills.end(), [](Fill fill) { return fill == Fill::kCaptured; })) return Unit{};
    for (const Target& target : run_.targets) {
      const auto some = count_rewritten(run_.cache, target, unjudged_in(target, run_.varying));
      if (!some) return some.error();
      all.bytes += some->bytes;
      all.unchanged += some->unchanged;
    }
    return Unit{};
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> fills_step(Run& run) {
  return std::make_unique<Fills>(run);
}

}  // namespace kernloop::replay
