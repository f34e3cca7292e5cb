#include "softgpu/isa/print_immediates.h"

#include <span>

namespace kernloop::softgpu {
namespace {

std::string call(const char* function, unsigned value) {
  return std::string(function) + "(" + std::to_string(value) + ")";
}

struct HardwareRegister {
  unsigned id;
  const char* name;
};
constexpr HardwareRegister kHardwareRegisters[] = {
    {1, "HW_REG_MODE"},      {2, "HW_REG_STATUS"}, {3, "HW_REG_TRAPSTS"},       {5, "HW_REG_GPR_ALLOC"},
    {6, "HW_REG_LDS_ALLOC"}, {7, "HW_REG_IB_STS"}, {15, "HW_REG_SH_MEM_BASES"},
};
constexpr HardwareRegister kTrapRegisters[] = {
    {16, "HW_REG_TBA_LO"},
    {17, "HW_REG_TBA_HI"},
    {18, "HW_REG_TMA_LO"},
    {19, "HW_REG_TMA_HI"},
};
constexpr HardwareRegister kHardwareRegistersGfx1100[] = {
    {18, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {19, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {20, "HW_REG_FLAT_SCR_LO"},
    {21, "HW_REG_FLAT_SCR_HI"},
    {23, "HW_REG_HW_ID1"},
    {24, "HW_REG_HW_ID2"},
    {27, "HW_REG_PERF_SNAPSHOT_DATA"},
    {29, "HW_REG_SHADER_CYCLES"},
};
constexpr HardwareRegister kHardwareRegistersGfx90a[] = {{4, "HW_REG_HW_ID"}};
constexpr HardwareRegister kHardwareRegistersGfx942[] = {{4, "HW_REG_HW_ID"}, {20, "HW_REG_XCC_ID"}};
constexpr HardwareRegister kHardwareRegistersGfx1030[] = {
    {20, "HW_REG_FLAT_SCR_LO"}, {21, "HW_REG_FLAT_SCR_HI"}, {23, "HW_REG_HW_ID1"},
    {24, "HW_REG_HW_ID2"},      {25, "HW_REG_POPS_PACKER"}, {29, "HW_REG_SHADER_CYCLES"},
};

const char* find_name(std::span<const HardwareRegister> registers, unsigned id) {
  for (const HardwareRegister& known : registers) {
    if (known.id == id) return known.name;
  }
  return nullptr;
}

const char* hwreg_name(Isa isa, unsigned id) {
  if (const char* name = find_name(kHardwareRegisters, id)) return name;
  if (const char* name = find_name(kTrapRegisters, id); name && isa != Isa::kGfx1100) return name;
  switch (isa) {
    case Isa::kGfx90a:
      return find_name(kHardwareRegistersGfx90a, id);
    case Isa::kGfx1030:
      return find_name(kHardwareRegistersGfx1030, id);
    case Isa::kGfx942:
      return find_name(kHardwareRegistersGfx942, id);
    case Isa::kGfx1100:
      return find_name(kHardwareRegistersGfx1100, id);
  }
  return nullptr;
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
// gfx1030 took some messages out and has another one.
const char* message_name(Isa isa, unsigned id) {
  if (isa == Isa::kGfx1030 && id == 11) return "MSG_GET_DDID";
  if (isa == Isa::kGfx1030 && id == 8) return nullptr;
  return kMessages[id];
}

constexpr const char* kGsOperations[4] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
constexpr const char* kSysmsgOperations[5] = {nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                              "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};

}  // namespace

std::string print_waitcnt(Isa isa, unsigned simm16) {
  const bool gfx1100 = isa == Isa::kGfx1100;
  const unsigned most_lgkm = gfx1100 || isa == Isa::kGfx1030 ? 63 : 15;
  const unsigned vmcnt = gfx1100 ? simm16 >> 10 & 63 : (simm16 & 0xf) | (simm16 >> 14 & 3) << 4;
  const unsigned expcnt = gfx1100 ? simm16 & 7 : simm16 >> 4 & 7;
  const unsigned lgkmcnt = simm16 >> (gfx1100 ? 4 : 8) & most_lgkm;
  const bool nothing = vmcnt == 63 && expcnt == 7 && lgkmcnt == most_lgkm;
  std::string text;
  const auto add = [&](bool shown, const char* counter, unsigned value) {
    if (!shown && !nothing) return;
    if (!text.empty()) text += ' ';
    text += call(counter, value);
  };
  add(vmcnt != 63, "vmcnt", vmcnt);
  add(expcnt != 7, "expcnt", expcnt);
  add(lgkmcnt != most_lgkm, "lgkmcnt", lgkmcnt);
  return text;
}

std::string print_message(Isa isa, unsigned simm16) {
  if (isa == Isa::kGfx1100) return std::to_string(simm16);
  const unsigned id = simm16 & 0xf;
  const unsigned operation = simm16 >> 4 & 7;
  const unsigned stream = simm16 >> 8 & 3;
  if (simm16 & ~0x37fu) return std::to_string(simm16);
  std::string raw =
      "sendmsg(" + std::to_string(id) + ", " + std::to_string(operation) + ", " + std::to_string(stream) + ")";
  const char* name = message_name(isa, id);
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
    const bool lost = isa == Isa::kGfx942 && operation == 3;  // SYSMSG_OP_HOST_TRAP_ACK: LLVM has its number alone
    if (operation == 0 || operation > 4 || lost) return raw;
    return start + ", " + kSysmsgOperations[operation] + ")";
  }
  return operation == 0 ? start + ")" : raw;
}

std::string print_hwreg(Isa isa, unsigned simm16) {
  const unsigned id = simm16 & 0x3f;
  const unsigned offset = simm16 >> 6 & 0x1f;
  const unsigned width = (simm16 >> 11 & 0x1f) + 1;
  const char* name = hwreg_name(isa, id);
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
