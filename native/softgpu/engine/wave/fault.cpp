#include <cstdio>
#include <nlohmann/json.hpp>

#include "softgpu/engine/wave/fault.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu {

namespace {

bool has_address(Fault::Kind kind) {
  return kind == Fault::Kind::kMemoryAccess || kind == Fault::Kind::kMisaligned ||
         kind == Fault::Kind::kLdsOutOfRange || kind == Fault::Kind::kScratchOutOfRange ||
         kind == Fault::Kind::kOutOfBounds || kind == Fault::Kind::kUninitialized || kind == Fault::Kind::kRace ||
         kind == Fault::Kind::kFloatAtomic;
}

const char* describe(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kUnknownInstruction:
      return "unknown instruction";
    case Fault::Kind::kUnsupportedInstruction:
      return "unsupported instruction";
    case Fault::Kind::kMemoryAccess:
      return "memory access outside of every allocation";
    case Fault::Kind::kMisaligned:
      return "misaligned access";
    case Fault::Kind::kLdsOutOfRange:
      return "LDS access out of range";
    case Fault::Kind::kScratchOutOfRange:
      return "private memory access out of range";
    case Fault::Kind::kInstructionLimit:
      return "instruction limit reached";
    case Fault::Kind::kCancelled:
      return "cancelled";
    case Fault::Kind::kTrap:
      return "trap";
    case Fault::Kind::kBadDispatch:
      return "bad dispatch";
    case Fault::Kind::kInternal:
      return "internal error of the software GPU";
    case Fault::Kind::kMissingWait:
      return "missing wait for memory";
    case Fault::Kind::kFloatAtomic:
      return "floating-point atomic";
    case Fault::Kind::kOutOfBounds:
      return "access past the end of an allocation";
    case Fault::Kind::kUninitialized:
      return "read of uninitialised memory";
    case Fault::Kind::kRace:
      return "race";
  }
  return "fault";
}

}  // namespace

const char* Fault::kind_name() const {
  switch (kind) {
    case Kind::kUnknownInstruction:
      return "unknown_instruction";
    case Kind::kUnsupportedInstruction:
      return "unsupported_instruction";
    case Kind::kMemoryAccess:
      return "memory_access";
    case Kind::kMisaligned:
      return "misaligned";
    case Kind::kLdsOutOfRange:
      return "lds_out_of_range";
    case Kind::kScratchOutOfRange:
      return "scratch_out_of_range";
    case Kind::kInstructionLimit:
      return "instruction_limit";
    case Kind::kCancelled:
      return "cancelled";
    case Kind::kTrap:
      return "trap";
    case Kind::kBadDispatch:
      return "bad_dispatch";
    case Kind::kInternal:
      return "internal";
    case Kind::kMissingWait:
      return "missing_wait";
    case Kind::kFloatAtomic:
      return "float_atomic";
    case Kind::kOutOfBounds:
      return "out_of_bounds";
    case Kind::kUninitialized:
      return "uninitialized";
    case Kind::kRace:
      return "race";
  }
  return "unknown";
}

std::string Fault::text() const {
  std::string out = kind == Kind::kRace && in_lds ? "race in LDS" : describe(kind);
  out += " in kernel ";
  out += kernel.empty() ? "(unnamed)" : kernel;
  if (pc != 0) {
    const bool before_entry = static_cast<int64_t>(pc_offset) < 0;
    out += " at pc ";
    out += hex(pc);
    out += before_entry ? " (entry -" : " (entry +";
    out += hex(before_entry ? -pc_offset : pc_offset);
    out += ")";
    if (!instruction.empty()) {
      out += ", instruction `";
      out += instruction;
      out += "`";
    }
    char place[96];
    std::snprintf(place, sizeof place, ", workgroup (%u, %u, %u), wave %u", workgroup[0], workgroup[1], workgroup[2],
                  wave);
    out += place;
    if (lane >= 0) {
      out += ", lane ";
      out += std::to_string(lane);
    }
  }
  if (has_address(kind)) {
    out += is_write ? ": write of " : ": read of ";
    out += std::to_string(bytes);
    out += bytes == 1 ? " byte at " : " bytes at ";
    out += hex(address);
  }
  if (!detail.empty()) {
    out += ": ";
    out += detail;
  }
  return out;
}

std::string Fault::json() const {
  nlohmann::json out;
  out["kind"] = kind_name();
  out["kernel"] = kernel;
  out["pc"] = hex(pc);
  out["pc_offset"] = hex(pc_offset);
  out["instruction"] = instruction;
  out["workgroup"] = {workgroup[0], workgroup[1], workgroup[2]};
  out["wave"] = wave;
  out["lane"] = lane;
  if (has_address(kind)) {
    out["address"] = hex(address);
    out["bytes"] = bytes;
    out["access"] = is_write ? "write" : "read";
  }
  if (kind == Kind::kRace) out["in_lds"] = in_lds;
  if (other) {
    out["other"] = {{"pc", hex(other->pc)},
                    {"pc_offset", hex(other->pc_offset)},
                    {"instruction", other->instruction},
                    {"workgroup", {other->workgroup[0], other->workgroup[1], other->workgroup[2]}},
                    {"wave", other->wave},
                    {"access", other->is_write ? "write" : "read"}};
  }
  if (!missing_wait.empty()) out["missing_wait"] = missing_wait;
  if (!stale_cache.empty()) out["stale_cache"] = stale_cache;
  out["detail"] = detail;
  out["text"] = text();
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void raise_unsupported(std::string detail, int32_t lane) {
  throw WaveFault{.kind = Fault::Kind::kUnsupportedInstruction, .detail = std::move(detail), .lane = lane};
}

}  // namespace kernloop::softgpu
