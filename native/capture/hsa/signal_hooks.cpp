// The app's own use of signals: what it writes to, and what it has seen completed.
#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

void reused(hsa_signal_t signal) noexcept {
  Agent* agent = active_agent();
  if (agent == nullptr) return;
  agent->copies.signal_reused(signal);
  agent->profiler.signal_reused(signal);
}

void signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_store_relaxed_fn(signal, value);
}
void signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_store_screlease_fn(signal, value);
}
void signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_silent_store_relaxed_fn(signal, value);
}
void signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_silent_store_screlease_fn(signal, value);
}
hsa_status_t signal_destroy(hsa_signal_t signal) {
  reused(signal);
  return originals().core.hsa_signal_destroy_fn(signal);
}

// An app that sees what it waited for may end at once (_exit): its dispatches are reported before it does.
void seen() noexcept {
  if (Agent* agent = active_agent()) agent->profiler.report_completed();
}

hsa_signal_value_t seen_with(hsa_signal_value_t value) noexcept {
  if (value < 1) seen();
  return value;
}

hsa_signal_value_t signal_load_relaxed(hsa_signal_t signal) {
  return seen_with(originals().core.hsa_signal_load_relaxed_fn(signal));
}
hsa_signal_value_t signal_load_scacquire(hsa_signal_t signal) {
  return seen_with(originals().core.hsa_signal_load_scacquire_fn(signal));
}
hsa_signal_value_t signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t value,
                                       uint64_t timeout, hsa_wait_state_t state) {
  return seen_with(originals().core.hsa_signal_wait_relaxed_fn(signal, condition, value, timeout, state));
}
hsa_signal_value_t signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                         hsa_signal_value_t value, uint64_t timeout, hsa_wait_state_t state) {
  return seen_with(originals().core.hsa_signal_wait_scacquire_fn(signal, condition, value, timeout, state));
}
uint32_t signal_wait_any(uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                         hsa_signal_value_t* values, uint64_t timeout, hsa_wait_state_t state,
                         hsa_signal_value_t* satisfying) {
  const uint32_t index =
      originals().amd.hsa_amd_signal_wait_any_fn(count, signals, conditions, values, timeout, state, satisfying);
  seen();
  return index;
}

}  // namespace

void install_signal_hooks(HsaApiTable& table, bool profiles) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_signal_store_relaxed_fn, &signal_store_relaxed);
  hook(core.version, core.hsa_signal_store_screlease_fn, &signal_store_screlease);
  hook(core.version, core.hsa_signal_silent_store_relaxed_fn, &signal_silent_store_relaxed);
  hook(core.version, core.hsa_signal_silent_store_screlease_fn, &signal_silent_store_screlease);
  hook(core.version, core.hsa_signal_destroy_fn, &signal_destroy);
  if (!profiles) return;
  hook(core.version, core.hsa_signal_load_relaxed_fn, &signal_load_relaxed);
  hook(core.version, core.hsa_signal_load_scacquire_fn, &signal_load_scacquire);
  hook(core.version, core.hsa_signal_wait_relaxed_fn, &signal_wait_relaxed);
  hook(core.version, core.hsa_signal_wait_scacquire_fn, &signal_wait_scacquire);
  KERNLOOP_HOOK_AMD(table, hsa_amd_signal_wait_any, &signal_wait_any);
}

}  // namespace kernloop::capture
