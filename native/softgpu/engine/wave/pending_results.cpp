#include "softgpu/engine/wave/pending_results.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/operand_fields.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu {

namespace {

constexpr unsigned kFirstVgpr = 256, kFirstAgpr = 512;

struct Registers {
  unsigned first, count;
};

std::optional<Registers> registers_of(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kSgpr:
      if (operand.index == kCodeNull) return std::nullopt;
      return Registers{operand.index, operand.dwords};
    case Operand::Kind::kVgpr:
      return Registers{kFirstVgpr + operand.index, operand.dwords};
    case Operand::Kind::kAgpr:
      return Registers{kFirstAgpr + operand.index, operand.dwords};
    default:
      return std::nullopt;
  }
}

std::string name_of(unsigned reg) {
  if (reg >= kFirstAgpr) return "a" + std::to_string(reg - kFirstAgpr);
  if (reg >= kFirstVgpr) return "v" + std::to_string(reg - kFirstVgpr);
  if (reg == kVcc || reg == kVcc + 1) return reg == kVcc ? "vcc_lo" : "vcc_hi";
  return "s" + std::to_string(reg);
}

bool goes_to_lds(const Wave& wave, const Operand& address, bool& goes_elsewhere) {
  bool any = false;
  for_lanes(wave.exec(), [&](unsigned lane) {
    const uint64_t high = uint64_t{wave.vgpr[address.index + 1][lane]} << 32;
    const bool is_shared = high == (kSharedApertureBase & ~uint64_t{0xffffffff});
    any |= is_shared;
    goes_elsewhere |= !is_shared;
  });
  return any;
}

}  // namespace

void PendingResults::clear() {
  results_.clear();
  vectors_ = lds_ = 0;
}

PendingResults::Paths PendingResults::paths_of(const Wave& wave, const DecodedInstruction& instruction) {
  switch (instruction.encoding) {
    case Encoding::kSmem:
      return {.scalar = true};
    case Encoding::kDs:
      return {.lds = true};
    case Encoding::kFlat: {
      bool elsewhere = false;
      const bool lds = goes_to_lds(wave, instruction.src[0], elsewhere);
      return {.vector = elsewhere || !lds, .lds = lds};
    }
    default:
      return {.vector = is_counted_with_loads(instruction)};
  }
}

std::optional<WaveFault> PendingResults::begin(const Wave& wave, const DecodedInstruction& instruction,
                                               uint64_t entry) {
  paths_ = paths_of(wave, instruction);
  if (results_.empty()) return std::nullopt;
  const auto check = [&](const Operand& operand, bool is_result) -> std::optional<WaveFault> {
    const std::optional<Registers> registers = registers_of(operand);
    if (!registers) return std::nullopt;
    for (const Result& result : results_) {
      const unsigned at = std::max(registers->first, result.first);
      if (at >= std::min(registers->first + registers->count, result.first + result.count)) continue;
      // Later than the other one, if both return in order.
      if (is_result && result.paths == paths_ && !paths_.scalar) continue;
      return WaveFault{.kind = Fault::Kind::kMissingWait,
                       .detail = name_of(at) + " is a result of `" + disassemble(*result.of) + "` (entry +" +
                                 hex(result.of->address - entry) +
                                 "), which may not have arrived: before this instruction `" + wait_for(result) +
                                 "` is missing"};
    }
    return std::nullopt;
  };
  std::optional<WaveFault> fault;
  for (unsigned k = 0; k < instruction.src_count && !fault; ++k) fault = check(instruction.src[k], false);
  for (unsigned k = 0; k < instruction.dst_count && !fault; ++k) fault = check(instruction.dst[k], true);
  return fault;
}

// The weakest wait with which it has arrived.
std::string PendingResults::wait_for(const Result& result) const {
  std::string wait = "s_waitcnt";
  if (result.paths.vector) wait += " vmcnt(" + std::to_string(vectors_ - result.vectors) + ")";
  if (result.paths.lds) wait += " lgkmcnt(" + std::to_string(lds_ - result.lds) + ")";
  if (result.paths.scalar) wait += " lgkmcnt(0)";
  return wait;
}

void PendingResults::issue(const Wave& wave, const DecodedInstruction& instruction) {
  if (facts_of(instruction.op).waits_for != MemoryWait::kNone) {
    const MemoryWaits waits = waits_of(wave, instruction);
    return wait(waits.vectors, waits.lgkm);
  }
  vectors_ += is_counted_with_loads(instruction);
  lds_ += instruction.encoding == Encoding::kDs || instruction.encoding == Encoding::kFlat;
  if (paths_ == Paths{}) return;
  for (unsigned k = 0; k < instruction.dst_count; ++k) {
    const std::optional<Registers> registers = registers_of(instruction.dst[k]);
    if (!registers) continue;
    // A result that was loaded again without a wait, as in a loop, is there once this is.
    std::erase_if(results_, [&](const Result& result) {
      return result.first >= registers->first && result.first + result.count <= registers->first + registers->count;
    });
    results_.push_back({&instruction, registers->first, registers->count, paths_, vectors_, lds_});
  }
}

void PendingResults::wait(uint64_t vectors, uint64_t lgkm) {
  for (Result& result : results_) {
    if (vectors_ - result.vectors >= vectors) result.paths.vector = false;
    if (lds_ - result.lds >= lgkm) result.paths.lds = false;
    if (lgkm == 0) result.paths.scalar = false;
  }
  std::erase_if(results_, [](const Result& result) { return result.paths == Paths{}; });
}

}  // namespace kernloop::softgpu
