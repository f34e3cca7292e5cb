#include "replay/core/memory/unused.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// Finds the granules that no launch touched.
class FindUnused final : public Step {
 public:
  explicit FindUnused(Run& run) : run_(run) {}

  void after_launch() override {
    auto unused = unused_by(run_.last.accesses, run_.targets, run_.options.find_unused);
    for (size_t t = 0; t < unused_.size(); ++t) unused[t] = intersection(unused[t], unused_[t]);
    unused_ = std::move(unused);
  }

  Status report() override {
    for (size_t t = 0; t < unused_.size(); ++t) emit_rows(ReplayEvent::unused, run_.targets[t], unused_[t], run_.sink);
    return Unit{};
  }

 private:
  Run& run_;
  std::vector<std::vector<AddressRange>> unused_;  // by target, once there was a launch
};

}  // namespace

std::unique_ptr<Step> find_unused_step(Run& run) {
  return std::make_unique<FindUnused>(run);
}

}  // namespace kernloop::replay
