#include "replay/core/session/replaying.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// Writes the lens's content into files. Run::load() placed the lens: the program is loaded with it.
class TellLens final : public Step {
 public:
  explicit TellLens(Run& run) : run_(run) {}

  Status report() override {
    return tell_lens(run_.options, run_.device, run_.program, run_.reader.manifest(), run_.sink);
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> lens_step(Run& run) {
  return std::make_unique<TellLens>(run);
}

}  // namespace kernloop::replay
