#include "capture/cuda/captured_launch.h"

#include <atomic>

#include "base/bytes.h"
#include "capture/cuda/agent.h"
#include "capture/cuda/app/thread_state.h"
#include "capture/cuda/launch/obstacles.h"

namespace kernloop::capture {

using namespace cuda;

extern "C" {
__attribute__((visibility("default"))) std::atomic<uint64_t> kernloop_captures_begun{0};
}

namespace {

std::string warning_of(const std::string& symbol, const Error& untracked) {
  return symbol + ": " + untracked.message +
         ". It is not in the capture: unused parts of structures hold such values, too. If the kernel uses it, the "
         "self-check fails; --untracked-memory refuse refuses such a dispatch";
}

// Warns of effects that a replay may not reproduce.
void warn_of(CudaAgent& agent, const std::string& symbol, const Launch& launch, std::span<const uint8_t> arguments,
             CUdevice device) {
  if (launch.programmatic) {
    agent.note("PROGRAMMATIC_LAUNCH", symbol +
                                          " may overlap the kernel before it in its stream (programmatic dependent "
                                          "launch): it is captured alone, after that one has ended");
  }
  int reaches_pages = 0;
  if (agent.driver->cuDeviceGetAttribute(&reaches_pages, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device) !=
          CUDA_SUCCESS ||
      reaches_pages == 0) {
    return;
  }
  if (const auto own = own_memory(*agent.driver, agent.allocations.snapshot(), arguments)) {
    agent.note("PAGEABLE_MEMORY",
               in_words(*own, symbol, "register it (cudaHostRegister), or allocate it with cudaMallocManaged"));
  }
}

}  // namespace

// Adds the variables as memory that the program has allocated, while this capture runs: the module may be unloaded.
void CapturedLaunch::add(const std::vector<LoadedVariable>& variables) {
  for (const LoadedVariable& variable : variables) {
    if (find_allocation(agent_.allocations.snapshot(), variable.base) != nullptr) continue;
    Allocation allocation;
    allocation.base = variable.base;
    allocation.size = variable.size;
    allocation.api = kVariableApi;
    agent_.allocations.add(allocation);
    added_.push_back(variable.base);
  }
}

CapturedLaunch::~CapturedLaunch() {
  dispatch_.reset();
  for (uint64_t base : added_) agent_.allocations.remove(base);
  if (device_) agent_.capture_ended();
}

std::unique_ptr<CapturedLaunch> CapturedLaunch::before(CudaAgent& agent, const KernelEntry& kernel, const char* call,
                                                       std::optional<Launch> launch, CUfunction handle,
                                                       CUcontext context, uint64_t index, std::vector<Due> due,
                                                       std::optional<Error> obstacle) {
  const OwnCalls own;
  const Driver& driver = *agent.driver;
  const UncapturedCalls uncaptured(driver);
  const ContextScope current(driver, context);
  const CUfunction function = agent.function_of(handle);
  const CubinChoice code = agent.cubins.find(function, kernel.symbol, {});
  std::vector<LoadedVariable> variables;
  DispatchFacts facts;
  facts.kernel = &kernel;
  facts.index = index;
  DeviceLaunch device;
  device.context = context;
  driver.cuFuncGetModule(&device.module, function);
  if (!obstacle) obstacle = obstacle_of(kernel.symbol, code);
  if (!launch) obstacle = unsupported_call(kernel.symbol, call);
  if (launch) {
    device.stream = launch->stream;
    facts.geometry = geometry_of(driver, *launch, function);
    facts.attributes = attributes_of(driver, *launch, function);
    const auto refusal = read_arguments(*launch, parameters_of(driver, handle, function), &device.arguments);
    if (!obstacle) obstacle = refusal;
    if (!obstacle && launch->unknown_attribute) obstacle = unknown_attribute(kernel.symbol, *launch->unknown_attribute);
    for (uint64_t address : agent.tensor_maps.addresses_in(device.arguments)) facts.reached.push_back({address, 1});
    const auto is_variable = [&](uint64_t address) {
      auto variable = agent.cubins.variable_at(address);
      // Variables of the kernel's own module are found by name.
      if (variable && variable->module != device.module) variables.push_back(std::move(*variable));
      return variable.has_value();
    };
    const auto untracked = untracked_memory(driver, agent.allocations.snapshot(), device.arguments, is_variable);
    if (untracked && refuses_untracked_memory() && !obstacle) obstacle = untracked;
    if (untracked && !obstacle) agent.note("UNTRACKED_MEMORY", warning_of(kernel.symbol, *untracked));
  }
  CUdevice ordinal = 0;
  if (driver.cuCtxGetDevice(&ordinal) == CUDA_SUCCESS) facts.queue = static_cast<uint32_t>(ordinal);
  std::unique_ptr<CapturedLaunch> self(new CapturedLaunch(agent));
  if (!obstacle) self->add(variables);
  self->dispatch_.emplace(agent, std::move(facts), std::move(due));
  if (!self->dispatch_->begin()) return nullptr;
  kernloop_captures_begun.fetch_add(1);
  if (obstacle) {
    self->dispatch_->refuse(*obstacle);
    return nullptr;
  }
  warn_of(agent, kernel.symbol, *launch, device.arguments, ordinal);
  self->device_.emplace(agent.driver, agent.contexts, agent.graphs, agent.tensor_maps, agent.told_addresses, agent.log,
                        std::move(device));
  agent.capture_began();
  if (!self->dispatch_->before(*self->device_)) return nullptr;
  if (self->device_->reaches_peer()) {
    agent.note("PEER_MEMORY", kernel.symbol + " may reach memory of another GPU: a replay keeps it on one GPU");
  }
  self->device_->before_run();
  return self;
}

bool CapturedLaunch::after(CUresult result) {
  RunReport report;
  auto refusal = device_->after_run(result, Deadline::in(dispatch_->run_limit()), &report);
  dispatch_->after(std::move(refusal), report);
  return device_->still_running();
}

// A thread owns the launch that it captures: CapturedLaunch has to be complete here.
ThreadState::ThreadState() = default;
ThreadState::~ThreadState() = default;

}  // namespace kernloop::capture
