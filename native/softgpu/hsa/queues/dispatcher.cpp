#include "softgpu/hsa/queues/dispatcher.h"

#include <utility>

#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/memory/memory_pools.h"
#include "softgpu/hsa/queues/dispatch_request.h"

namespace kernloop::softgpu {
namespace {

constexpr uint32_t kMaxWorkgroupSize = 1024;

// Reason why an agent refuses a packet before it starts a kernel.
std::string reason_to_refuse(const hsa_kernel_dispatch_packet_t& packet, const std::optional<KernelInfo>& kernel) {
  const unsigned dimensions = packet.setup & ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
  if (dimensions == 0) return "the packet's number of dimensions is 0";
  const uint64_t workgroup = uint64_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  if (workgroup == 0) return "a workgroup size is 0";
  if (workgroup > kMaxWorkgroupSize) {
    return "the workgroup has " + std::to_string(workgroup) + " work-items, more than " +
           std::to_string(kMaxWorkgroupSize);
  }
  if (packet.grid_size_x == 0 || packet.grid_size_y == 0 || packet.grid_size_z == 0) return "a grid size is 0";
  if (packet.group_segment_size > kGroupSegmentBytes) {
    return "the workgroup asks for " + std::to_string(packet.group_segment_size) + " bytes of LDS, more than " +
           std::to_string(kGroupSegmentBytes);
  }
  if (!kernel) return "kernel_object is not a kernel of a loaded code object";
  if (packet.group_segment_size < kernel->group_segment_bytes) {
    return "the packet gives " + std::to_string(packet.group_segment_size) + " bytes of LDS; the kernel needs " +
           std::to_string(kernel->group_segment_bytes);
  }
  if (packet.private_segment_size < kernel->private_segment_bytes) {
    return "the packet gives " + std::to_string(packet.private_segment_size) +
           " bytes of private memory a work-item; the kernel needs " + std::to_string(kernel->private_segment_bytes);
  }
  return {};
}

std::shared_ptr<const DispatchRecord> refused(const std::optional<KernelInfo>& kernel, Fault::Kind kind,
                                              std::string reason) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = kernel ? kernel->name : "(unknown kernel)";
  fault.detail = std::move(reason);
  auto record = std::make_shared<DispatchRecord>();
  record->fault = std::move(fault);
  return record;
}

}  // namespace

hsa_status_t status_of(const Fault& fault) {
  switch (fault.kind) {
    case Fault::Kind::kMemoryAccess:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT);
    case Fault::Kind::kUnknownInstruction:
    case Fault::Kind::kUnsupportedInstruction:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
    case Fault::Kind::kMisaligned:
    case Fault::Kind::kLdsOutOfRange:
    case Fault::Kind::kScratchOutOfRange:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
    case Fault::Kind::kBadDispatch:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case Fault::Kind::kInstructionLimit:
    case Fault::Kind::kCancelled:
    case Fault::Kind::kMissingWait:
    case Fault::Kind::kTrap:
      return HSA_STATUS_ERROR_EXCEPTION;
    case Fault::Kind::kInternal:
    case Fault::Kind::kOutOfBounds:
    case Fault::Kind::kUninitialized:
    case Fault::Kind::kRace:
    case Fault::Kind::kFloatAtomic:
      break;
  }
  return HSA_STATUS_ERROR;
}

Dispatcher::Dispatcher(Engine& engine, DispatchSettings& settings, KernelLookup find_kernel)
    : engine_(engine), settings_(settings), find_kernel_(std::move(find_kernel)) {}

std::shared_ptr<const DispatchRecord> Dispatcher::not_executed(const hsa_kernel_dispatch_packet_t& packet) {
  return refused(find_kernel_(packet.kernel_object), Fault::Kind::kCancelled,
                 "not executed: another dispatch of this process faulted before");
}

std::shared_ptr<const DispatchRecord> Dispatcher::run(const hsa_kernel_dispatch_packet_t& packet,
                                                      uint64_t packet_address, uint64_t queue_address,
                                                      uint64_t dispatch_id, const std::function<bool()>& cancelled) {
  const std::optional<KernelInfo> kernel = find_kernel_(packet.kernel_object);
  if (std::string reason = reason_to_refuse(packet, kernel); !reason.empty()) {
    return refused(kernel, Fault::Kind::kBadDispatch, std::move(reason));
  }

  const DispatchRequest request = dispatch_request(packet, kernel->name, packet_address, queue_address, dispatch_id);

  DispatchOptions options;
  options.max_wave_instructions = settings_.max_wave_instructions;
  options.seed = settings_.seed;
  options.threads = settings_.threads;
  options.cancelled = &cancelled;
  options.checks = settings_.checks;
  options.unwritten_fill = settings_.unwritten_fill;
  options.machine_in_use = settings_.machine_in_use;
  options.adverse = {.wave_instructions = settings_.adverse_wave_instructions, .races = settings_.adverse_races};
  options.residency = settings_.residency;
  options.float_atomics = settings_.float_atomics();
  options.faults_past_lds = settings_.faults_past_lds;
  AccessSets accesses;
  if (settings_.record_accesses) options.accesses = &accesses;
  KernelProfile profile;
  if (settings_.profile) options.profile = &profile;
  const std::shared_ptr<const ProbeProgram> probes = settings_.probes();
  ProbeResults probed;
  if (probes) {
    options.probes = probes.get();
    options.probed = &probed;
  }

  log_line(LogLevel::kPackets, "dispatch %s grid %ux%ux%u workgroup %ux%ux%u kernarg 0x%lx", kernel->name.c_str(),
           packet.grid_size_x, packet.grid_size_y, packet.grid_size_z, packet.workgroup_size_x, packet.workgroup_size_y,
           packet.workgroup_size_z, request.kernarg_address);
  DispatchOutcome outcome = engine_.run(request, options);
  past_lds_.tell(outcome);
  // Callers of the adverse order and of watches ask for the findings, too.
  if (options.checks) {
    for (const Fault& finding : outcome.findings) {
      if (finding.kind != Fault::Kind::kLdsOutOfRange) report_error("check: %s", finding.text().c_str());
    }
  }
  auto record = std::make_shared<DispatchRecord>();
  record->fault = std::move(outcome.fault);
  record->counters = outcome.counters;
  record->findings = std::move(outcome.findings);
  record->adverse_wave_instructions = outcome.adverse_wave_instructions;
  if (options.accesses != nullptr) record->accesses = std::move(accesses);
  if (options.profile != nullptr) record->profile = std::move(profile);
  if (options.probes != nullptr) record->probed = std::move(probed);
  return record;
}

}  // namespace kernloop::softgpu
