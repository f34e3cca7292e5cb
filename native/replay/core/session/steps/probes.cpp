#include "replay/core/lenses/probes.h"

#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// Reports the probes of the last launch.
class Probes final : public Step {
 public:
  explicit Probes(Run& run) : run_(run), request_(*run.options.probes) {}

  Status prepare() override { return set_probes(request_, run_.device); }

  Status report() override {
    auto event = write_probes(request_, run_.device);
    if (!event) return event.error();
    (*event)["event"] = ReplayEvent::probes;
    run_.sink.emit(*event);
    return Unit{};
  }

 private:
  Run& run_;
  const ProbesRequest& request_;
};

}  // namespace

std::unique_ptr<Step> probes_step(Run& run) {
  return std::make_unique<Probes>(run);
}

}  // namespace kernloop::replay
