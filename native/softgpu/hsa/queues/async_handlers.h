// hsa_amd_signal_async_handler: one thread that waits for many signals and calls back.
#pragma once

#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "softgpu/hsa/queues/signals.h"

namespace kernloop::softgpu {

class AsyncHandlers {
 public:
  explicit AsyncHandlers(Signals& signals);
  ~AsyncHandlers();

  // Handlers whose condition holds run in the order of registration; one that returns true stays registered.
  void add(WaitTarget target, hsa_amd_signal_handler handler, void* argument);
  // The signal is about to be destroyed: its handlers go with it.
  void forget(hsa_signal_t signal);
  // Runs `function` on the handler thread.
  void call(void (*function)(void*), void* argument);

 private:
  struct Entry {
    WaitTarget target;
    hsa_amd_signal_handler handler;
    void* argument;
  };
  struct Call {
    void (*function)(void*);
    void* argument;
  };
  void run();
  void start_and_kick();

  Signals& signals_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Call> calls_;
  std::atomic<bool> changed_{false};
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kernloop::softgpu
