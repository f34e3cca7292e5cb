// Optional parts of a device, beyond what every device has (device.h): callers ask for a part, and do without if there
// is none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "replay/core/device/layout.h"

namespace kernloop::replay {

// Content of a probe's map after the last launch, in memory of the device's own.
struct ProbedMapView {
  std::string name;
  uint64_t unit_bytes = 0;
  std::span<const uint8_t> records;
  std::span<const uint32_t> counts;  // records that each thread or wave had
  uint64_t kept = 0, dropped = 0;
  uint32_t wave_size = 0;
};

// Settings for the execution of kernels on a software device. 0 is the default of each number.
class SoftwareExecution {
 public:
  virtual ~SoftwareExecution() = default;
  virtual Status set_wave_instruction_limit(uint64_t per_dispatch) = 0;
  virtual Status set_seed(uint64_t seed) = 0;
  virtual Status set_threads(uint32_t threads) = 0;
  // Fill of on-chip memory and registers that nobody has written; the pattern's counterpart has all bits inverted.
  // Hardware leaves them undefined.
  virtual Status set_unwritten_fill(uint64_t pattern) = 0;
  // Imitates a machine in use, drawn from the seed: small numbers in place of that pattern, and clocks that have run
  // for hours. 0: off.
  virtual Status set_machine_in_use(uint32_t seed) = 0;
  // Whether kernels may write to the constants of code that is loaded from now on, as on hardware.
  virtual Status open_constants(bool) { return Unit{}; }
  // Runs that many wave-instructions of every launch in an order that shows races, and checks for races if `races`.
  virtual Status set_adverse(uint64_t wave_instructions, bool races) = 0;
  // Whether residency is limited to as many workgroups as the modelled GPU holds at once.
  virtual Status limit_residency(bool) { return Unit{}; }
  // Memory for which the first floating-point atomic of every launch is reported (LaunchOutcome::float_atomics).
  virtual Status watch_float_atomics(const std::vector<AddressRange>&) { return Unit{}; }
  virtual Status record_accesses() = 0;
  virtual Status profile() = 0;
  // Probes ("kernloop.probes/1"), and their results of the last launch, map by map.
  virtual Status set_probes(const std::string& request) = 0;
  virtual Status visit_probes(const std::function<Status(const ProbedMapView&)>& visit) const = 0;
};

// Part of a device that loads code at a given address (device.h: load).
class CodePlacement {
 public:
  virtual ~CodePlacement() = default;
  // Nothing may be placed there from now on, and any access by a kernel faults.
  virtual Status keep_out(uint64_t base, uint64_t size) = 0;
  // Removes every code object and opens closed ranges, for other code at the same addresses.
  virtual Status unload_code() = 0;
};

// Copies of restored memory, on the device or near it.
class KeptMemory {
 public:
  virtual ~KeptMemory() = default;
  // Copies the current content of the range. False: there is no room for a copy.
  virtual Result<bool> keep(const AddressRange& range) = 0;
  // Puts back all that was kept.
  virtual Status restore() = 0;
  // Puts back the previous launch's writes, as far as earlier launches of the kernel showed their addresses, and
  // touches nothing else. False: they are unknown, or not all of them was kept.
  virtual Result<bool> restore_written() { return false; }
};

}  // namespace kernloop::replay
