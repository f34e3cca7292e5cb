// The options of the software GPU, read from the environment at hsa_init and changed later through the vendor
// extension.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "softgpu/engine/engine.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

// Behaviour of other HSA runtimes that this one does not show by itself: for tests of libraries that attach to a
// runtime.
struct Hostility {
  bool writer_once = false;   // packets come one by one, each for one call of the packet writer: ROCr before ROCm 6.0
  bool cooperative = false;   // an intercepted cooperative queue ends the process at hsa_shut_down: ROCr 6.4
  bool failed_frees = false;  // the first attempt to free an allocation fails
  bool xnack = false;         // said to be enabled, so that GPUs reach all memory of the process
  bool old_driver = false;    // the functions of virtual memory fail: ROCr since 6.0 over amdkfd before 1.15
};

struct Options {
  std::string target = "gfx90a";       // KERNLOOP_SOFTGPU: gfx90a, gfx1030, gfx942 or gfx1100
  uint32_t threads = 0;                // KERNLOOP_SOFTGPU_THREADS, 0: all cores
  uint64_t seed = 0;                   // KERNLOOP_SOFTGPU_SEED
  uint64_t max_wave_instructions = 0;  // KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS, 0: the engine's default
  int log_level = 0;                   // KERNLOOP_SOFTGPU_LOG
  // KERNLOOP_SOFTGPU_API_TABLES: the tables for tools, 1: those of ROCm 5.2, 2: those since ROCm 6.
  int api_tables = 1;
  Checks checks;                 // KERNLOOP_SOFTGPU_CHECK, a list
  bool faults_past_lds = false;  // KERNLOOP_SOFTGPU_FATAL, a list: lds
  Hostility hostility;           // KERNLOOP_SOFTGPU_HOSTILE, a list

  Isa isa() const {
    for (const Isa isa : kExecutedIsas) {
      if (target == isa_name(isa)) return isa;
    }
    return Isa::kGfx90a;
  }
};

// `environment(name)` returns nullptr for unset variables. An invalid number is an error, never a silent default.
Result<Options> read_options(const char* (*environment)(const char* name));

}  // namespace kernloop::softgpu
