#include "replay/core/session/steps/steps.h"
#include "verdict/untouched.h"

namespace kernloop::replay {

namespace {

// A launch with other values in memory that the last one used and the captured code does not touch.
class DisturbTouched final : public Step {
 public:
  explicit DisturbTouched(Run& run) : run_(run) {}

  Result<bool> launch_again(Judgement& judgement) override {
    auto is_any_left = keep_touched();
    if (!is_any_left) return is_any_left;
    if (!*is_any_left) return true;
    run_.disturbs_untouched = true;
    run_.circumstances["disturbed"] = true;
    auto completed = run_.launch_once_more(run_.options.fills.front(), judgement.total);
    if (!completed || !*completed) return completed;
    run_.disturbs_untouched = false;
    if (judgement.total.differing_bytes == 0) run_.circumstances.erase("disturbed");
    return true;
  }

 private:
  // False: the last launch used none.
  Result<bool> keep_touched() {
    if (run_.options.disturb_untouched == Disturbed::kWritten) return keep_written(run_.last.accesses, run_.targets);
    return keep_zeros_read(run_.last.accesses, run_.cache, run_.targets, run_.sink);
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> disturbed_step(Run& run) {
  return std::make_unique<DisturbTouched>(run);
}

}  // namespace kernloop::replay
