#include "softgpu/engine/engine.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/schedule/dispatch.h"
#include "softgpu/engine/schedule/helper_pool.h"
#include "softgpu/engine/schedule/worker.h"
#include "softgpu/engine/wave/slot_pool.h"
#include "softgpu/engine/wave/unwritten_fill.h"

namespace kernloop::softgpu {

struct Engine::State {
  State(AddressSpace& space, Isa target) : memory(space), isa(target) {}
  AddressSpace& memory;
  const Isa isa;
  CodeCache code;
  CodeCache profiled_code{CodePage::Use::kProfile};
  CodeCache access_code{CodePage::Use::kAccesses};
  GlobalWaveSync wave_sync;
  SlotPool slots;
  FillCache fills;
  HelperPool helpers;  // last: its threads end before what they use
};

namespace {

// `call_helpers`: once they can take part.
void run_worker(Dispatch& dispatch, SlotPool& slots, const std::function<void()>& poll,
                const std::function<void()>& call_helpers = {}) {
  try {
    Worker worker(dispatch, slots, poll);
    if (call_helpers) {
      worker.run_adverse();
      call_helpers();
    }
    worker.run();
  } catch (const std::exception& error) {
    Fault fault;
    fault.kind = Fault::Kind::kInternal;
    fault.detail = error.what();
    dispatch.fail(std::move(fault));
  }
}

}  // namespace

Engine::Engine(AddressSpace& memory, Isa isa) : state_(std::make_unique<State>(memory, isa)) {}
Engine::~Engine() = default;

DispatchOutcome Engine::run(const DispatchRequest& request, const DispatchOptions& options) {
  const AddressSpace::Reader reader(state_->memory);
  if (options.profile) options.profile->clear();
  std::optional<CodeCache> probed_code;  // made for these probes
  if (options.probes) probed_code.emplace(*options.probes);
  CodeCache& code = probed_code       ? *probed_code
                    : options.profile ? state_->profiled_code
                    : options.checks  ? state_->access_code
                                      : state_->code;
  const uint64_t fill =
      options.machine_in_use ? UnwrittenFill::of_machine_in_use(options.machine_in_use) : options.unwritten_fill;
  Dispatch dispatch(state_->memory, state_->isa, code, state_->access_code, state_->wave_sync, state_->fills.get(fill),
                    request, options);
  if (dispatch.is_stopped()) return dispatch.finish();

  static const unsigned all_cores =
      std::max(1u, std::thread::hardware_concurrency());  // reads /sys: longer than a small dispatch
  const unsigned unless_told = options.probes ? 1 : all_cores;
  const unsigned wanted = options.checks.races ? 1 : options.threads ? options.threads : unless_told;
  const auto threads = static_cast<unsigned>(std::min<uint64_t>(wanted, dispatch.workgroups()));
  const std::function<void()> poll_cancelled = [&] {
    if (!options.cancelled || dispatch.is_stopped() || !(*options.cancelled)()) return;
    Fault fault;
    fault.kind = Fault::Kind::kCancelled;
    fault.detail = "the dispatch was cancelled by its submitter";
    dispatch.fail(std::move(fault));
  };
  const std::function<void()> nothing = [] {};

  HelperPool::Job job{.work = [&] { run_worker(dispatch, state_->slots, nothing); }};
  run_worker(dispatch, state_->slots, poll_cancelled, [&] { state_->helpers.submit(job, threads - 1); });
  state_->helpers.finish(job, poll_cancelled);
  return dispatch.finish();
}

void Engine::forget_code(uint64_t base, uint64_t size) {
  state_->code.forget(base, size);
  state_->profiled_code.forget(base, size);
  state_->access_code.forget(base, size);
}

}  // namespace kernloop::softgpu
