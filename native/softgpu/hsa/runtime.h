// Everything that lives between hsa_init and the last hsa_shut_down.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/hsa/code/executable.h"
#include "softgpu/hsa/host/handle_registry.h"
#include "softgpu/hsa/host/options.h"
#include "softgpu/hsa/intercept_queue.h"
#include "softgpu/hsa/memory/memory.h"
#include "softgpu/hsa/memory/virtual_memory.h"
#include "softgpu/hsa/queues/async_handlers.h"
#include "softgpu/hsa/queues/copy_engine.h"
#include "softgpu/hsa/queues/dispatcher.h"
#include "softgpu/hsa/queues/hardware_queue.h"
#include "softgpu/hsa/queues/signals.h"
#include "softgpu/hsa/tools.h"

namespace kernloop::softgpu {

class Runtime {
 public:
  // nullptr before hsa_init, after the last hsa_shut_down, and in a forked child until it calls hsa_init itself.
  static Runtime* current() { return current_.load(std::memory_order_acquire); }
  static hsa_status_t acquire();
  static hsa_status_t release();

  // nullptr when resources are used up.
  std::shared_ptr<HardwareQueue> create_queue(uint32_t size, hsa_queue_type32_t type, QueueErrorCallback callback,
                                              void* callback_data);
  std::shared_ptr<InterceptQueue> create_intercept_queue(uint32_t size, hsa_queue_type32_t type,
                                                         QueueErrorCallback callback, void* callback_data);

  // Calls the callback, or loses the device if a library in front of HIP takes the error (softgpu_extension.h).
  void report_queue_error(hsa_status_t status, hsa_queue_t* queue, QueueErrorCallback callback, void* data);

  void add_system_event_handler(hsa_amd_system_event_callback_t callback, void* data);

  // Whether a copy may touch these bytes: they are in one live allocation, or in memory of the program's own.
  bool copyable(const void* pointer, uint64_t size) const;
  std::optional<RangeInfo> find_range(const void* pointer) const;

  const Options options;
  DispatchSettings settings;
  AddressSpace space;
  Signals signals{space};
  std::atomic<bool> device_lost{false};
  Memory memory{space};
  VirtualMemory virtual_memory{space, memory};
  Engine engine{space, options.isa()};
  CodeObjects code_objects{space, memory, engine, options.isa()};
  Dispatcher dispatcher;
  AsyncHandlers async_handlers{signals};
  CopyEngine copies{signals};
  AddressAllocator queue_addresses{kQueueAperture};

  HandleRegistry<CodeObjectSource> readers;
  HandleRegistry<Executable> executables;
  HandleRegistry<const ExecutableSymbol> symbols;
  HandleRegistry<LoadedCodeObject> loaded_code_objects;
  HandleRegistry<Queue> queues;  // by hsa_queue_t*
  HandleRegistry<QueueMemory> soft_queues;

 private:
  explicit Runtime(Options options);
  ~Runtime();
  static void forget_in_child();
  void report_memory_fault(const Fault& fault);
  std::unique_ptr<HardwareQueue> make_queue(uint32_t size, hsa_queue_type32_t type, QueueErrorCallback callback,
                                            void* data);

  struct SystemEventHandler {
    hsa_amd_system_event_callback_t callback;
    void* data;
  };
  std::atomic<bool> has_intercepted_cooperative_{false};
  std::mutex mutex_;
  std::vector<SystemEventHandler> system_event_handlers_;
  Tools tools_;

  static std::atomic<Runtime*> current_;
  static uint32_t references_;
};

inline Runtime& runtime() {
  return *Runtime::current();
}

}  // namespace kernloop::softgpu
