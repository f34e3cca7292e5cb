// Settings that tests choose for the fake, all by environment (README.md lists them). Read once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernloop::cuda::fake {

struct Settings {
  int devices = 1;                     // devices that this process sees
  std::vector<int> installed = {0};    // their indices in KERNLOOP_FAKE_CUDA_DEVICES (CUDA_VISIBLE_DEVICES)
  uint64_t memory_bytes = 8ull << 30;  // KERNLOOP_FAKE_CUDA_MEMORY, of each device
  uint64_t seed = 0;                   // KERNLOOP_FAKE_CUDA_SEED: the order in which atomics happen
  uint64_t refused_address = 0;        // KERNLOOP_FAKE_CUDA_REFUSE_ADDRESS: no reservation may contain it
  std::string compiled_ptx;            // KERNLOOP_FAKE_CUDA_JIT: the cubin that compiling PTX with kernels of it gives
  std::string demoted_lines;           // KERNLOOP_FAKE_CUDA_DEMOTED: a file for the lines that are demoted
  uint64_t begin_capture_us = 0;       // KERNLOOP_FAKE_CUDA_BEGIN_CAPTURE_US: how late that call returns
  bool ends_with_context = false;      // KERNLOOP_FAKE_CUDA_ENDS_WITH_CONTEXT: with the last primary context, at exit
  bool cupti_is_taken = false;         // KERNLOOP_FAKE_CUDA_CUPTI_TAKEN: another tool subscribed first
};

const Settings& settings();

}  // namespace kernloop::cuda::fake
