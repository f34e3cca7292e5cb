#include "replay/core/session/replaying.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

class TellConditions final : public Step {
 public:
  explicit TellConditions(Run& run) : run_(run) {}

  Status report() override {
    tell_conditions(run_.program, run_.sink);
    return Unit{};
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> conditions_step(Run& run) {
  return std::make_unique<TellConditions>(run);
}

}  // namespace kernloop::replay
