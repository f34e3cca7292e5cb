// The interface through which replay uses a device. Implementations: ../hsa and ../cuda; tests have a fake.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"
#include "base/result.h"
#include "codeobject/code_object.h"
#include "replay/core/device/conditions.h"
#include "replay/core/device/device_parts.h"
#include "replay/core/device/layout.h"
#include "verdict/memory.h"

namespace kernloop::replay {

using archive::Json;

struct Launch {
  uint64_t kernel = 0;  // the device's own name for it, from kernel_address()
  std::string kernel_name;
  uint16_t dimensions = 1;
  std::array<uint32_t, 3> block_threads = {1, 1, 1};
  std::array<uint32_t, 3> grid_blocks = {1, 1, 1};
  std::array<uint64_t, 3> grid_work_items = {1, 1, 1};  // the last block of a dimension may be partial
  uint32_t group_segment_bytes = 0;                     // static + dynamic
  uint32_t dynamic_group_segment_bytes = 0;             // part of group_segment_bytes
  uint32_t private_segment_bytes = 0;
  std::map<std::string, uint64_t> attributes;  // further attributes of the launch (geometry.attributes of the manifest)
  Buffer kernarg;
  double limit_seconds = 0;  // 0: none
  // Launch as in the queue of an app at work, on a software device: behind other packets, without a completion signal
  // of its own, and with memory behind the null pointers of `kernarg` to services of the runtime.
  struct AmidOthers {
    uint32_t packets_before = 0;
    std::vector<uint32_t> services;  // offsets
  };
  std::optional<AmidOthers> amid_others;
  bool is_compared = false;  // memory is compared afterwards: the kernel must start from exactly the restored bytes
};

// Content of the device's caches when the kernel starts: as restoring left them, as a launch of the same kernel
// directly before left them, or none of its memory.
enum class CacheState { kAsIs, kWarm, kCold };

// A device's support for these states.
struct CacheFacts {
  bool is_modelled = true;         // false: there are no caches, and every state is the same
  uint64_t reported_bytes = 0;     // the largest cache that the device reports; 0: it reports none
  uint64_t overwritten_bytes = 0;  // memory overwritten ahead of every launch, if the caches are to be cold
};

// Counts of one instruction over all waves, with its place in the kernel's code object.
struct HotSpot {
  uint64_t address = 0;  // on the device
  Json counts = Json::object();
};

// Limits of every launch on a device; 0: unknown.
struct DeviceLimits {
  uint64_t shared_bytes = 0;            // LDS, shared memory: of a block
  uint64_t scratch_bytes_per_wave = 0;  // private memory
};

struct LaunchOutcome {
  enum class End { kCompleted, kFault, kLimit };
  End end = End::kCompleted;
  Json fault = Json::object();          // the device's description of the fault or the limit
  std::optional<uint64_t> duration_ns;  // hardware only: a duration on the software GPU is no GPU time
  std::string timer;                    // timer used, if a device has several
  Json counters = Json::object();       // software GPU only
  std::optional<uint64_t> wave_instructions;
  std::vector<Access> accesses;              // when recorded: exact, reads first
  std::optional<uint64_t> accesses_by_lane;  // likewise: a number that differs if other lanes access the same bytes
  std::vector<HotSpot> hot_spots;            // when profiled: every instruction that a wave reached, by address
  std::optional<uint64_t> adverse_wave_instructions;  // instructions that ran in the adverse order, if it was requested
  Json findings = Json::array();                      // findings of checks in it
  Json float_atomics = Json::array();                 // on memory that is watched for them
  Json past_lds = Json::array();  // accesses past the end of LDS, if the device continues after them
  bool device_lost = false;  // the kernel may still run: the device must not be used again, not even to shut it down
};

// A code object on the device.
struct LoadedCode {
  uint64_t id = 0;               // the device's own
  std::optional<uint64_t> base;  // address of the image, to which symbols are relative; none if the device places each
                                 // symbol by itself
};

inline Error unsupported_option(const std::string& option, const std::string& hint = "leave it out") {
  return {"UNSUPPORTED_OPTION", option + " is an option of another device; this one has no such thing", hint};
}

class DeviceReplay : public Memory {
 public:
  // Null if the device has no such part.
  virtual SoftwareExecution* software_execution() { return nullptr; }
  virtual CodePlacement* code_placement() { return nullptr; }
  virtual KeptMemory* kept_memory() { return nullptr; }

  // The event that describes this device; null if the caller has named it.
  virtual archive::Json identity() const { return nullptr; }

  // Kind of memory that a captured region is restored to; it decides the granule.
  virtual archive::RegionClass home_of(const archive::Region&) const { return archive::RegionClass::kDevice; }
  // Whether the mapped memory at the address is memory of the host.
  virtual bool is_host(uint64_t) const { return false; }
  // Whether a launch is measured in time, which varies, or in counts of executed work, which repeat.
  virtual bool measures_time() const { return true; }
  virtual uint64_t granule(archive::RegionClass home) const = 0;

  // Called once before any map(), with everything that will be mapped. OUT_OF_MEMORY, ADDRESS_TAKEN.
  virtual Status prepare(const std::vector<Mapping>&) { return Unit{}; }
  // Memory for [base, base + size), whole granules, at exactly that address. ADDRESS_TAKEN when it is in use.
  virtual Status map(const Mapping& mapping) = 0;
  // Device memory that was not captured: `range`, whole granules, with nothing else in `window` around it. False if the
  // window is occupied, or the runtime does not give these addresses.
  virtual Result<bool> map_apart(const AddressRange& window, const AddressRange& range) = 0;

  // Loads at `address` if the device has code_placement(), else anywhere.
  virtual Result<LoadedCode> load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                                  std::optional<uint64_t> address) = 0;
  virtual Result<uint64_t> kernel_address(const LoadedCode& code, const codeobject::Kernel& kernel) = 0;
  virtual Result<uint64_t> variable_address(const LoadedCode& code, const codeobject::Variable& variable) = 0;
  // The guard around captured memory. Bytes of mapped memory that a kernel may not touch from now on; false if this
  // device protects whole granules only.
  virtual Result<bool> close_to_kernels(const AddressRange&) { return false; }
  // Keeps addresses unmapped; false if something is mapped there, or may be.
  virtual Result<bool> keep_unmapped(const AddressRange&) { return false; }

  // UNSUPPORTED_OPTION if the device cannot change its caches.
  virtual Result<CacheFacts> set_cache(CacheState state) {
    if (state == CacheState::kAsIs) return CacheFacts{};
    return unsupported_option("--cache");
  }
  // Whether the caller must warm the caches: by a launch of the same kernel whose time is not taken, and
  // KeptMemory::restore_written() after it.
  virtual bool needs_launch_before() const { return false; }

  // Clocks and temperatures right after a launch; none if the device reports none.
  virtual std::optional<Conditions> conditions() { return std::nullopt; }

  // Least time that this device needs to write the given number of bytes of its memory, for any content of its caches;
  // 0: unknown.
  virtual uint64_t least_ns_to_write(uint64_t) const { return 0; }

  virtual DeviceLimits limits() const { return {}; }
  // Reason why this device's runtime would refuse to launch the loaded `kernel` in place of `captured`, beyond limits()
  // and the code object's own limits (launch_check.h). Empty: it would not, or cannot be asked.
  virtual Result<std::string> why_refused(const codeobject::Kernel&, const codeobject::Kernel&, const Launch&) {
    return std::string();
  }

  // After a launch that did not complete: true if another one may follow all the same.
  virtual Result<bool> recover() { return false; }
  // LAUNCH_REFUSED if the runtime does not start the kernel.
  virtual Result<LaunchOutcome> launch(const Launch& launch) = 0;
};

}  // namespace kernloop::replay
