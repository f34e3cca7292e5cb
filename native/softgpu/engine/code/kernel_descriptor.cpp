#include "softgpu/engine/code/kernel_descriptor.h"

#include <algorithm>

namespace kernloop::softgpu {

namespace {

template <typename T>
T field(const uint8_t* bytes, unsigned offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((2u << (high - low)) - 1);
}
bool bit(uint32_t word, unsigned at) {
  return (word >> at & 1) != 0;
}

bool allot_cdna(uint32_t rsrc1, uint32_t rsrc3, KernelDescriptor& d, std::string* error) {
  if (bit(rsrc3, 16)) {
    *error = "the kernel asks for threadgroup split mode, which this device does not have";
    return false;
  }
  // Unified register file, in granules of 8; VGPRs come first, accumulation registers from ACCUM_OFFSET on.
  const unsigned registers = std::min(512u, (bits(rsrc1, 5, 0) + 1) * 8);
  const unsigned accum_offset = std::min(256u, (bits(rsrc3, 5, 0) + 1) * 4);
  d.vgprs = std::min(registers, accum_offset);
  d.agprs = std::min(256u, registers - d.vgprs);
  return true;
}

// Memory order and forward progress (rsrc1 bits 30 and 31) make no difference here, nor does gfx1100's code prefetch
// (rsrc3 bits 4 to 9).
bool allot_rdna(uint32_t rsrc1, uint32_t rsrc3, KernelDescriptor& d, std::string* error) {
  if (bits(rsrc3, 3, 0) != 0) {
    *error = "the kernel asks for VGPRs shared by the halves of a wave, which this device does not have";
    return false;
  }
  if (d.target.isa == Isa::kGfx1100 && bits(rsrc3, 11, 10) != 0) {
    *error = "the kernel asks for traps at its start or end, which this device does not have";
    return false;
  }
  d.runs_on_two_units = bit(rsrc1, 29);
  const unsigned granule = d.target.wave_size == 32 ? 8 : 4;
  d.vgprs = std::min(256u, (bits(rsrc1, 5, 0) + 1) * granule);
  return true;
}

// `room`: user SGPRs that nothing else takes.
bool check_preload(const KernelDescriptor& d, unsigned room, std::string* error) {
  const std::string wants = "the kernel wants " + std::to_string(d.preloaded_dwords) +
                            " dwords of its arguments preloaded into SGPRs, from dword " +
                            std::to_string(d.first_preloaded_dword) + " on";
  if (d.preloaded_dwords > room) {
    *error = wants + ", but " + std::to_string(room) + " of its user SGPRs are free";
    return false;
  }
  if (d.preloaded_dwords > 0 && 4 * (d.first_preloaded_dword + d.preloaded_dwords) > d.kernarg_bytes) {
    *error = wants + ", but all of them are " + std::to_string(d.kernarg_bytes) + " bytes";
    return false;
  }
  return true;
}

}  // namespace

bool KernelDescriptor::parse(const uint8_t* bytes, uint64_t address, Isa isa, KernelDescriptor* out,
                             std::string* error) {
  KernelDescriptor& d = *out;
  d = KernelDescriptor{};
  d.group_segment_bytes = field<uint32_t>(bytes, 0);
  d.private_segment_bytes = field<uint32_t>(bytes, 4);
  d.kernarg_bytes = field<uint32_t>(bytes, 8);
  d.entry = address + static_cast<uint64_t>(field<int64_t>(bytes, 16));
  const auto rsrc3 = field<uint32_t>(bytes, 44), rsrc1 = field<uint32_t>(bytes, 48), rsrc2 = field<uint32_t>(bytes, 52);
  const auto properties = field<uint16_t>(bytes, 56);
  const auto preload = field<uint16_t>(bytes, 58);
  d.dynamic_stack = bit(properties, 11);

  const bool wave32 = bit(properties, 10);
  const bool rdna = is_rdna(isa);
  d.target = Target{isa, static_cast<uint8_t>(rdna && wave32 ? 32 : 64)};
  if (wave32 && !rdna) {
    *error = std::string("the kernel is built for wave32; ") + isa_name(isa) + " runs wave64";
    return false;
  }
  if (preload != 0 && rdna) {
    *error = "the kernel wants its arguments preloaded into SGPRs, which this device does not do";
    return false;
  }
  if (bit(rsrc1, 20) || bit(rsrc1, 22) || bits(rsrc2, 30, 24) != 0) {
    *error =
        "the kernel asks for privileged mode, debug mode or floating-point exceptions, which this device does not have";
    return false;
  }
  if (rdna ? !allot_rdna(rsrc1, rsrc3, d, error) : !allot_cdna(rsrc1, rsrc3, d, error)) return false;

  d.mode.round_f32 = static_cast<uint8_t>(bits(rsrc1, 13, 12));
  d.mode.round_f64_f16 = static_cast<uint8_t>(bits(rsrc1, 15, 14));
  d.mode.denorm_f32 = static_cast<uint8_t>(bits(rsrc1, 17, 16));
  d.mode.denorm_f64_f16 = static_cast<uint8_t>(bits(rsrc1, 19, 18));
  d.mode.dx10_clamp = bit(rsrc1, 21);
  d.mode.ieee = bit(rsrc1, 23);
  d.mode.fp16_overflow = bit(rsrc1, 26);

  d.private_segment_wave_offset = bit(rsrc2, 0);
  d.user_sgprs = bits(rsrc2, 5, 1);
  for (unsigned k = 0; k < 3; ++k) d.workgroup_id[k] = bit(rsrc2, 7 + k);
  d.workgroup_info = bit(rsrc2, 10);
  d.work_item_ids = bits(rsrc2, 12, 11);
  if (d.work_item_ids == 3) {
    *error = "the descriptor's work-item id mode is reserved";
    return false;
  }

  d.private_segment_buffer = bit(properties, 0);
  d.dispatch_ptr = bit(properties, 1);
  d.queue_ptr = bit(properties, 2);
  d.kernarg_segment_ptr = bit(properties, 3);
  d.dispatch_id = bit(properties, 4);
  d.flat_scratch_init = bit(properties, 5);
  d.private_segment_size = bit(properties, 6);
  const unsigned wanted = 4 * d.private_segment_buffer + 2 * d.dispatch_ptr + 2 * d.queue_ptr +
                          2 * d.kernarg_segment_ptr + 2 * d.dispatch_id + 2 * d.flat_scratch_init +
                          d.private_segment_size;
  if (wanted > d.user_sgprs || d.user_sgprs > 16) {
    *error = "the descriptor asks for " + std::to_string(wanted) + " user SGPRs but allots " +
             std::to_string(d.user_sgprs) + " of 16";
    return false;
  }
  d.preloaded_dwords = bits(preload, 6, 0);
  d.first_preloaded_dword = bits(preload, 15, 7);
  return check_preload(d, d.user_sgprs - wanted, error);
}

}  // namespace kernloop::softgpu
