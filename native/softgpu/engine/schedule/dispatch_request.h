// A dispatch as it is asked for, and its outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/observe/checks.h"
#include "softgpu/engine/observe/counters.h"
#include "softgpu/engine/observe/profile.h"
#include "softgpu/engine/wave/fault.h"

namespace kernloop::softgpu {

struct ProbeProgram;
struct ProbeResults;
struct Residency;

struct DispatchRequest {
  std::string kernel_name;
  uint64_t kernel_object = 0;  // address of the 64-byte kernel descriptor (LLVM AMDGPUUsage "Kernel Descriptor")
  uint32_t workgroup_size[3] = {1, 1, 1};
  uint32_t grid_size[3] = {1, 1, 1};  // work-items; the last workgroup of a dimension may be partial
  uint16_t dimensions = 1;
  uint32_t private_segment_bytes = 0;  // per work-item
  uint32_t group_segment_bytes = 0;
  uint64_t kernarg_address = 0;
  uint64_t packet_address = 0;  // dispatch_ptr
  uint64_t queue_address = 0;   // queue_ptr (amd_queue_t)
  uint64_t dispatch_id = 0;
};

// The adverse order: several workgroups run together, and their waves are interrupted at every access to memory and
// held there for short or long, as drawn from the seed (adverse_order.h).
struct Adverse {
  uint64_t wave_instructions = 0;  // instructions in this order, on one thread; then the rest runs as usual. 0: none
  bool races = false;              // check these for races
  explicit operator bool() const { return wave_instructions > 0; }
};

struct DispatchOptions {
  // Limit from the end of one workgroup to the end of another, and 16 times as much in all. 0: the default, 64 G.
  uint64_t max_wave_instructions = 0;
  uint64_t seed = 0;                                 // order in which workgroups and waves are taken; 0: ascending
  unsigned threads = 0;                              // 0: all cores
  AccessSets* accesses = nullptr;                    // filled when given (slower)
  KernelProfile* profile = nullptr;                  // filled when given (slower); Counters then has all it can have
  const std::function<bool()>* cancelled = nullptr;  // polled between time slices
  Checks checks{};                                   // slower; for races on one thread
  Adverse adverse{};                                 // slower; not with a profile
  const ProbeProgram* probes = nullptr;              // fills `probed` (probes.h); slower, on one thread unless set
  ProbeResults* probed = nullptr;
  uint64_t unwritten_fill = 0;  // pattern of unwritten memory and registers (unwritten_fill.h)
  // A machine in use by its seed, in place of that pattern: memory holds small numbers, and clocks have run for hours.
  // 0: none.
  uint32_t machine_in_use = 0;
  // The modelled limit of workgroups at once (residency.h): a workgroup that waits for one which does not fit beside it
  // waits until the instruction limit. Null: all fit.
  const Residency* residency = nullptr;
  // Whether an access past the end of LDS ends the dispatch. Otherwise it is a finding, and behaves as on hardware
  // (lds_end.h).
  bool faults_past_lds = false;
  // Disjoint memory in which the first floating-point atomic is a finding. Null: none.
  std::shared_ptr<const std::vector<AddressRange>> float_atomics = nullptr;
};

struct DispatchOutcome {
  std::optional<Fault> fault;
  // From the checker, the watches, and accesses past the end of LDS: one for each kind and instruction; races for both.
  std::vector<Fault> findings;
  uint64_t adverse_wave_instructions = 0;  // instructions that ran in the adverse order
  Counters counters;
};

}  // namespace kernloop::softgpu
