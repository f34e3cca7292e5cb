#include "replay/core/memory/injection.h"

#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// Every injected error must be noticed.
class InjectBitFlips final : public Step {
 public:
  explicit InjectBitFlips(Run& run) : run_(run) {}

  Result<bool> launch_again(Judgement& judgement) override {
    const Options& options = run_.options;
    auto injection = inject_bit_flips(run_.device, run_.cache, run_.targets, run_.snapshot.padding(), options.poison,
                                      run_.varying, options.inject_bit_flips, options.seed.value_or(0));
    if (!injection) return injection.error();
    run_.sink.emit({{"event", ReplayEvent::injection},
                    {"flips", injection->flips},
                    {"detected", injection->detected},
                    {"overwritten", injection->overwritten},
                    {"missed", injection->missed}});
    judgement.is_injection_missed = injection->detected != injection->flips;
    return true;
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> injection_step(Run& run) {
  return std::make_unique<InjectBitFlips>(run);
}

}  // namespace kernloop::replay
