#include "softgpu/isa/print_immediates.h"

namespace kernloop::softgpu {
namespace {

std::string call(const char* function, unsigned value) {
  return std::string(function) + "(" + std::to_string(value) + ")";
}

const char* hwreg_name(unsigned id) {
  switch (id) {
    case 1:
      return "HW_REG_MODE";
    case 2:
      return "HW_REG_STATUS";
    case 3:
      return "HW_REG_TRAPSTS";
    case 4:
      return "HW_REG_HW_ID";
    case 5:
      return "HW_REG_GPR_ALLOC";
    case 6:
      return "HW_REG_LDS_ALLOC";
    case 7:
      return "HW_REG_IB_STS";
    case 15:
      return "HW_REG_SH_MEM_BASES";
    case 16:
      return "HW_REG_TBA_LO";
    case 17:
      return "HW_REG_TBA_HI";
    case 18:
      return "HW_REG_TMA_LO";
    case 19:
      return "HW_REG_TMA_HI";
    default:
      return nullptr;
  }
}

constexpr unsigned kGs = 2;
constexpr unsigned kGsDone = 3;
constexpr unsigned kSysmsg = 15;
constexpr const char* kMessages[16] = {nullptr,
                                       "MSG_INTERRUPT",
                                       "MSG_GS",
                                       "MSG_GS_DONE",
                                       "MSG_SAVEWAVE",
                                       "MSG_STALL_WAVE_GEN",
                                       "MSG_HALT_WAVES",
                                       "MSG_ORDERED_PS_DONE",
                                       "MSG_EARLY_PRIM_DEALLOC",
                                       "MSG_GS_ALLOC_REQ",
                                       "MSG_GET_DOORBELL",
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       "MSG_SYSMSG"};
constexpr const char* kGsOperations[4] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
constexpr const char* kSysmsgOperations[5] = {nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                              "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};

}  // namespace

std::string print_waitcnt(unsigned simm16) {
  const unsigned vmcnt = (simm16 & 0xf) | (simm16 >> 14 & 3) << 4;
  const unsigned expcnt = simm16 >> 4 & 7;
  const unsigned lgkmcnt = simm16 >> 8 & 0xf;
  const bool nothing = vmcnt == 63 && expcnt == 7 && lgkmcnt == 15;
  std::string text;
  if (vmcnt != 63 || nothing) text += " " + call("vmcnt", vmcnt);
  if (expcnt != 7 || nothing) text += " " + call("expcnt", expcnt);
  if (lgkmcnt != 15 || nothing) text += " " + call("lgkmcnt", lgkmcnt);
  return text.substr(1);
}

std::string print_message(unsigned simm16) {
  const unsigned id = simm16 & 0xf;
  const unsigned operation = simm16 >> 4 & 7;
  const unsigned stream = simm16 >> 8 & 3;
  if (simm16 & ~0x37fu) return std::to_string(simm16);
  const std::string raw =
      "sendmsg(" + std::to_string(id) + ", " + std::to_string(operation) + ", " + std::to_string(stream) + ")";
  const char* name = kMessages[id];
  if (name == nullptr) return raw;
  const std::string start = std::string("sendmsg(") + name;
  if (id == kGs || id == kGsDone) {
    if (operation > 3) return raw;
    if (operation == 0) {
      return id == kGsDone && stream == 0 ? start + ", " + kGsOperations[0] + ")" : raw;
    }
    return start + ", " + kGsOperations[operation] + ", " + std::to_string(stream) + ")";
  }
  if (stream != 0) return raw;
  if (id == kSysmsg) {
    if (operation == 0 || operation > 4) return raw;
    return start + ", " + kSysmsgOperations[operation] + ")";
  }
  return operation == 0 ? start + ")" : raw;
}

std::string print_hwreg(unsigned simm16) {
  const unsigned id = simm16 & 0x3f;
  const unsigned offset = simm16 >> 6 & 0x1f;
  const unsigned width = (simm16 >> 11 & 0x1f) + 1;
  const char* name = hwreg_name(id);
  std::string text = "hwreg(" + (name != nullptr ? std::string(name) : std::to_string(id));
  if (offset != 0 || width != 32) text += ", " + std::to_string(offset) + ", " + std::to_string(width);
  return text + ")";
}

std::string print_gpr_index(unsigned modes) {
  static constexpr const char* kModes[] = {"SRC0", "SRC1", "SRC2", "DST"};
  std::string text;
  for (unsigned i = 0; i < 4; ++i) {
    if (modes >> i & 1) text += std::string(text.empty() ? "" : ",") + kModes[i];
  }
  return "gpr_idx(" + text + ")";
}

}  // namespace kernloop::softgpu
