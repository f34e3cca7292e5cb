// The 64-byte kernel descriptor (AMDGPUUsage "Kernel Descriptor"): facts that a runtime reports about a kernel, and the
// initial state of its waves. Code objects hold it (loader/code_object.h finds its bytes); nothing else reads them.
#pragma once

#include <cstdint>
#include <string>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

struct KernelDescriptor {
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
  uint32_t kernarg_bytes = 0;
  bool dynamic_stack = false;
  uint64_t entry = 0;
  Target target = kGfx90a;         // with the wave size of the kernel
  unsigned vgprs = 0, agprs = 0;   // allocated rows of each file
  bool runs_on_two_units = false;  // RDNA's WGP mode: waves of one workgroup have two first-level caches
  Mode mode;
  unsigned user_sgprs = 0;
  bool private_segment_buffer = false, dispatch_ptr = false, queue_ptr = false, kernarg_segment_ptr = false,
       dispatch_id = false, flat_scratch_init = false, private_segment_size = false;
  bool workgroup_id[3] = {false, false, false};
  bool workgroup_info = false, private_segment_wave_offset = false;
  unsigned work_item_ids = 0;  // 0: x, 1: x y, 2: x y z
  // Kernel arguments that are in SGPRs, behind the other user SGPRs, when a wave starts (AMDGPUUsage "Preloaded Kernel
  // Arguments"): number of dwords, and index of the first one in the segment.
  unsigned preloaded_dwords = 0, first_preloaded_dword = 0;

  // Start of the waves. Code that wants its arguments preloaded begins with 256 bytes for firmware that cannot.
  uint64_t first_instruction() const { return preloaded_dwords == 0 ? entry : entry + 256; }

  // `bytes`: the descriptor, at `address`. On failure `error` names what this device cannot do; the members before
  // `target` are valid all the same, so that code which is never launched can be loaded and described.
  static bool parse(const uint8_t* bytes, uint64_t address, Isa isa, KernelDescriptor* out, std::string* error);
};

inline constexpr uint32_t kKernelDescriptorBytes = 64;

}  // namespace kernloop::softgpu
