// Signals. Every operation is sequentially consistent, which satisfies each memory order that a name asks for.
#include <algorithm>
#include <vector>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

// These functions have no status to return: an invalid signal is reported on stderr, and nothing happens.
bool usable(hsa_signal_t signal, const char* what) {
  Runtime* current = Runtime::current();
  if (current != nullptr && current->signals.valid(signal)) return true;
  if (current == nullptr) {
    report_error("%s without hsa_init (a forked process has to call it itself): ignored", what);
  } else {
    report_error("%s of 0x%lx, which is no signal: ignored", what, signal.handle);
  }
  return false;
}

int64_t load(hsa_signal_t signal) {
  return usable(signal, "load") ? runtime().signals.load(signal) : 0;
}

void store(hsa_signal_t signal, int64_t value) {
  if (usable(signal, "store")) runtime().signals.store(signal, value);
}

template <typename Change>
int64_t update(hsa_signal_t signal, Change change) {
  return usable(signal, "update") ? runtime().signals.update(signal, change) : 0;
}

int64_t wait(hsa_signal_t signal, hsa_signal_condition_t condition, int64_t value, uint64_t timeout) {
  return usable(signal, "wait") ? runtime().signals.wait(signal, condition, value, timeout) : 0;
}

}  // namespace

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers, const hsa_agent_t* consumers,
                               hsa_signal_t* signal) {
  return api::hsa_amd_signal_create(initial_value, num_consumers, consumers, 0, signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes, hsa_signal_t* signal) {
  if (signal == nullptr || (num_consumers > 0 && consumers == nullptr)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (attributes & HSA_AMD_SIGNAL_IPC) {
    report_unsupported("HSA_AMD_SIGNAL_IPC", "signals are not shared between processes");
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  *signal = runtime().signals.create(initial_value);
  return signal->handle != 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!runtime().signals.valid(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  runtime().async_handlers.forget(signal);
  return runtime().signals.destroy(signal) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) {
  return load(signal);
}
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal) {
  return load(signal);
}
void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
// "Silent" allows not to wake waiters, and does not ask for it.
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}

hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint, hsa_wait_state_t) {
  return wait(signal, condition, compare_value, timeout_hint);
}
hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                             hsa_wait_state_t) {
  return wait(signal, condition, compare_value, timeout_hint);
}

// One row an operation: the four memory orders differ in name only.
#define KERNLOOP_SIGNAL_UPDATE(operation, expression)                                        \
  void hsa_signal_##operation##_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {     \
    update(signal, [value](auto word) { return expression; });                               \
  }                                                                                          \
  void hsa_signal_##operation##_scacquire(hsa_signal_t signal, hsa_signal_value_t value) {   \
    update(signal, [value](auto word) { return expression; });                               \
  }                                                                                          \
  void hsa_signal_##operation##_screlease(hsa_signal_t signal, hsa_signal_value_t value) {   \
    update(signal, [value](auto word) { return expression; });                               \
  }                                                                                          \
  void hsa_signal_##operation##_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value) { \
    update(signal, [value](auto word) { return expression; });                               \
  }
KERNLOOP_SIGNAL_UPDATE(and, word.fetch_and(value))
KERNLOOP_SIGNAL_UPDATE(or, word.fetch_or(value))
KERNLOOP_SIGNAL_UPDATE(xor, word.fetch_xor(value))
KERNLOOP_SIGNAL_UPDATE(add, word.fetch_add(value))
KERNLOOP_SIGNAL_UPDATE(subtract, word.fetch_sub(value))
#undef KERNLOOP_SIGNAL_UPDATE

#define KERNLOOP_SIGNAL_EXCHANGE(order)                                                           \
  hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value) { \
    return update(signal, [value](auto word) { return word.exchange(value); });                   \
  }                                                                                               \
  hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected,     \
                                            hsa_signal_value_t value) {                           \
    return update(signal, [expected, value](auto word) {                                          \
      int64_t observed = expected;                                                                \
      word.compare_exchange_strong(observed, value);                                              \
      return observed;                                                                            \
    });                                                                                           \
  }
KERNLOOP_SIGNAL_EXCHANGE(relaxed)
KERNLOOP_SIGNAL_EXCHANGE(scacquire)
KERNLOOP_SIGNAL_EXCHANGE(screlease)
KERNLOOP_SIGNAL_EXCHANGE(scacq_screl)
#undef KERNLOOP_SIGNAL_EXCHANGE

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** value_ptr) {
  if (value_ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!runtime().signals.valid(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (Signals::abi(signal).kind != AMD_SIGNAL_KIND_USER) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *value_ptr = &Signals::abi(signal).value;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler, void* argument) {
  if (handler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!runtime().signals.valid(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  runtime().async_handlers.add({signal, condition, value}, handler, argument);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_async_function(void (*callback)(void*), void* argument) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  runtime().async_handlers.call(callback, argument);
  return HSA_STATUS_SUCCESS;
}

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying_value) {
  std::vector<WaitTarget> targets;
  for (uint32_t i = 0; i < signal_count; ++i) {
    if (!usable(signals[i], "wait")) return UINT32_MAX;
    targets.push_back({signals[i], conditions[i], values[i]});
  }
  auto satisfied = runtime().signals.wait_any(targets, timeout_hint);
  if (!satisfied) return UINT32_MAX;
  if (satisfying_value != nullptr) *satisfying_value = satisfied->value;
  return static_cast<uint32_t>(satisfied->index);
}

// 0 once each condition has held: it counts even if its signal is changed afterwards.
uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying_values) {
  for (uint32_t i = 0; i < signal_count; ++i) {
    if (!usable(signals[i], "wait")) return UINT32_MAX;
  }
  const uint64_t start = now_ns();
  for (uint32_t i = 0; i < signal_count; ++i) {
    uint64_t left = kWaitForever;
    if (timeout_hint != kWaitForever) left = timeout_hint - std::min(timeout_hint, now_ns() - start);
    const WaitTarget target{signals[i], conds[i], values[i]};
    auto satisfied = runtime().signals.wait_any({&target, 1}, left);
    if (!satisfied) return UINT32_MAX;
    if (satisfying_values != nullptr) satisfying_values[i] = satisfied->value;
  }
  return 0;
}

}  // namespace kernloop::softgpu::api
