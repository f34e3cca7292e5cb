#include "softgpu/hsa/runtime.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "abi/hsa/softgpu_extension.h"
#include "softgpu/engine/vector/select.h"
#include "softgpu/hsa/api/tables.h"
#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {
namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

// A tool may call hsa_init from its OnLoad, on the same thread.
std::recursive_mutex& init_mutex() {
  alignas(std::recursive_mutex) static unsigned char storage[sizeof(std::recursive_mutex)];
  static auto* mutex = new (storage) std::recursive_mutex;
  return *mutex;
}

}  // namespace

std::atomic<Runtime*> Runtime::current_{nullptr};
uint32_t Runtime::references_ = 0;

// The child of a fork has the parent's memory but none of its threads: queues and handlers would wait forever. It
// starts anew with hsa_init; until then functions return NOT_INITIALIZED.
void Runtime::forget_in_child() {
  if (current_.exchange(nullptr) != nullptr) references_ = 0;
  new (&init_mutex()) std::recursive_mutex;
}

hsa_status_t Runtime::acquire() {
  std::lock_guard lock(init_mutex());
  if (current() != nullptr) {
    if (references_ == UINT32_MAX) return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
    ++references_;
    return HSA_STATUS_SUCCESS;
  }
  if (const std::string why = vector::refusal(vector::builds()); !why.empty()) {
    report_error("hsa_init fails: %s", why.c_str());
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  auto options = read_options(environment);
  if (!options) {
    report_error("hsa_init fails: %s; %s", options.error().message.c_str(), options.error().hint.c_str());
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  set_log_level(options->log_level);
  static const int once = ::pthread_atfork(nullptr, nullptr, &Runtime::forget_in_child);
  (void)once;
  current_ = new Runtime(std::move(*options));
  references_ = 1;
  if (const char* tools = std::getenv("HSA_TOOLS_LIB")) {
    const int version = current()->options.api_tables;
    current()->tools_.load(tools, tool_tables(version));
    adopt_tool_tables(version);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::release() {
  std::lock_guard lock(init_mutex());
  if (current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (references_ > 1) {
    --references_;
    return HSA_STATUS_SUCCESS;
  }
  current()->tools_.unload();
  Runtime* last = current_.exchange(nullptr);
  references_ = 0;
  delete last;
  reset_api_tables();
  return HSA_STATUS_SUCCESS;
}

Runtime::Runtime(Options given)
    : options(std::move(given)),
      dispatcher(engine, settings, [this](uint64_t kernel_object) { return code_objects.find_kernel(kernel_object); }) {
  settings.max_wave_instructions = options.max_wave_instructions;
  settings.checks = options.checks;
  settings.faults_past_lds = options.faults_past_lds;
  memory.track_initialization(options.checks.uninitialized);
  memory.fail_first_release(options.hostility.failed_frees);
  settings.seed = options.seed;
  settings.threads = options.threads;
  log_line(LogLevel::kSetup, "%s, %u threads (0: all), seed %lu", options.target.c_str(), options.threads,
           options.seed);
}

Runtime::~Runtime() {
  if (options.hostility.cooperative && has_intercepted_cooperative_) {
    report_error("the agent's cooperative queue was intercepted: ROCr 6.4 deletes it twice");
    std::abort();
  }
  // Queues first: their threads use all the rest, and the list of them.
  auto last = queues.take_all();
  for (const auto& queue : last) queue->inactivate();
  last.clear();
  if (const size_t left = signals.live()) log_line(LogLevel::kSetup, "%zu signals were left", left);
}

std::unique_ptr<HardwareQueue> Runtime::make_queue(uint32_t size, hsa_queue_type32_t type, QueueErrorCallback callback,
                                                   void* data) {
  auto queue = std::make_unique<HardwareQueue>(
      HardwareQueue::Services{signals, dispatcher, [this](const Fault& fault) { report_memory_fault(fault); },
                              [this](auto... error) { report_queue_error(error...); }, device_lost},
      callback, data);
  auto memory_of_queue =
      QueueMemory::create(queue_addresses, space, signals, size, type, HSA_QUEUE_FEATURE_KERNEL_DISPATCH, queue.get());
  if (memory_of_queue == nullptr) return nullptr;
  queue->start(std::move(memory_of_queue));
  return queue;
}

std::shared_ptr<HardwareQueue> Runtime::create_queue(uint32_t size, hsa_queue_type32_t type,
                                                     QueueErrorCallback callback, void* callback_data) {
  return make_queue(size, type, callback, callback_data);
}

std::shared_ptr<InterceptQueue> Runtime::create_intercept_queue(uint32_t size, hsa_queue_type32_t type,
                                                                QueueErrorCallback callback, void* callback_data) {
  auto target = make_queue(size, type, callback, callback_data);
  if (target == nullptr) return nullptr;
  if (type == HSA_QUEUE_TYPE_COOPERATIVE) has_intercepted_cooperative_ = true;
  auto queue = std::make_shared<InterceptQueue>(std::move(target), options.hostility.writer_once);
  auto memory_of_queue =
      QueueMemory::create(queue_addresses, space, signals, size, type, HSA_QUEUE_FEATURE_KERNEL_DISPATCH, queue.get());
  if (memory_of_queue == nullptr) return nullptr;
  queue->start(std::move(memory_of_queue));
  return queue;
}

void Runtime::report_queue_error(hsa_status_t status, hsa_queue_t* queue, QueueErrorCallback callback, void* data) {
  const auto take = reinterpret_cast<kernloop_softgpu_take_error_t>(::dlsym(RTLD_DEFAULT, KERNLOOP_SOFTGPU_TAKE_ERROR));
  if (take == nullptr || take(status, callback) == 0) return callback(status, queue, data);
  device_lost = true;
  // On the thread of a queue, which must not own one: the program may be destroying them, and waits for their threads.
  queues.for_each([](Queue& queue) { queue.halt(); });
}

void Runtime::add_system_event_handler(hsa_amd_system_event_callback_t callback, void* data) {
  std::lock_guard lock(mutex_);
  system_event_handlers_.push_back({callback, data});
}

void Runtime::report_memory_fault(const Fault& fault) {
  std::vector<SystemEventHandler> handlers;
  {
    std::lock_guard lock(mutex_);
    handlers = system_event_handlers_;
  }
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = kGpuAgent;
  event.memory_fault.virtual_address = fault.address;
  event.memory_fault.fault_reason_mask = fault.is_write
                                             ? HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT | HSA_AMD_MEMORY_FAULT_READ_ONLY
                                             : HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  for (const SystemEventHandler& handler : handlers) handler.callback(&event, handler.data);
}

std::optional<RangeInfo> Runtime::find_range(const void* pointer) const {
  if (auto found = memory.find(pointer)) return found;
  return virtual_memory.find(pointer);
}

bool Runtime::copyable(const void* pointer, uint64_t size) const {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  // Reservations may have any address; other memory is the program's own.
  const bool ours =
      kDeviceAperture.contains(address) || kHostAperture.contains(address) || virtual_memory.find(pointer);
  if (!ours) return true;
  // Virtual memory may be made of several mappings in a row.
  for (uint64_t done = 0; done < size;) {
    auto range = find_range(reinterpret_cast<const void*>(address + done));
    if (!range) return false;
    done = range->base + range->size - address;
  }
  return true;
}

}  // namespace kernloop::softgpu
