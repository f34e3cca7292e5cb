// The library's exports: the names of HSA 1.0, kept for old clients. Each goes through the current API table, so that a
// tool which replaced a slot sees the call.
#pragma GCC visibility push(default)
#include "softgpu/hsa/api/tables.h"

using kernloop::softgpu::api_tables;

extern "C" {

uint64_t hsa_queue_add_write_index_acq_rel(const hsa_queue_t* queue, uint64_t value) {
  return api_tables().core.hsa_queue_add_write_index_scacq_screl_fn(queue, value);
}
uint64_t hsa_queue_add_write_index_acquire(const hsa_queue_t* queue, uint64_t value) {
  return api_tables().core.hsa_queue_add_write_index_scacquire_fn(queue, value);
}
uint64_t hsa_queue_add_write_index_release(const hsa_queue_t* queue, uint64_t value) {
  return api_tables().core.hsa_queue_add_write_index_screlease_fn(queue, value);
}
uint64_t hsa_queue_cas_write_index_acq_rel(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return api_tables().core.hsa_queue_cas_write_index_scacq_screl_fn(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_acquire(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return api_tables().core.hsa_queue_cas_write_index_scacquire_fn(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_release(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return api_tables().core.hsa_queue_cas_write_index_screlease_fn(queue, expected, value);
}
uint64_t hsa_queue_load_read_index_acquire(const hsa_queue_t* queue) {
  return api_tables().core.hsa_queue_load_read_index_scacquire_fn(queue);
}
uint64_t hsa_queue_load_write_index_acquire(const hsa_queue_t* queue) {
  return api_tables().core.hsa_queue_load_write_index_scacquire_fn(queue);
}
void hsa_queue_store_read_index_release(const hsa_queue_t* queue, uint64_t value) {
  api_tables().core.hsa_queue_store_read_index_screlease_fn(queue, value);
}
void hsa_queue_store_write_index_release(const hsa_queue_t* queue, uint64_t value) {
  api_tables().core.hsa_queue_store_write_index_screlease_fn(queue, value);
}
void hsa_signal_add_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_add_scacq_screl_fn(signal, value);
}
void hsa_signal_add_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_add_scacquire_fn(signal, value);
}
void hsa_signal_add_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_add_screlease_fn(signal, value);
}
void hsa_signal_and_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_and_scacq_screl_fn(signal, value);
}
void hsa_signal_and_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_and_scacquire_fn(signal, value);
}
void hsa_signal_and_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_and_screlease_fn(signal, value);
}
hsa_signal_value_t hsa_signal_cas_acq_rel(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_cas_scacq_screl_fn(signal, expected, value);
}
hsa_signal_value_t hsa_signal_cas_acquire(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_cas_scacquire_fn(signal, expected, value);
}
hsa_signal_value_t hsa_signal_cas_release(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_cas_screlease_fn(signal, expected, value);
}
hsa_signal_value_t hsa_signal_exchange_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_exchange_scacq_screl_fn(signal, value);
}
hsa_signal_value_t hsa_signal_exchange_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_exchange_scacquire_fn(signal, value);
}
hsa_signal_value_t hsa_signal_exchange_release(hsa_signal_t signal, hsa_signal_value_t value) {
  return api_tables().core.hsa_signal_exchange_screlease_fn(signal, value);
}
hsa_signal_value_t hsa_signal_load_acquire(hsa_signal_t signal) {
  return api_tables().core.hsa_signal_load_scacquire_fn(signal);
}
void hsa_signal_or_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_or_scacq_screl_fn(signal, value);
}
void hsa_signal_or_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_or_scacquire_fn(signal, value);
}
void hsa_signal_or_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_or_screlease_fn(signal, value);
}
void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_store_screlease_fn(signal, value);
}
void hsa_signal_subtract_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_subtract_scacq_screl_fn(signal, value);
}
void hsa_signal_subtract_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_subtract_scacquire_fn(signal, value);
}
void hsa_signal_subtract_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_subtract_screlease_fn(signal, value);
}
hsa_signal_value_t hsa_signal_wait_acquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t wait_state_hint) {
  return api_tables().core.hsa_signal_wait_scacquire_fn(signal, condition, compare_value, timeout_hint,
                                                        wait_state_hint);
}
void hsa_signal_xor_acq_rel(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_xor_scacq_screl_fn(signal, value);
}
void hsa_signal_xor_acquire(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_xor_scacquire_fn(signal, value);
}
void hsa_signal_xor_release(hsa_signal_t signal, hsa_signal_value_t value) {
  api_tables().core.hsa_signal_xor_screlease_fn(signal, value);
}

}  // extern "C"
