#include "replay/core/session/steps/steps.h"
#include "verdict/given_records.h"

namespace kernloop::replay {

namespace {

// Reads the values that vary from replay to replay, by which they are judged.
class KnownVarying final : public Step {
 public:
  explicit KnownVarying(Run& run) : run_(run) {}

  Status prepare() override {
    const Options& options = run_.options;
    auto varying = read_varying(*options.known_varying, run_.targets, options.expected);
    if (!varying) return varying.error();
    run_.varying = std::move(*varying);
    return apply_records(options.records, run_.varying);
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> known_varying_step(Run& run) {
  return std::make_unique<KnownVarying>(run);
}

}  // namespace kernloop::replay
