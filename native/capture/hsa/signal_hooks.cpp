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

uint64_t difference(hsa_signal_value_t before, hsa_signal_value_t after) {
  return static_cast<uint64_t>(after) - static_cast<uint64_t>(before);
}

void changed(hsa_signal_t signal, uint64_t by) noexcept {
  if (Agent* agent = active_agent()) agent->copies.changed_by_host(signal, by);
}

template <auto Slot>
void signal_add(hsa_signal_t signal, hsa_signal_value_t value) {
  (originals().core.*Slot)(signal, value);
  changed(signal, difference(0, value));
}
template <auto Slot>
void signal_subtract(hsa_signal_t signal, hsa_signal_value_t value) {
  changed(signal, difference(value, 0));
  (originals().core.*Slot)(signal, value);
}
template <auto Slot>
hsa_signal_value_t signal_exchange(hsa_signal_t signal, hsa_signal_value_t value) {
  const hsa_signal_value_t before = (originals().core.*Slot)(signal, value);
  changed(signal, difference(before, value));
  return before;
}
template <auto Slot>
hsa_signal_value_t signal_cas(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
  const hsa_signal_value_t before = (originals().core.*Slot)(signal, expected, value);
  if (before == expected) changed(signal, difference(before, value));
  return before;
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

#define KERNLOOP_HOOK_CHANGE(change, order)                   \
  hook(core.version, core.hsa_signal_##change##_##order##_fn, \
       &signal_##change<&CoreApiTable::hsa_signal_##change##_##order##_fn>)
#define KERNLOOP_HOOK_CHANGES(change)      \
  KERNLOOP_HOOK_CHANGE(change, relaxed);   \
  KERNLOOP_HOOK_CHANGE(change, scacquire); \
  KERNLOOP_HOOK_CHANGE(change, screlease); \
  KERNLOOP_HOOK_CHANGE(change, scacq_screl)

void install_signal_hooks(HsaApiTable& table, bool profiles) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_signal_store_relaxed_fn, &signal_store_relaxed);
  hook(core.version, core.hsa_signal_store_screlease_fn, &signal_store_screlease);
  hook(core.version, core.hsa_signal_silent_store_relaxed_fn, &signal_silent_store_relaxed);
  hook(core.version, core.hsa_signal_silent_store_screlease_fn, &signal_silent_store_screlease);
  hook(core.version, core.hsa_signal_destroy_fn, &signal_destroy);
  KERNLOOP_HOOK_CHANGES(add);
  KERNLOOP_HOOK_CHANGES(subtract);
  KERNLOOP_HOOK_CHANGES(exchange);
  KERNLOOP_HOOK_CHANGES(cas);
  if (!profiles) return;
  hook(core.version, core.hsa_signal_load_relaxed_fn, &signal_load_relaxed);
  hook(core.version, core.hsa_signal_load_scacquire_fn, &signal_load_scacquire);
  hook(core.version, core.hsa_signal_wait_relaxed_fn, &signal_wait_relaxed);
  hook(core.version, core.hsa_signal_wait_scacquire_fn, &signal_wait_scacquire);
  KERNLOOP_HOOK_AMD(table, hsa_amd_signal_wait_any, &signal_wait_any);
}

}  // namespace kernloop::capture
