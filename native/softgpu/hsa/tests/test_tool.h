// Calls that the tests' tool library has seen; shared by the library and the tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/hsa/rocr_tables.h"

namespace kernloop::softgpu {

struct TestToolState {
  int loads = 0, unloads = 0;
  uint64_t runtime_version = 0;
  size_t core_functions = 0, amd_functions = 0;
  int agents_seen_in_on_load = 0;
  int queues_created = 0;
  decltype(hsa_amd_queue_intercept_create)* intercept_create = nullptr;
  decltype(hsa_amd_queue_intercept_register)* intercept_register = nullptr;
};

}  // namespace kernloop::softgpu
