#include "capture/cuda/agent.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace kernloop::capture {

using namespace cuda;

namespace {

// Launches counted while nothing matches. After them, launches are not looked at and cost the app nothing.
constexpr uint64_t kCountedLaunches = 4096;
constexpr uint32_t kEndAttempts = 1000;

QueueMessage description_of(const Driver& driver, CUdevice device) {
  char name[256] = "";
  int major = 0, minor = 0, warp = 32;
  driver.cuDeviceGetName(name, sizeof name - 1, device);
  driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  driver.cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  return {static_cast<uint32_t>(device), name, "sm_" + std::to_string(major * 10 + minor), static_cast<uint32_t>(warp)};
}

}  // namespace

std::atomic<CudaAgent*> CudaAgent::instance_{nullptr};

CudaAgent::CudaAgent(std::shared_ptr<const Driver> driver_in, std::shared_ptr<const Cupti> cupti_in,
                     std::unique_ptr<RecorderClient> client, std::string log_pattern)
    : AgentBase(std::move(client), std::move(log_pattern)),
      driver(std::move(driver_in)),
      cupti(std::move(cupti_in)),
      memory(allocations),
      contexts(driver),
      cubins(*driver),
      graphs(*driver),
      profiler(*this, driver, cupti) {}

Status CudaAgent::start(std::shared_ptr<const Driver> driver, std::shared_ptr<const Cupti> cupti,
                        std::unique_ptr<RecorderClient> client, std::string log) {
  auto* agent = new CudaAgent(std::move(driver), std::move(cupti), std::move(client), std::move(log));
  agent->log.line("capturing through CUPTI (%s), mode %s, %zu selections", agent->cupti->path.c_str(),
                  agent->profiling() ? "profile" : "capture", agent->welcome.selections.size());
  instance_.store(agent, std::memory_order_release);
  auto subscription = Subscription::open(agent->cupti, agent->calls, on_callback);
  if (!subscription) {
    const Error& error = subscription.error();
    agent->log.alarm("this program is not captured: %s", error.message.c_str());
    const bool taken = error.code == "CUPTI_BUSY";
    agent->note(
        taken ? "CUPTI_TAKEN" : error.code.c_str(),
        taken ? "a profiler or sanitizer in the program holds CUPTI, which serves one tool a process: " + error.message
              : error.message);
    agent->say_goodbye();
    return error;
  }
  agent->subscription_ = std::move(*subscription);
  agent->subscription_->watch(agent->profiling() ? Watch::kAlways : Watch::kLaunches);
  if (agent->profiling()) agent->profiler.start();
  static const int registered =
      pthread_atfork(nullptr, nullptr, &CudaAgent::after_fork_in_child) + std::atexit(&CudaAgent::at_exit);
  (void)registered;
  return Unit{};
}

// CUDA does not work in a forked child. When that starts another program, this is loaded there anew.
void CudaAgent::after_fork_in_child() {
  CudaAgent* agent = get();
  if (agent == nullptr || !agent->active()) return;
  agent->abandoned_.store(true, std::memory_order_relaxed);
  agent->abandon_after_fork();
  agent->log.line("forked: this child (pid %d) is not captured", static_cast<int>(getpid()));
}

// Registered later than the driver's own handlers, this runs before it goes down.
void CudaAgent::at_exit() {
  CudaAgent* agent = get();
  if (agent == nullptr) return;
  if (agent->abandoned()) return;
  agent->guarded([agent] {
    agent->tell_of_devices();
    if (agent->profiling()) agent->profiler.finish();
    agent->tell_of_graphs();
  });
}

void CudaAgent::handle_given(const void* handle, const char* symbol, const void* owner) {
  if (handle == nullptr || symbol == nullptr || profiling()) return;
  {
    std::lock_guard lock(handles_mutex_);
    Handle& entry = handles_[handle];
    if (entry.symbol == symbol) return;
    entry = {symbol, owner};
  }
  kernels.remove(reinterpret_cast<uint64_t>(handle));
  if (selections.anything_left() && selections_of(symbol) != 0) arm();
}

void CudaAgent::forget_handles_of(const void* owner) {
  std::lock_guard lock(handles_mutex_);
  for (auto it = handles_.begin(); it != handles_.end();) {
    if (it->second.owner != owner) {
      ++it;
      continue;
    }
    kernels.remove(reinterpret_cast<uint64_t>(it->first));
    it = handles_.erase(it);
  }
}

std::string CudaAgent::symbol_of(CUfunction handle) {
  std::lock_guard lock(handles_mutex_);
  const auto known = handles_.find(handle);
  return known != handles_.end() ? known->second.symbol : std::string();
}

CUfunction CudaAgent::function_of(CUfunction handle) const {
  const OwnCalls own;
  CUfunction function = nullptr;
  const CUresult result = driver->cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(handle));
  return result == CUDA_SUCCESS && function != nullptr ? function : handle;
}

const KernelEntry* CudaAgent::launched_kernel(CUfunction handle, const char* symbol, ThreadState& thread) {
  const auto key = reinterpret_cast<uint64_t>(handle);
  const KernelEntry* entry = kernels.find(key);
  if (entry != nullptr) return entry;
  return AgentBase::kernel(key, [&]() -> Result<ResolvedKernel> {
    const std::string name = symbol != nullptr ? std::string(symbol) : symbol_of(handle);
    if (name.empty()) return Error{"UNKNOWN_KERNEL", "a kernel without a name was launched", ""};
    return resolve(handle, name, thread);
  });
}

const KernelEntry* CudaAgent::wanted_kernel(CUfunction handle, ThreadState& thread) {
  const std::string symbol = symbol_of(handle);
  if (symbol.empty() || selections_of(symbol) == 0) return nullptr;
  return launched_kernel(handle, symbol.c_str(), thread);
}

// The code of an unwanted kernel is not looked for.
ResolvedKernel CudaAgent::resolve(CUfunction handle, const std::string& symbol, ThreadState& thread) {
  ResolvedKernel resolved;
  resolved.symbol = symbol;
  if (selections_of(symbol) == 0) return resolved;
  const OwnCalls own;
  const UncapturedCalls uncaptured(*driver);
  const CUfunction function = function_of(handle);
  const CubinChoice choice = cubins.find(function, symbol, thread.loaded);
  // One of several candidates represents them: such a dispatch is refused by name.
  const auto& cubin = choice.cubin != nullptr || choice.candidates.empty() ? choice.cubin : choice.candidates.front();
  if (cubin == nullptr || cubin->bytes.empty()) {
    note("CODE_OBJECT_UNREADABLE", "the driver showed no code object with the kernel " + symbol);
    return resolved;
  }
  cubins.send_once(*cubin, [&] { send_code_object(cubin->number, cubin->bytes); });
  resolved.objects.push_back(cubin->number);
  return resolved;
}

void CudaAgent::module_loaded(uint32_t module_id, std::span<const uint8_t> cubin, ThreadState& thread) {
  if (cubin.empty()) return;
  thread.loaded.push_back(cubins.loaded(
      module_id, cubin, [this](const std::unordered_set<std::string>& names) { return any_wanted(names); }));
}

void CudaAgent::tell_of_devices() {
  for (CUcontext context : contexts.take_new()) {
    const OwnCalls own;
    const ContextScope current(*driver, context);
    CUdevice device = 0;
    if (!current.ok() || driver->cuCtxGetDevice(&device) != CUDA_SUCCESS) continue;
    {
      std::lock_guard lock(devices_mutex_);
      if (std::find(devices_.begin(), devices_.end(), device) != devices_.end()) continue;
      devices_.push_back(device);
    }
    recorder->send(FrameType::kQueue, description_of(*driver, device).encode());
  }
}

void CudaAgent::let_in(const ApiCall& call) {
  auto& calls = call.thread.calls;
  if (!calls.empty() && calls.back() == call.data.correlationId) return;
  if (calls.empty()) hold.enter();
  calls.push_back(call.data.correlationId);
}

void CudaAgent::let_out(const ApiCall& call) {
  auto& calls = call.thread.calls;
  if (calls.empty() || calls.back() != call.data.correlationId) return;
  calls.pop_back();
  if (calls.empty()) hold.leave();
}

void CudaAgent::arm() {
  if (!armed_.exchange(true, std::memory_order_acq_rel)) subscription_->watch(Watch::kArmed);
}

void CudaAgent::count_launch() {
  if (armed() || launches_.fetch_add(1, std::memory_order_relaxed) + 1 < kCountedLaunches) return;
  if (!counting_.exchange(false)) return;
  subscription_->watch(Watch::kAlways);
  if (armed()) subscription_->watch(Watch::kArmed);  // meanwhile
  note("LAUNCHES_NOT_COUNTED", "only the first " + std::to_string(kCountedLaunches) +
                                   " launches are counted: no kernel that the program had until then is wanted");
}

// cuptiFinalize waits for the GPU, where a kernel may wait for the app. Checked only after the first, second, fourth,
// eighth… call, since a check takes up to a millisecond.
bool CudaAgent::is_busy() {
  const uint32_t attempt = busy_attempts_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!std::has_single_bit(attempt)) return true;
  constexpr std::chrono::milliseconds kLimit{1};
  const OwnCalls own;
  const HoldScope inside(hold);
  hold.take_turn();
  // Held: otherwise it would disturb a stream whose capture begins meanwhile.
  const bool may_ask = hold.wait_alone(Deadline::in(kLimit)) && !graphs.any_captured();
  const bool busy = !may_ask || contexts.wait_idle(Deadline::in(kLimit)).has_value();
  hold.release();
  return busy;
}

void CudaAgent::end_if_done(bool (*alone)()) {
  if (profiling() || captures_.load() != 0 || subscription_ == nullptr) return;
  // The app's actions were not followed since: the driver, which CUPTI's end would call, must not be called.
  if (!active()) return subscription_->end(false);
  if (selections.anything_left() || graph_execs.parts_running(*driver)) return;
  if (alone() && is_busy()) {
    if (!resting_.exchange(true)) subscription_->watch(Watch::kAlways);
    return;
  }
  // Better a few calls later, and alone.
  const bool last = alone();
  if (!last && end_attempts_.fetch_add(1, std::memory_order_relaxed) < kEndAttempts) return;
  subscription_->end(last);
  guarded([this] {
    note("LAUNCHES_NOT_COUNTED", "nothing is left to capture: launches from here on are not counted");
    say_goodbye();
  });
}

}  // namespace kernloop::capture
