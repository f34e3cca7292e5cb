// Calls that came to amdkfd between Linux 6.1 and 6.12 (include/uapi/linux/kfd_ioctl.h). Debian 12 does not have the
// headers of the latter.
#pragma once

#include <linux/kfd_ioctl.h>

namespace kernloop::softgpu::kfd {

// AMDKFD_IOC_EXPORT_DMABUF, _RUNTIME_ENABLE and _DBG_TRAP.
constexpr unsigned kExportDmabuf = 0x24, kRuntimeEnable = 0x25, kDebugTrap = 0x26;

struct ExportDmabuf {
  uint64_t handle;
  uint32_t flags, descriptor;
};

struct RuntimeEnable {
  uint64_t r_debug;
  uint32_t mode_mask, capabilities_mask;
};

// kfd_context_save_area_header: begins the memory that a queue names for its saved waves.
struct SaveArea {
  uint32_t wave_state[4];
  uint32_t debug_offset, debug_bytes;
  uint64_t payload_address;
  uint32_t event, reserved;
};

// kfd_dbg_trap_exception_code: a queue's exception sets bit `code - 1` of the payload.
enum class ExceptionCode : uint32_t {
  kAbort = 1,
  kIllegalInstruction = 4,
  kDispatchCodeInvalid = 18,
  kPacketUnsupported = 20,
};

}  // namespace kernloop::softgpu::kfd
