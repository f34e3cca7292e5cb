// The one interface through which replay knows a device. Leaves: ../hsa; tests have a fake.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/manifest.h"
#include "codeobject/code_object.h"
#include "support/result.h"

namespace kernloop::replay {

using archive::Bytes;
using archive::Json;

struct Launch {
  uint64_t kernel_object = 0;  // address of the kernel descriptor
  std::string kernel_name;
  uint16_t dimensions = 1;
  std::array<uint32_t, 3> block_threads = {1, 1, 1};
  std::array<uint32_t, 3> grid_work_items = {1, 1, 1};
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
  archive::Buffer kernarg;
  double limit_seconds = 0;  // 0: none
};

// Bytes of global memory that a dispatch touched.
struct Access {
  bool is_write = false;
  uint64_t base = 0;
  uint64_t size = 0;
};

struct LaunchOutcome {
  enum class End { kCompleted, kFault, kLimit };
  End end = End::kCompleted;
  Json fault = Json::object();          // what the device says about the fault or the limit
  std::optional<uint64_t> duration_ns;  // hardware only: a duration on the software GPU is no GPU time
  Json counters = Json::object();       // software GPU only
  std::optional<uint64_t> wave_instructions;
  std::vector<Access> accesses;  // when recorded: exact, reads first
  bool device_lost =
      false;  // the kernel may still run: nothing of this device may be touched again, not even to shut it down
};

class DeviceReplay {
 public:
  virtual ~DeviceReplay() = default;

  virtual uint64_t granule() const = 0;
  virtual bool fresh_memory_is_zero() const = 0;
  // Whether load() honours an address.
  virtual bool can_place_code() const = 0;

  // Memory for [base, base + size), whole granules, at exactly that address. ADDRESS_TAKEN when it is in use.
  virtual Status map(uint64_t base, uint64_t size) = 0;
  // Loads a code object and returns its load base: what its symbols' addresses are relative to.
  virtual Result<uint64_t> load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                                std::optional<uint64_t> address) = 0;

  // Nothing may be placed there from now on, and any access by a kernel faults. Only asked of devices that can place
  // code.
  virtual Status keep_out(uint64_t base, uint64_t size) = 0;

  virtual Status write(uint64_t address, Bytes bytes) = 0;
  virtual Status read(uint64_t address, std::span<uint8_t> into) = 0;
  // Mapped memory where this process can read and write it in place at full speed; null where only read() and write()
  // do.
  virtual uint8_t* in_place(uint64_t address) = 0;

  // 0 is the default of each. UNSUPPORTED_OPTION where the device has no such thing.
  virtual Status set_wave_instruction_limit(uint64_t per_dispatch) = 0;
  virtual Status set_seed(uint64_t seed) = 0;
  virtual Status set_threads(uint32_t threads) = 0;
  virtual Status record_accesses() = 0;

  virtual Result<LaunchOutcome> launch(const Launch& launch) = 0;
};

}  // namespace kernloop::replay
