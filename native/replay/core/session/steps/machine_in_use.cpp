#include "replay/core/launch/kernarg.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// A launch on a machine in use: a variant fails there if it relies on the judge's poison, young clocks, compute unit 0
// or the absence of other launches.
class MachineInUse final : public Step {
 public:
  explicit MachineInUse(Run& run) : run_(run), seed_(run.options.machine_in_use) {}

  Result<bool> launch_again(Judgement& judgement) override {
    SoftwareExecution* const execution = run_.device.software_execution();
    if (execution == nullptr) return true;
    if (auto set = execution->set_machine_in_use(seed_); !set) return set.error();
    constexpr uint32_t kFewPoisons = 15;  // small numbers, none of them 0
    run_.snapshot.set_poison(static_cast<uint8_t>(1 + seed_ % kFewPoisons));
    constexpr uint32_t kFewPackets = 37;
    Launch& launch = run_.program.launch;
    launch.amid_others = {.packets_before = 3 + seed_ % kFewPackets,
                          .services = services_of_apps(run_.program.kernel, launch.kernarg)};
    run_.circumstances["machine_in_use"] = true;
    auto completed = run_.launch_once_more(run_.options.fills.front(), judgement.total);
    if (!completed || !*completed) return completed;
    launch.amid_others.reset();
    if (judgement.total.differing_bytes == 0) run_.circumstances.erase("machine_in_use");
    return true;
  }

 private:
  Run& run_;
  const uint32_t seed_;
};

}  // namespace

std::unique_ptr<Step> machine_in_use_step(Run& run) {
  return std::make_unique<MachineInUse>(run);
}

}  // namespace kernloop::replay
